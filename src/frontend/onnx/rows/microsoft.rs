//! Operators of other domains that exporters and optimisers write.

use super::Row;

pub const ROWS: &[Row] = &[];
