//! Windows over spatial dimensions: pooling.

macro_rules! pooling_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::resampling_rows! { $callback [
            $($rows)*
            MaxPool1d "aten.max_pool1d.default" "(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> Tensor" Contraction [floats] meta(max_pool) lower(max_pool) grad(max_pool);
            MaxPool2d "aten.max_pool2d.default" "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor" Contraction [numbers no_wide_unsigned] meta(max_pool) lower(max_pool) grad(max_pool);
            MaxPool3d "aten.max_pool3d.default" "(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor" Contraction [numbers] meta(max_pool) lower(max_pool) grad(max_pool);
            MaxPool1dWithIndices "aten.max_pool1d_with_indices.default" "(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)" Contraction [numbers no_wide_unsigned] meta(max_pool_with_indices) lower(max_pool_with_indices) grad(max_pool);
            MaxPool2dWithIndices "aten.max_pool2d_with_indices.default" "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)" Contraction [numbers no_wide_unsigned] meta(max_pool_with_indices) lower(max_pool_with_indices) grad(max_pool);
            MaxPool3dWithIndices "aten.max_pool3d_with_indices.default" "(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)" Contraction [numbers] meta(max_pool_with_indices) lower(max_pool_with_indices) grad(max_pool);
            AvgPool1d "aten.avg_pool1d.default" "(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor" Contraction [floats_and_int64] meta(avg_pool) lower(avg_pool) grad(avg_pool);
            AvgPool2d "aten.avg_pool2d.default" "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor" Contraction [floats_and_int64] meta(avg_pool) lower(avg_pool) grad(avg_pool);
            AvgPool3d "aten.avg_pool3d.default" "(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor" Contraction [floats_and_int64] meta(avg_pool) lower(avg_pool) grad(avg_pool);
            AdaptiveAvgPool1d "aten.adaptive_avg_pool1d.default" "(Tensor self, int[1] output_size) -> Tensor" Contraction [] meta(adaptive_avg_pool) lower(adaptive_avg_pool) grad(adaptive_avg_pool);
            AdaptiveAvgPool2d "aten.adaptive_avg_pool2d.default" "(Tensor self, SymInt[2] output_size) -> Tensor" Contraction [] meta(adaptive_avg_pool) lower(adaptive_avg_pool) grad(adaptive_avg_pool);
            AdaptiveAvgPool3d "aten.adaptive_avg_pool3d.default" "(Tensor self, SymInt[3] output_size) -> Tensor" Contraction [] meta(adaptive_avg_pool) lower(adaptive_avg_pool) grad(adaptive_avg_pool);
            UnderscoreAdaptiveAvgPool2d "aten._adaptive_avg_pool2d.default" "(Tensor self, SymInt[2] output_size) -> Tensor" Contraction [] meta(adaptive_avg_pool) lower(adaptive_avg_pool) grad(adaptive_avg_pool);
            UnderscoreAdaptiveAvgPool3d "aten._adaptive_avg_pool3d.default" "(Tensor self, SymInt[3] output_size) -> Tensor" Contraction [] meta(adaptive_avg_pool) lower(adaptive_avg_pool) grad(adaptive_avg_pool);
            AdaptiveMaxPool1d "aten.adaptive_max_pool1d.default" "(Tensor self, int[1] output_size) -> (Tensor, Tensor)" Contraction [floats] meta(adaptive_max_pool) lower(adaptive_max_pool) grad(adaptive_max_pool);
            AdaptiveMaxPool2d "aten.adaptive_max_pool2d.default" "(Tensor self, int[2] output_size) -> (Tensor, Tensor)" Contraction [floats] meta(adaptive_max_pool) lower(adaptive_max_pool) grad(adaptive_max_pool);
            AdaptiveMaxPool3d "aten.adaptive_max_pool3d.default" "(Tensor self, int[3] output_size) -> (Tensor, Tensor)" Contraction [floats] meta(adaptive_max_pool) lower(adaptive_max_pool) grad(adaptive_max_pool);
            FractionalMaxPool2d "aten.fractional_max_pool2d.default" "(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)" Composite [floats] meta(fractional_max_pool) decompose(fractional_max_pool);
            FractionalMaxPool3d "aten.fractional_max_pool3d.default" "(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)" Composite [floats] meta(fractional_max_pool) decompose(fractional_max_pool);
            MaxUnpool2d "aten.max_unpool2d.default" "(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor" Composite [floats] meta(max_unpool) decompose(max_unpool);
            MaxUnpool3d "aten.max_unpool3d.default" "(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor" Composite [floats] meta(max_unpool) decompose(max_unpool);
        ] }
    };
}
pub(crate) use pooling_rows;
