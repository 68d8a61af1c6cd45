//! The rows, by family. Each family's macro appends its rows to those it is given and hands them on, so that the
//! last one calls back with the whole table.
//!
//! A row: `Id "aten.name.overload" "(schema)" Class [inplace] meta(rule) lower(rule);` where the last part may be
//! `decompose(rule)` or `none()` as well. `[inplace_short]` in place of `[inplace]` says that the in-place form's overload
//! lacks the word `Tensor_`, as that of `aten.pow.Tensor_Scalar` does. A second word, or the only one, says which dtypes it
//! takes: see `takes`.

mod algebra;
mod complex;
mod contraction;
mod convolution;
mod creation;
mod gradient;
mod host;
mod indexing;
mod linalg;
mod loss;
mod normalization;
mod pointwise;
mod pooling;
mod prims;
mod quantized;
mod random;
mod rearrange;
mod recurrence;
mod reduction;
mod resampling;
mod spectral;
mod view;
mod vision;

pub(crate) use algebra::algebra_rows;
pub(crate) use complex::complex_rows;
pub(crate) use contraction::contraction_rows;
pub(crate) use convolution::convolution_rows;
pub(crate) use creation::creation_rows;
pub(crate) use gradient::gradient_rows;
pub(crate) use host::host_rows;
pub(crate) use indexing::indexing_rows;
pub(crate) use linalg::linalg_rows;
pub(crate) use loss::loss_rows;
pub(crate) use normalization::normalization_rows;
pub(crate) use pointwise::pointwise_rows;
pub(crate) use pooling::pooling_rows;
pub(crate) use prims::prims_rows;
pub(crate) use quantized::quantized_rows;
pub(crate) use random::random_rows;
pub(crate) use rearrange::rearrange_rows;
pub(crate) use recurrence::recurrence_rows;
pub(crate) use reduction::reduction_rows;
pub(crate) use resampling::resampling_rows;
pub(crate) use spectral::spectral_rows;
pub(crate) use view::view_rows;
pub(crate) use vision::vision_rows;

macro_rules! all_rows {
    ($callback:ident) => {
        $crate::ops::rows::pointwise_rows! { $callback [] }
    };
}
pub(crate) use all_rows;
