//! The derivative rules, by family: each gives the cotangents of a node's arguments.
//!
//! Deliberately absent: rules of operators that their decomposition differentiates as well.

mod attention;
mod contraction;
mod control;
mod eigen;
mod fourier;
mod host;
mod indexing;
mod linalg;
mod loops;
mod losses;
mod matrices;
mod normalization;
mod placement;
mod pointwise;
mod pooling;
mod recurrence;
mod reduction;
mod rounding;
mod sampling;
mod scan;
mod segments;
mod spectral;
mod turn_values;
mod view;

pub(super) use attention::*;
pub(super) use contraction::*;
pub(super) use control::*;
pub(super) use eigen::*;
pub(super) use fourier::*;
pub(super) use host::*;
pub(super) use indexing::*;
pub(super) use linalg::*;
pub(super) use loops::*;
pub(super) use losses::*;
pub(super) use normalization::*;
pub(super) use placement::*;
pub(super) use pointwise::*;
pub(super) use pooling::*;
pub(super) use recurrence::*;
pub(super) use reduction::*;
pub(super) use rounding::*;
pub(super) use sampling::*;
pub(super) use scan::*;
pub(super) use segments::*;
pub(super) use spectral::*;
pub(super) use view::*;
