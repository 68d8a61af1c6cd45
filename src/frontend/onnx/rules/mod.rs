//! Rules of operators that take a choice, by family.

pub mod arrange;
pub mod attention;
pub mod block_tables;
pub mod cast;
pub mod choice;
pub mod convolution;
pub mod fused;
pub mod grouped_query;
pub mod indexing;
pub mod learning;
pub mod matrix;
pub mod microsoft;
pub mod normalization;
pub mod pointwise;
pub mod pooling;
pub mod quantized;
pub mod recurrent;
pub mod reduction;
pub mod resampling;
pub mod sequences;
pub mod signal;
