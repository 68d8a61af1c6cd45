//! Rules of operators that take a choice, by family.

pub mod arrange;
pub mod cast;
pub mod convolution;
pub mod indexing;
pub mod matrix;
pub mod normalization;
pub mod pointwise;
pub mod pooling;
pub mod reduction;
pub mod sequences;
