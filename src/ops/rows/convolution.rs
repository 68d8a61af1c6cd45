//! Convolutions and transposed convolutions.

macro_rules! convolution_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::normalization_rows! { $callback [
            $($rows)*
            Conv1d "aten.conv1d.default" "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor" Contraction [no_wide_unsigned] meta(conv) lower(conv) grad(convolution);
            Conv1dPadding "aten.conv1d.padding" "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str padding='valid', SymInt[1] dilation=[1], SymInt groups=1) -> Tensor" Contraction [no_wide_unsigned] meta(conv) lower(conv) grad(convolution);
            Conv2d "aten.conv2d.default" "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor" Contraction [no_wide_unsigned] meta(conv) lower(conv) grad(convolution);
            Conv2dPadding "aten.conv2d.padding" "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str padding='valid', SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor" Contraction [no_wide_unsigned] meta(conv) lower(conv) grad(convolution);
            Conv3d "aten.conv3d.default" "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor" Contraction [] meta(conv) lower(conv) grad(convolution);
            Conv3dPadding "aten.conv3d.padding" "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], str padding='valid', SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor" Contraction [no_wide_unsigned] meta(conv) lower(conv) grad(convolution);
            Convolution "aten.convolution.default" "(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor" Contraction [] meta(convolution) lower(convolution) grad(convolution);
            UnderscoreConvolution "aten._convolution.default" "(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor" Contraction [] meta(convolution) lower(convolution) grad(convolution);
            ConvTranspose1d "aten.conv_transpose1d.default" "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor" Contraction [] meta(conv_transpose) lower(conv_transpose) grad(convolution);
            ConvTranspose2d "aten.conv_transpose2d.input" "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt groups=1, SymInt[2] dilation=[1, 1]) -> Tensor" Contraction [] meta(conv_transpose) lower(conv_transpose) grad(convolution);
            ConvTranspose3d "aten.conv_transpose3d.input" "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] dilation=[1, 1, 1]) -> Tensor" Contraction [] meta(conv_transpose) lower(conv_transpose) grad(convolution);
        ] }
    };
}
pub(crate) use convolution_rows;
