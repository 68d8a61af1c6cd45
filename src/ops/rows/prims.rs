//! Operators of PyTorch's `prims` that exporters leave in graphs and that have no equal among the others; those that have
//! one are other names of it (see `ops`).

macro_rules! prims_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::quantized_rows! { $callback [
            $($rows)*
            PrimsIota "prims.iota.default" "(SymInt length, *, SymInt start, SymInt step, ScalarType dtype, Device device, bool requires_grad) -> Tensor" Composite [] meta(iota) decompose(iota);
            PrimsDiv "prims.div.default" "(Tensor self, Tensor other) -> Tensor" Composite [numbers no_wide_unsigned] meta(prims_binary) decompose(prims_div);
            PrimsBroadcastInDim "prims.broadcast_in_dim.default" "(Tensor a, SymInt[] shape, int[] broadcast_dimensions) -> Tensor" Composite [] meta(broadcast_in_dim) decompose(broadcast_in_dim);
            PrimsSum "prims.sum.default" "(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor" Composite [] meta(prims_reduction) decompose(prims_reduction);
            PrimsProd "prims.prod.default" "(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor" Composite [] meta(prims_reduction) decompose(prims_prod);
            PrimsAmax "prims.amax.default" "(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor" Composite [no_wide_unsigned] meta(prims_reduction) decompose(prims_reduction);
            PrimsAmin "prims.amin.default" "(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor" Composite [no_wide_unsigned] meta(prims_reduction) decompose(prims_reduction);
            PrimsVar "prims.var.default" "(Tensor inp, int[]? dims, float? correction=1, *, ScalarType? output_dtype=None) -> Tensor" Composite [floats] meta(prims_reduction) decompose(prims_var);
        ] }
    };
}
pub(crate) use prims_rows;
