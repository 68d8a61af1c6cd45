//! The operators that are formulas: name, schema, and what each becomes.

use super::Becomes::{Formula, InPlace, Rule};
use super::{
    Named, backward, ctc, lanczos, loss, optimizers, products, quantized, rearrange, recurrence, region_maps,
    regions, sampling, statistics,
};

/// Schemas of the steps of Adam and of SGD, by the type of the learning rate and by what they return.
macro_rules! adam {
    ($rate:literal, $returns:literal) => {
        concat!(
            "(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, ",
            $rate,
            " lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ",
            $returns
        )
    };
}
macro_rules! sgd {
    ($rate:literal, $returns:literal) => {
        concat!(
            "(Tensor[] self, Tensor[] grads, Tensor[] momentum_buffer_list, *, float weight_decay, float momentum, ",
            $rate,
            " lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> ",
            $returns
        )
    };
}

macro_rules! table {
    ($($name:literal $schema:tt $becomes:ident($with:expr);)*) => {
        pub(super) const ALL: &[Named] = &[$(Named { name: $name, schema: $schema, becomes: $becomes($with) },)*];
    };
}

table! {
    // In place, by Python's words.
    "aten.__iand__.Scalar" "(Tensor self, Scalar other) -> Tensor" Formula("bitwise_and_.Scalar($0, $1)");
    "aten.__iand__.Tensor" "(Tensor self, Tensor other) -> Tensor" Formula("bitwise_and_.Tensor($0, $1)");
    "aten.__ior__.Scalar" "(Tensor self, Scalar other) -> Tensor" Formula("bitwise_or_.Scalar($0, $1)");
    "aten.__ior__.Tensor" "(Tensor self, Tensor other) -> Tensor" Formula("bitwise_or_.Tensor($0, $1)");
    "aten.__ixor__.Scalar" "(Tensor self, Scalar other) -> Tensor" Formula("bitwise_xor_.Scalar($0, $1)");
    "aten.__ixor__.Tensor" "(Tensor self, Tensor other) -> Tensor" Formula("bitwise_xor_.Tensor($0, $1)");
    "aten.__ilshift__.Scalar" "(Tensor self, Scalar other) -> Tensor" InPlace("__lshift__.Scalar($0, $1)");
    "aten.__ilshift__.Tensor" "(Tensor self, Tensor other) -> Tensor" InPlace("__lshift__($0, $1)");
    "aten.__irshift__.Scalar" "(Tensor self, Scalar other) -> Tensor" InPlace("__rshift__.Scalar($0, $1)");
    "aten.__irshift__.Tensor" "(Tensor self, Tensor other) -> Tensor" InPlace("__rshift__($0, $1)");
    "aten.polygamma_.default" "(Tensor self, int n) -> Tensor" InPlace("polygamma($1, $0)");
    "aten.fill_diagonal_.default" "(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor" Rule(rearrange::fill_diagonal);
    // The same by another name.
    "aten.lift.default" "(Tensor self) -> Tensor" Formula("alias($0)");
    "aten.chalf.default" "(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" Formula("_to_copy($0, dtype=9, memory_format=$1)");
    "aten.lift_fresh.default" "(Tensor self) -> Tensor" Formula("alias($0)");
    "aten._lazy_clone.default" "(Tensor self) -> Tensor" Formula("clone($0)");
    "aten._stack.default" "(Tensor[] tensors, int dim=0) -> Tensor" Formula("stack($0, $1)");
    "aten._pad_circular.default" "(Tensor self, SymInt[] pad) -> Tensor" Formula("pad($0, $1, 'circular')");
    "aten._reshape_alias.default" "(Tensor self, SymInt[] size, SymInt[] stride) -> Tensor" Formula("as_strided($0, $1, $2)");
    "aten._reshape_alias_copy.default" "(Tensor self, SymInt[] size, SymInt[] stride) -> Tensor" Formula("clone(as_strided($0, $1, $2))");
    "aten._efficientzerotensor.default" "(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor" Formula("zeros($0, dtype=$1)");
    "aten._index_put_impl.default" "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor" Formula("index_put($0, $1, $2, $3)");
    "aten._index_put_impl_.default" "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor" Formula("index_put_($0, $1, $2, $3)");
    // Whether elements hold.
    "aten._is_all_true.default" "(Tensor self) -> Tensor" Formula("all($0)");
    "aten._is_any_true.default" "(Tensor self) -> Tensor" Formula("any($0)");
    // Products with results of another dtype.
    "aten.mm.dtype" "(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor" Formula("mm(to.dtype($0, $2), to.dtype($1, $2))");
    "aten.bmm.dtype" "(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor" Formula("bmm(to.dtype($0, $2), to.dtype($1, $2))");
    "aten.addmm.dtype" "(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor" Formula("addmm(to.dtype($0, $3), to.dtype($1, $3), to.dtype($2, $3), beta=$4, alpha=$5)");
    "aten.baddbmm.dtype" "(Tensor self, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor" Formula("baddbmm(to.dtype($0, $3), to.dtype($1, $3), to.dtype($2, $3), beta=$4, alpha=$5)");
    "aten.conv_tbc.default" "(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor" Formula("permute(conv1d(permute($0, [1, 2, 0]), permute($1, [2, 1, 0]), $2, [1], [$3]), [2, 0, 1])");
    // Sums and statistics.
    "aten.linalg__powsum.default" "(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" Formula("sum.dim_IntList(pow.Tensor_Scalar(abs(_to_copy($0, dtype=$4)), $1), $2, $3)");
    "aten.cov.default" "(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor" Rule(statistics::cov);
    "aten.corrcoef.default" "(Tensor self) -> Tensor" Rule(statistics::corrcoef);
    "aten.vander.default" "(Tensor x, int? N=None, bool increasing=False) -> Tensor" Rule(statistics::vander);
    // Moved elements.
    "aten.unique_dim_consecutive.default" "(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)" Formula("unique_consecutive($0, $2, $3, $1)");
    "aten.pad_sequence.default" "(Tensor[] sequences, bool batch_first=False, float padding_value=0., str padding_side=\"right\") -> Tensor" Rule(rearrange::pad_sequence);
    "aten.narrow.Tensor" "(Tensor self, int dim, Tensor start, SymInt length) -> Tensor" Rule(rearrange::narrow);
    // Losses.
    "torch_nn._linear_cross_entropy_batch_chunked.default" "(Tensor input, Tensor linear_weight, Tensor target, Tensor? linear_bias, Tensor? weight, str reduction, SymInt ignore_index, float label_smoothing, SymInt batch_chunk_size, str acc_policy, ScalarType acc_dtype, bool allow_retain_graph, bool compute_input_grad, bool compute_linear_weight_grad, bool compute_linear_bias_grad) -> (Tensor, Tensor, Tensor, Tensor)" Rule(loss::linear_cross_entropy);
    "torch_nn._linear_cross_entropy_batch_chunked_no_reduction.default" "(Tensor input, Tensor linear_weight, Tensor target, Tensor? linear_bias, Tensor? weight, SymInt ignore_index, SymInt batch_chunk_size, str acc_policy, ScalarType acc_dtype) -> Tensor" Rule(loss::linear_cross_entropy_of_rows);
    "aten.ctc_loss.IntList" "(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor" Rule(ctc::reduced);
    "aten.ctc_loss.Tensor" "(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor" Rule(ctc::reduced);
    "aten._ctc_loss.default" "(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)" Rule(ctc::of_lists);
    "aten._ctc_loss_backward.default" "(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor" Rule(ctc::backward);
    "aten._ctc_loss_backward.Tensor" "(Tensor grad, Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor" Rule(ctc::backward);
    "litz.recurrent_layer.default" "(Tensor input, Tensor[] states, Tensor[] weights, Tensor[] biases, str cell, bool reverse) -> Tensor[]" Rule(recurrence::layer);
    "litz.ctc_loss_of_line.default" "(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank, bool zero_infinity) -> (Tensor, Tensor)" Rule(ctc::of_line);
    "litz.ctc_loss.default" "(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank) -> (Tensor, Tensor)" Rule(ctc::loss);
    // Quantisation while training.
    "aten.fake_quantize_per_tensor_affine_cachemask.default" "(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> (Tensor, Tensor)" Rule(quantized::cachemask);
    "aten.fake_quantize_per_channel_affine_cachemask.default" "(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> (Tensor, Tensor)" Rule(quantized::channel_cachemask);
    "aten.fake_quantize_per_tensor_affine.tensor_qparams" "(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor" Rule(quantized::of_tensors);
    "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default" "(Tensor self, Tensor scale, Tensor zero_point, Tensor fake_quant_enabled, int quant_min, int quant_max) -> (Tensor, Tensor)" Rule(quantized::cachemask_of_tensors);
    "aten.fake_quantize_per_tensor_affine_cachemask_backward.default" "(Tensor grad, Tensor mask) -> Tensor" Formula("mul($0, $1)");
    "aten.fake_quantize_per_channel_affine_cachemask_backward.default" "(Tensor grad, Tensor mask) -> Tensor" Formula("mul($0, $1)");
    "aten._fused_moving_avg_obs_fq_helper.default" "(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor, Tensor)" Rule(quantized::observed);
    "aten.fused_moving_avg_obs_fake_quant.default" "(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> Tensor" Rule(quantized::observed_alone);
    "aten._fused_moving_avg_obs_fq_helper_functional.default" "(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor running_min, Tensor running_max, Tensor scale, Tensor zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)" Rule(quantized::observed_functional);
    "aten._scaled_grouped_mm.default" "(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? offs=None, Tensor? bias=None, Tensor? scale_result=None, ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor" Rule(quantized::scaled_grouped_mm);
    "aten._scaled_grouped_mm_v2.default" "(Tensor self, Tensor mat2, Tensor[] scale_a, int[] recipe_a, int[] swizzle_a, Tensor[] scale_b, int[] recipe_b, int[] swizzle_b, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None, int[] contraction_dim=[], bool use_fast_accum=False) -> Tensor" Rule(quantized::scaled_grouped_mm_v2);
    // Steps of optimizers, each for all parameters of a list.
    "aten._fused_adam.default" (adam!("float", "(Tensor[], Tensor[], Tensor[], Tensor[], Tensor[])")) Rule(optimizers::adam);
    "aten._fused_adam.tensor_lr" (adam!("Tensor", "(Tensor[], Tensor[], Tensor[], Tensor[], Tensor[])")) Rule(optimizers::adam);
    "aten._fused_adam_.default" (adam!("float", "()")) Rule(optimizers::adam);
    "aten._fused_adam_.tensor_lr" (adam!("Tensor", "()")) Rule(optimizers::adam);
    "aten._fused_adamw.default" (adam!("float", "(Tensor[], Tensor[], Tensor[], Tensor[], Tensor[])")) Rule(optimizers::adam);
    "aten._fused_adamw.tensor_lr" (adam!("Tensor", "(Tensor[], Tensor[], Tensor[], Tensor[], Tensor[])")) Rule(optimizers::adam);
    "aten._fused_adamw_.default" (adam!("float", "()")) Rule(optimizers::adam);
    "aten._fused_adamw_.tensor_lr" (adam!("Tensor", "()")) Rule(optimizers::adam);
    "aten._fused_sgd.default" (sgd!("float", "(Tensor[], Tensor[], Tensor[])")) Rule(optimizers::sgd);
    "aten._fused_sgd.tensor_lr" (sgd!("Tensor", "(Tensor[], Tensor[], Tensor[])")) Rule(optimizers::sgd);
    "aten._fused_sgd_.default" (sgd!("float", "()")) Rule(optimizers::sgd);
    "aten._fused_sgd_.tensor_lr" (sgd!("Tensor", "()")) Rule(optimizers::sgd);
    "aten._fused_adagrad.default" "(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[], Tensor[], Tensor[], Tensor[])" Rule(optimizers::adagrad);
    "aten._fused_adagrad.tensor_lr" "(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, Tensor lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[], Tensor[], Tensor[])" Rule(optimizers::adagrad);
    "aten._fused_adagrad_.default" "(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()" Rule(optimizers::adagrad);
    "aten._fused_adagrad_.tensor_lr" "(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, Tensor lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()" Rule(optimizers::adagrad);
    // Gradients.
    "aten._cdist_backward.default" "(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor" Rule(backward::cdist);
    "aten._pdist_backward.default" "(Tensor grad, Tensor self, float p, Tensor pdist) -> Tensor" Rule(backward::pdist);
    "aten._new_zeros_with_same_feature_meta.default" "(Tensor self, Tensor other, *, int self_num_batch_dims=0) -> Tensor" Rule(backward::zero_tangent);
    "aten.cumprod_backward.default" "(Tensor grad, Tensor input, int dim, Tensor output) -> Tensor" Rule(products::cumprod_backward);
    "aten.masked_scatter_backward.default" "(Tensor grad_output, Tensor mask, SymInt[] sizes) -> Tensor" Rule(backward::masked_scatter);
    "aten.rrelu_with_noise_backward.default" "(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training, bool self_is_result) -> Tensor" Rule(backward::rrelu);
    "aten.multi_margin_loss_backward.default" "(Tensor grad_output, Tensor self, Tensor target, Scalar p, Scalar margin, Tensor? weight=None, int reduction=1) -> Tensor" Rule(backward::multi_margin);
    "aten.multilabel_margin_loss_forward.default" "(Tensor self, Tensor target, int reduction) -> (Tensor, Tensor)" Rule(backward::multilabel_margin_forward);
    "aten.multilabel_margin_loss_backward.default" "(Tensor grad_output, Tensor self, Tensor target, int reduction, Tensor is_target) -> Tensor" Rule(backward::multilabel_margin);
    "aten._embedding_bag_backward.default" "(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, SymInt num_weights, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor" Rule(backward::embedding_bag);
    "aten._embedding_bag_per_sample_weights_backward.default" "(Tensor grad, Tensor weight, Tensor indices, Tensor offsets, Tensor offset2bag, int mode, int padding_idx=-1) -> Tensor" Rule(backward::embedding_bag_weights);
    // Random numbers that are drawn until they are accepted.
    "aten.poisson.default" "(Tensor self, Generator? generator=None) -> Tensor" Rule(sampling::poisson);
    "aten.binomial.default" "(Tensor count, Tensor prob, Generator? generator=None) -> Tensor" Rule(sampling::binomial);
    "aten._standard_gamma.default" "(Tensor self, Generator? generator=None) -> Tensor" Rule(sampling::gamma);
    "aten._standard_gamma_grad.default" "(Tensor self, Tensor output) -> Tensor" Rule(sampling::gamma_slope);
    "aten._dirichlet_grad.default" "(Tensor x, Tensor alpha, Tensor total) -> Tensor" Rule(sampling::dirichlet_slope);
    "aten._sample_dirichlet.default" "(Tensor self, Generator? generator=None) -> Tensor" Rule(sampling::dirichlet);
    // Layers of vendors' libraries.
    "aten._cudnn_rnn.default" "(Tensor input, Tensor[] weight, int weight_stride0, Tensor? weight_buf, Tensor hx, Tensor? cx, int mode, SymInt hidden_size, SymInt proj_size, int num_layers, bool batch_first, float dropout, bool train, bool bidirectional, SymInt[] batch_sizes, Tensor? dropout_state) -> (Tensor, Tensor, Tensor, Tensor, Tensor)" Rule(recurrence::cudnn);
    // Images.
    "aten._upsample_lanczos2d_aa.default" "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor" Rule(lanczos::upsample);
    "aten._upsample_lanczos2d_aa.vec" "(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor" Rule(lanczos::upsample);
    "aten._upsample_lanczos2d_aa_backward.default" "(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor" Rule(lanczos::upsample_backward);
    // torchvision's.
    "torchvision.roi_pool.default" "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)" Rule(regions::pool);
    "torchvision._roi_pool_backward.default" "(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor" Rule(regions::pool_backward);
    "torchvision._roi_align_backward.default" "(Tensor grad, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width, int sampling_ratio, bool aligned) -> Tensor" Rule(regions::align_backward);
    "torchvision.ps_roi_align.default" "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio) -> (Tensor, Tensor)" Rule(region_maps::align);
    "torchvision._ps_roi_align_backward.default" "(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor" Rule(region_maps::align_backward);
    "torchvision.ps_roi_pool.default" "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)" Rule(region_maps::pool);
    "torchvision._ps_roi_pool_backward.default" "(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor" Rule(region_maps::pool_backward);
    "litz.roi_align.default" "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, bool aligned) -> Tensor" Rule(regions::align);
    // `prims`.
    "prims.as_strided.default" "(Tensor a, SymInt[] size, SymInt[] stride, SymInt storage_offset) -> Tensor" Formula("as_strided($0, $1, $2, $3)");
    "prims.as_strided_scatter.default" "(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt storage_offset) -> Tensor" Formula("as_strided_scatter($0, $1, $2, $3, $4)");
    "prims.bessel_i0.default" "(Tensor self) -> Tensor" Formula("special_i0($0)");
    "prims.bessel_i0e.default" "(Tensor self) -> Tensor" Formula("special_i0e($0)");
    "prims.bessel_i1.default" "(Tensor self) -> Tensor" Formula("special_i1($0)");
    "prims.bessel_i1e.default" "(Tensor self) -> Tensor" Formula("special_i1e($0)");
    "prims.bessel_j0.default" "(Tensor self) -> Tensor" Formula("special_bessel_j0($0)");
    "prims.bessel_j1.default" "(Tensor self) -> Tensor" Formula("special_bessel_j1($0)");
    "prims.cat.default" "(Tensor[] tensors, int dim) -> Tensor" Formula("cat($0, $1)");
    "prims.collapse.default" "(Tensor a, int start, int end) -> Tensor" Formula("flatten.using_ints($0, $1, $2)");
    "prims.collapse_view.default" "(Tensor a, int start, int end) -> Tensor" Formula("flatten.using_ints($0, $1, $2)");
    "prims.conj.default" "(Tensor a) -> Tensor" Formula("conj($0)");
    "prims.conj_physical.default" "(Tensor self) -> Tensor" Formula("conj_physical($0)");
    "prims.copy_to.default" "(Tensor a, Tensor b) -> Tensor" Formula("copy_($0, $1)");
    "prims.device_put.default" "(Tensor a, Device device, bool non_blocking=False) -> Tensor" Formula("clone($0)");
    "prims.empty.default" "(SymInt[] shape, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor" Formula("empty.memory_format($0, dtype=$1)");
    "prims.empty_permuted.default" "(SymInt[] shape, int[] physical_layout, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor" Formula("empty_permuted($0, $1, dtype=$2)");
    "prims.empty_strided.default" "(SymInt[] shape, SymInt[] strides, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor" Formula("empty_strided($0, $1, dtype=$2)");
    "prims.erf_inv.default" "(Tensor self) -> Tensor" Formula("special_erfinv($0)");
    "prims.erfcx.default" "(Tensor self) -> Tensor" Formula("special_erfcx($0)");
    "prims.fft_c2c.default" "(Tensor self, *, int[] dim, bool forward) -> Tensor" Formula("_fft_c2c($0, $1, 0, $2)");
    "prims.fft_c2r.default" "(Tensor self, *, int[] dim, SymInt last_dim_size) -> Tensor" Formula("_fft_c2r($0, $1, 0, $2)");
    "prims.fft_r2c.default" "(Tensor self, *, int[] dim, bool onesided) -> Tensor" Formula("_fft_r2c($0, $1, 0, $2)");
    "prims.fill.default" "(Tensor self, Scalar value) -> Tensor" Formula("fill.Scalar($0, $1)");
    "prims.frexp.default" "(Tensor self) -> (Tensor, Tensor)" Formula("frexp.Tensor($0)");
    "prims.full.default" "(SymInt[] shape, Scalar fill_value, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor" Formula("full($0, $1, dtype=$2)");
    "prims.full_like.default" "(Tensor a, Scalar fill_value, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor" Formula("full_like($0, $1, dtype=$2)");
    "prims.imag.default" "(Tensor self) -> Tensor" Formula("imag($0)");
    "prims.ndtri.default" "(Tensor self) -> Tensor" Formula("special_ndtri($0)");
    "prims.normal.default" "(SymInt[] shape, *, Scalar mean, Scalar std, ScalarType dtype, Device device, bool requires_grad, Generator? generator=None) -> Tensor" Formula("add.Scalar(mul.Scalar(randn($0, dtype=$3), $2), $1)");
    "prims.pow.default" "(Tensor self, Tensor other) -> Tensor" Formula("pow.Tensor_Tensor($0, $1)");
    "prims.real.default" "(Tensor self) -> Tensor" Formula("real($0)");
    "prims.reshape.default" "(Tensor a, SymInt[] shape) -> Tensor" Formula("reshape($0, $1)");
    "prims.resize.default" "(Tensor a, SymInt[] shape) -> Tensor" Formula("resize_($0, $1)");
    "prims.rev.default" "(Tensor a, int[] dims) -> Tensor" Formula("flip($0, $1)");
    "prims.scalar_tensor.default" "(Scalar s, *, ScalarType? dtype=None, Device? device=None) -> Tensor" Formula("scalar_tensor($0, dtype=$1)");
    "prims.shift_left.default" "(Tensor self, Tensor other) -> Tensor" Formula("bitwise_left_shift($0, $1)");
    "prims.shift_right_arithmetic.default" "(Tensor self, Tensor other) -> Tensor" Formula("bitwise_right_shift($0, $1)");
    "prims.spherical_bessel_j0.default" "(Tensor self) -> Tensor" Formula("special_spherical_bessel_j0($0)");
    "prims.split_dim.default" "(Tensor a, int dim, SymInt outer_length) -> Tensor" Formula("unflatten.int($0, $1, [$2, -1])");
    "prims.squeeze.default" "(Tensor a, int[] dimensions) -> Tensor" Formula("squeeze.dims($0, $1)");
    "prims.svd.default" "(Tensor A, *, bool full_matrices) -> (Tensor, Tensor, Tensor)" Formula("linalg_svd($0, $1)");
    "prims.transpose.default" "(Tensor a, int[] permutation) -> Tensor" Formula("permute($0, $1)");
    "prims.uniform.default" "(SymInt[] shape, *, Scalar low, Scalar high, ScalarType dtype, Device device, SymInt[] stride, Generator? generator=None) -> Tensor" Formula("uniform(empty_strided($0, $5, dtype=$3), $1, $2)");
    "prims.view_of.default" "(Tensor a) -> Tensor" Formula("alias($0)");
    "prims.view_of_dtype.default" "(Tensor a, ScalarType dtype) -> Tensor" Formula("view.dtype($0, $1)");
    "prims.where.default" "(Tensor pred, Tensor a, Tensor b) -> Tensor" Formula("where.self($0, $1, $2)");
    "prims.zeta.default" "(Tensor self, Tensor other) -> Tensor" Formula("special_zeta($0, $1)");
}
