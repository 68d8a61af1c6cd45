//! Pointwise operators: arithmetic, comparisons, activations, casts.

macro_rules! pointwise_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::reduction_rows! { $callback [
            $($rows)*
            AddTensor "aten.add.Tensor" "(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor" Pointwise [inplace] meta(binary) lower(add);
            Relu "aten.relu.default" "(Tensor self) -> Tensor" Pointwise [inplace] meta(unary) lower(relu);
        ] }
    };
}
pub(crate) use pointwise_rows;
