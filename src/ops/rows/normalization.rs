//! Normalisations, softmax, dropout: reductions whose results go back over what they were made from.

macro_rules! normalization_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::pooling_rows! { $callback [
            $($rows)*
            LayerNorm "aten.layer_norm.default" "(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-5, bool cudnn_enable=True) -> Tensor" Composite [] meta(layer_norm) lower(layer_norm) grad(layer_norm);
            NativeLayerNorm "aten.native_layer_norm.default" "(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)" Composite [] meta(native_layer_norm) lower(native_layer_norm) grad(layer_norm);
            RmsNorm "aten.rms_norm.default" "(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor" Composite [] meta(layer_norm) lower(rms_norm) grad(rms_norm);
            FusedRmsNorm "aten._fused_rms_norm.default" "(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)" Composite [] meta(fused_rms_norm) lower(fused_rms_norm) grad(rms_norm);
            GroupNorm "aten.group_norm.default" "(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-5, bool cudnn_enabled=True) -> Tensor" Composite [] meta(normalized) lower(group_norm) grad(group_norm);
            NativeGroupNorm "aten.native_group_norm.default" "(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)" Composite [] meta(native_group_norm) lower(native_group_norm) grad(group_norm);
            InstanceNorm "aten.instance_norm.default" "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor" Composite [] meta(normalized) lower(instance_norm) grad(instance_norm);
            BatchNorm "aten.batch_norm.default" "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor" Composite [] meta(normalized) lower(batch_norm) grad(batch_norm);
            NativeBatchNorm "aten.native_batch_norm.default" "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)" Composite [] meta(native_batch_norm) lower(native_batch_norm) grad(batch_norm);
            NativeBatchNormLegit "aten._native_batch_norm_legit.default" "(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)" Composite [] meta(native_batch_norm) lower(native_batch_norm) grad(batch_norm);
            NativeBatchNormLegitNoStats "aten._native_batch_norm_legit.no_stats" "(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)" Composite [] meta(native_batch_norm) lower(native_batch_norm_no_stats) grad(batch_norm);
            NativeBatchNormLegitFunctional "aten._native_batch_norm_legit_functional.default" "(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)" Composite [] meta(native_batch_norm_functional) lower(native_batch_norm_functional) grad(batch_norm);
            NativeBatchNormLegitNoTraining "aten._native_batch_norm_legit_no_training.default" "(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)" Composite [] meta(native_batch_norm_no_training) lower(native_batch_norm_no_training) grad(batch_norm);
            BatchNormWithUpdate "aten._batch_norm_with_update.default" "(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)" Composite [] meta(batch_norm_with_update) lower(batch_norm_with_update) grad(batch_norm);
            BatchNormWithUpdateFunctional "aten._batch_norm_with_update_functional.default" "(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)" Composite [] meta(batch_norm_with_update_functional) lower(batch_norm_with_update_functional) grad(batch_norm);
            SoftmaxInt "aten.softmax.int" "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" Composite [] meta(softmax) lower(softmax) grad(softmax);
            SpecialSoftmax "aten.special_softmax.default" "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" Composite [] meta(softmax) lower(softmax) grad(softmax);
            LogSoftmaxInt "aten.log_softmax.int" "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" Composite [] meta(softmax) lower(log_softmax) grad(log_softmax);
            SpecialLogSoftmax "aten.special_log_softmax.default" "(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor" Composite [] meta(softmax) lower(log_softmax) grad(log_softmax);
            SafeSoftmax "aten._safe_softmax.default" "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" Composite [] meta(softmax) lower(safe_softmax) grad(softmax);
            UnderscoreSoftmax "aten._softmax.default" "(Tensor self, int dim, bool half_to_float) -> Tensor" Composite [] meta(core_softmax) lower(softmax) grad(softmax);
            UnderscoreLogSoftmax "aten._log_softmax.default" "(Tensor self, int dim, bool half_to_float) -> Tensor" Composite [] meta(core_softmax) lower(log_softmax) grad(log_softmax);
            Dropout "aten.dropout.default" "(Tensor input, float p, bool train) -> Tensor" Composite [inplace] meta(dropout) lower(dropout) grad(dropout);
            FeatureDropout "aten.feature_dropout.default" "(Tensor input, float p, bool train) -> Tensor" Composite [inplace] meta(dropout) lower(dropout) grad(dropout);
            AlphaDropout "aten.alpha_dropout.default" "(Tensor input, float p, bool train) -> Tensor" Composite [inplace] meta(dropout) lower(dropout) grad(dropout);
            FeatureAlphaDropout "aten.feature_alpha_dropout.default" "(Tensor input, float p, bool train) -> Tensor" Composite [inplace] meta(dropout) lower(dropout) grad(dropout);
            NativeDropout "aten.native_dropout.default" "(Tensor input, float p, bool? train) -> (Tensor, Tensor)" Composite [] meta(native_dropout) lower(native_dropout) grad(native_dropout);
            SoftmaxBackwardData "aten._softmax_backward_data.default" "(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor" Composite [floats] meta(softmax_backward) decompose(softmax_backward);
            WeightNorm "aten._weight_norm.default" "(Tensor v, Tensor g, int dim=0) -> Tensor" Composite [] meta(weight_norm) decompose(weight_norm);
            WeightNormInterface "aten._weight_norm_interface.default" "(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)" Composite [] meta(weight_norm) decompose(weight_norm);
            NormExceptDim "aten.norm_except_dim.default" "(Tensor v, int pow=2, int dim=0) -> Tensor" Composite [] meta(norm_except_dim) decompose(norm_except_dim);
        ] }
    };
}
pub(crate) use normalization_rows;
