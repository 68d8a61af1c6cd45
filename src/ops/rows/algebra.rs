//! Linear algebra that is made of matrix products and pointwise operators.

macro_rules! algebra_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::linalg_rows! { $callback [
            $($rows)*
            Outer "aten.outer.default" "(Tensor self, Tensor vec2) -> Tensor" Composite [] meta(outer) decompose(outer);
            Ger "aten.ger.default" "(Tensor self, Tensor vec2) -> Tensor" Composite [] meta(outer) decompose(outer);
            Kron "aten.kron.default" "(Tensor self, Tensor other) -> Tensor" Composite [] meta(kron) decompose(kron);
            Tensordot "aten.tensordot.default" "(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor" Composite [no_wide_unsigned] meta(tensordot) decompose(tensordot);
            Inner "aten.inner.default" "(Tensor self, Tensor other) -> Tensor" Composite [no_wide_unsigned] meta(inner) decompose(inner);
            Cross "aten.cross.default" "(Tensor self, Tensor other, int? dim=None) -> Tensor" Composite [numbers no_wide_unsigned] meta(cross) decompose(cross);
            LinalgCross "aten.linalg_cross.default" "(Tensor self, Tensor other, *, int dim=-1) -> Tensor" Composite [numbers no_wide_unsigned] meta(cross) decompose(cross);
            Trace "aten.trace.default" "(Tensor self) -> Tensor" Composite [no_wide_unsigned] meta(trace) decompose(trace);
            LinalgVecdot "aten.linalg_vecdot.default" "(Tensor x, Tensor y, *, int dim=-1) -> Tensor" Composite [] meta(vecdot) decompose(vecdot);
            Addbmm "aten.addbmm.default" "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor" Composite [inplace] meta(addbmm) decompose(addbmm);
            Addmv "aten.addmv.default" "(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor" Contraction [inplace no_wide_unsigned] meta(addmv) lower(addmv) grad(add_product);
            Addr "aten.addr.default" "(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor" Contraction [inplace no_wide_unsigned] meta(addr) lower(addr) grad(addr);
            AddmmActivation "aten._addmm_activation.default" "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool use_gelu=False) -> Tensor" Composite [no_wide_unsigned] meta(addmm) decompose(addmm_activation);
            Bilinear "aten.bilinear.default" "(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor" Composite [] meta(bilinear) decompose(bilinear);
            Trilinear "aten._trilinear.default" "(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor" Composite [] meta(trilinear) decompose(trilinear);
            LinalgMultiDot "aten.linalg_multi_dot.default" "(Tensor[] tensors) -> Tensor" Composite [no_wide_unsigned] meta(multi_dot) decompose(multi_dot);
            ChainMatmul "aten.chain_matmul.default" "(Tensor[] matrices) -> Tensor" Composite [no_wide_unsigned] meta(multi_dot) decompose(multi_dot);
            MatrixPower "aten.matrix_power.default" "(Tensor self, int n) -> Tensor" Composite [no_wide_unsigned] meta(matrix_power) decompose(matrix_power) grad(matrix_power);
            LinalgMatrixPower "aten.linalg_matrix_power.default" "(Tensor self, int n) -> Tensor" Composite [no_wide_unsigned] meta(matrix_power) decompose(matrix_power) grad(matrix_power);
            Einsum "aten.einsum.default" "(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor" Composite [] meta(einsum) decompose(einsum);
            LinalgVander "aten.linalg_vander.default" "(Tensor x, *, SymInt? N=None) -> Tensor" Composite [] meta(vander) decompose(vander);
        ] }
    };
}
pub(crate) use algebra_rows;
