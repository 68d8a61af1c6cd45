//! Which operators mixed precision runs in which floats: the lists of PyTorch's autocast, for a CPU and for a GPU.
//!
//! A list has the names of operators without their overloads. An operator of no list runs in the floats that it is given.
//! PyTorch decomposes some operators before it looks at its lists, and finds their parts there (`einsum` and `lstm` on a CPU,
//! `cross_entropy_loss` on a GPU). Such operators stand here themselves.
//!
//! Deliberately absent: how operands are cast (`passes::autocast`).

use super::OpId;

/// What becomes of an operator's operands. All of this is about floats of up to 32 bits; others stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// They are cast to the lower precision.
    Lower,
    /// They are cast to float32.
    Single,
    /// The result is asked for in float32, unless the call says its dtype.
    SingleResult,
    /// They are cast to the widest of them.
    Widest,
    /// PyTorch refuses the operator, whose gradients would vanish.
    Refused,
}

/// The lists of a kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    Cpu,
    Cuda,
}

impl Lists {
    pub fn of(self, op: OpId) -> Option<Policy> {
        let name = op.name().strip_prefix("aten.")?.split('.').next()?;
        let lists = match self {
            Lists::Cpu => CPU,
            Lists::Cuda => CUDA,
        };
        lists.iter().find(|(_, names)| names.contains(&name)).map(|(policy, _)| *policy)
    }
}

type List = (Policy, &'static [&'static str]);

#[rustfmt::skip]
const CPU: &[List] = &[
    (Policy::Lower, &[
        "_addmm_activation", "addbmm", "addmm", "baddbmm", "bmm", "chain_matmul", "conv1d", "conv2d", "conv3d",
        "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "einsum", "linalg_multi_dot", "linalg_vecdot",
        "linear", "lstm", "matmul", "mm", "prelu", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell",
        "scaled_dot_product_attention", "tensordot",
    ]),
    (Policy::Single, &[
        "_lu_with_info", "adaptive_avg_pool3d", "adaptive_max_pool3d", "avg_pool3d", "binary_cross_entropy",
        "binary_cross_entropy_with_logits", "cdist", "cholesky_inverse", "cholesky_solve", "cosine_embedding_loss",
        "cross_entropy_loss", "fake_quantize_per_tensor_affine", "fft_fft", "fft_fft2", "fft_fftn", "fft_hfft",
        "fft_ifft", "fft_ifft2", "fft_ifftn", "fft_ihfft", "fft_irfft", "fft_irfft2", "fft_irfftn", "fft_rfft",
        "fft_rfft2", "fft_rfftn", "fractional_max_pool2d", "fractional_max_pool3d", "geqrf", "grid_sampler",
        "grid_sampler_2d", "grid_sampler_3d", "hinge_embedding_loss", "huber_loss", "inverse", "kl_div", "l1_loss",
        "linalg_cholesky", "linalg_cholesky_ex", "linalg_cond", "linalg_eigh", "linalg_eigvalsh",
        "linalg_householder_product", "linalg_inv", "linalg_inv_ex", "linalg_lstsq", "linalg_matrix_rank",
        "linalg_matrix_sqrth", "linalg_qr", "linalg_solve", "linalg_svd", "linalg_svdvals", "linalg_tensorinv",
        "linalg_tensorsolve", "lu_solve", "margin_ranking_loss", "max_pool3d", "max_unpool2d", "max_unpool3d",
        "mse_loss", "multi_margin_loss", "multilabel_margin_loss", "nanquantile", "nll_loss", "nll_loss2d", "orgqr",
        "ormqr", "pinverse", "poisson_nll_loss", "polar", "prod", "quantile", "reflection_pad1d",
        "reflection_pad2d", "replication_pad1d", "replication_pad2d", "replication_pad3d", "smooth_l1_loss",
        "soft_margin_loss", "stft", "svd", "trace", "triangular_solve", "triplet_margin_loss", "view_as_complex",
    ]),
    (Policy::Widest, &["cat", "index_copy", "stack"]),
];

#[rustfmt::skip]
const CUDA: &[List] = &[
    (Policy::Lower, &[
        "_convolution", "addbmm", "addmm", "addmv", "addr", "baddbmm", "bmm", "chain_matmul", "conv1d", "conv2d",
        "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution", "einsum", "gru",
        "gru_cell", "linalg_multi_dot", "linalg_vecdot", "linear", "lstm", "lstm_cell", "matmul", "mm", "mv", "prelu",
        "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell", "scaled_dot_product_attention",
    ]),
    (Policy::Single, &[
        "_upsample_bicubic2d_aa", "_upsample_bilinear2d_aa", "_upsample_nearest_exact1d",
        "_upsample_nearest_exact2d", "_upsample_nearest_exact3d", "acos", "asin",
        "binary_cross_entropy_with_logits", "cdist", "cosh", "cosine_embedding_loss", "cosine_similarity",
        "cross_entropy_loss", "dist", "erfinv", "exp", "expm1", "frobenius_norm", "group_norm",
        "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "layer_norm", "linalg_matrix_sqrth", "log",
        "log10", "log1p", "log2", "logsumexp", "margin_ranking_loss", "mse_loss", "multi_margin_loss",
        "multilabel_margin_loss", "native_layer_norm", "nll_loss", "nll_loss2d", "norm", "nuclear_norm", "pdist",
        "poisson_nll_loss", "pow", "reciprocal", "renorm", "rms_norm", "rsqrt", "sinh", "smooth_l1_loss",
        "soft_margin_loss", "softplus", "tan", "triplet_margin_loss", "upsample_bicubic2d", "upsample_bilinear2d",
        "upsample_linear1d", "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d",
        "upsample_trilinear3d",
    ]),
    (Policy::SingleResult, &[
        "cumprod", "cumsum", "linalg_matrix_norm", "linalg_vector_norm", "log_softmax", "prod", "softmax", "sum",
    ]),
    (Policy::Widest, &[
        "addcdiv", "addcmul", "atan2", "bilinear", "cross", "dot", "grid_sampler", "index_put", "scatter_add",
        "tensordot", "vdot",
    ]),
    (Policy::Refused, &["binary_cross_entropy"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_operators_once() {
        for (lists, all) in [(Lists::Cpu, CPU), (Lists::Cuda, CUDA)] {
            let mut names: Vec<&str> = all.iter().flat_map(|(_, names)| names.iter().copied()).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{lists:?}: a name stands twice");
            for name in names {
                let row = OpId::all().iter().find(|op| op.name().split('.').nth(1) == Some(name));
                let row = row.unwrap_or_else(|| panic!("{lists:?}: there is no operator {name}"));
                assert!(lists.of(*row).is_some(), "{lists:?}: {name} is not found");
            }
        }
    }

    /// Where a list says that a result is asked for in float32, the operator has an argument for it.
    #[test]
    fn results_in_float32_can_be_asked_for() {
        for op in OpId::all().iter().filter(|op| Lists::Cuda.of(**op) == Some(Policy::SingleResult)) {
            assert!(op.schema().arg("dtype").is_some(), "{}", op.name());
        }
    }
}
