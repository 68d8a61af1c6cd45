//! Views: results that share an input's storage, and what rearranges without computing.

macro_rules! view_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::rearrange_rows! { $callback [
            $($rows)*
            Alias "aten.alias.default" "(Tensor self) -> Tensor" View [] meta(alias) lower(alias) grad(identity);
            Keep "litz.keep.default" "(Tensor self) -> Tensor" View [] meta(alias) lower(alias) grad(identity);
            Recompute "litz.recompute.default" "(Tensor self) -> Tensor" View [] meta(alias) lower(alias) grad(identity);
            Detach "aten.detach.default" "(Tensor self) -> Tensor" View [inplace] meta(alias) lower(alias) grad(nothing);
            ResolveConj "aten.resolve_conj.default" "(Tensor self) -> Tensor" View [] meta(alias) lower(alias) grad(identity);
            ResolveNeg "aten.resolve_neg.default" "(Tensor self) -> Tensor" View [] meta(alias) lower(alias) grad(identity);
            View "aten.view.default" "(Tensor self, SymInt[] size) -> Tensor" View [] meta(view) lower(reshape) grad(reshape);
            UnsafeView "aten._unsafe_view.default" "(Tensor self, SymInt[] size) -> Tensor" View [] meta(view) lower(reshape) grad(reshape);
            ViewDtype "aten.view.dtype" "(Tensor self, ScalarType dtype) -> Tensor" View [] meta(view_dtype) lower(view_dtype);
            ViewAs "aten.view_as.default" "(Tensor self, Tensor other) -> Tensor" View [] meta(view_as) lower(reshape) grad(reshape);
            Reshape "aten.reshape.default" "(Tensor self, SymInt[] shape) -> Tensor" View [] meta(view) lower(reshape) grad(reshape);
            ReshapeAs "aten.reshape_as.default" "(Tensor self, Tensor other) -> Tensor" View [] meta(view_as) lower(reshape) grad(reshape);
            FlattenUsingInts "aten.flatten.using_ints" "(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor" View [] meta(flatten) lower(reshape) grad(reshape);
            UnflattenInt "aten.unflatten.int" "(Tensor self, int dim, SymInt[] sizes) -> Tensor" View [] meta(unflatten) lower(reshape) grad(reshape);
            Ravel "aten.ravel.default" "(Tensor self) -> Tensor" View [] meta(ravel) lower(reshape) grad(reshape);
            Permute "aten.permute.default" "(Tensor self, int[] dims) -> Tensor" View [] meta(permute) lower(permute) grad(permute);
            TransposeInt "aten.transpose.int" "(Tensor self, int dim0, int dim1) -> Tensor" View [] meta(permute) lower(permute) grad(transpose);
            SwapaxesDefault "aten.swapaxes.default" "(Tensor self, int axis0, int axis1) -> Tensor" View [] meta(permute) lower(permute) grad(transpose);
            SwapdimsDefault "aten.swapdims.default" "(Tensor self, int dim0, int dim1) -> Tensor" View [] meta(permute) lower(permute) grad(transpose);
            T "aten.t.default" "(Tensor self) -> Tensor" View [] meta(permute) lower(permute) grad(transpose);
            MovedimInt "aten.movedim.int" "(Tensor self, int source, int destination) -> Tensor" View [] meta(permute) lower(permute) grad(movedim);
            MovedimIntlist "aten.movedim.intlist" "(Tensor self, int[] source, int[] destination) -> Tensor" View [] meta(permute) lower(permute) grad(movedim);
            MoveaxisInt "aten.moveaxis.int" "(Tensor self, int source, int destination) -> Tensor" View [] meta(permute) lower(permute) grad(movedim);
            MoveaxisIntlist "aten.moveaxis.intlist" "(Tensor self, int[] source, int[] destination) -> Tensor" View [] meta(permute) lower(permute) grad(movedim);
            MT "aten.mT.default" "(Tensor self) -> Tensor" View [] meta(permute) lower(permute) grad(transpose);
            MH "aten.mH.default" "(Tensor self) -> Tensor" View [] meta(permute) lower(permute) grad(transpose);
            Adjoint "aten.adjoint.default" "(Tensor self) -> Tensor" View [] meta(permute) lower(permute) grad(transpose);
            NumpyT "aten.numpy_T.default" "(Tensor self) -> Tensor" View [] meta(permute) lower(permute) grad(transpose);
            MatrixH "aten.matrix_H.default" "(Tensor self) -> Tensor" View [] meta(permute) lower(permute) grad(transpose);
            Expand "aten.expand.default" "(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor" View [] meta(expand) lower(expand) grad(expand);
            ExpandAs "aten.expand_as.default" "(Tensor self, Tensor other) -> Tensor" View [] meta(expand) lower(expand) grad(expand);
            BroadcastTo "aten.broadcast_to.default" "(Tensor self, SymInt[] size) -> Tensor" View [] meta(expand) lower(expand) grad(expand);
            Unsqueeze "aten.unsqueeze.default" "(Tensor self, int dim) -> Tensor" View [] meta(unsqueeze) lower(unsqueeze) grad(reshape);
            Squeeze "aten.squeeze.default" "(Tensor self) -> Tensor" View [] meta(squeeze) lower(squeeze) grad(reshape);
            SqueezeDim "aten.squeeze.dim" "(Tensor self, int dim) -> Tensor" View [] meta(squeeze) lower(squeeze) grad(reshape);
            SqueezeDims "aten.squeeze.dims" "(Tensor self, int[] dim) -> Tensor" View [] meta(squeeze) lower(squeeze) grad(reshape);
            SliceTensor "aten.slice.Tensor" "(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor" View [] meta(slice) lower(slice) grad(slice);
            Narrow "aten.narrow.default" "(Tensor self, int dim, SymInt start, SymInt length) -> Tensor" View [] meta(narrow) lower(narrow) grad(narrow);
            SelectInt "aten.select.int" "(Tensor self, int dim, SymInt index) -> Tensor" View [] meta(select) lower(select) grad(select);
            UnbindInt "aten.unbind.int" "(Tensor self, int dim=0) -> Tensor[]" View [] meta(unbind) lower(unbind) grad(unbind);
            SplitTensor "aten.split.Tensor" "(Tensor self, SymInt split_size, int dim=0) -> Tensor[]" View [] meta(split) lower(split) grad(split);
            SplitSizes "aten.split.sizes" "(Tensor self, SymInt[] split_size, int dim=0) -> Tensor[]" View [] meta(split) lower(split) grad(split);
            SplitWithSizes "aten.split_with_sizes.default" "(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]" View [] meta(split) lower(split) grad(split);
            Chunk "aten.chunk.default" "(Tensor self, int chunks, int dim=0) -> Tensor[]" View [] meta(split) lower(split) grad(split);
            UnsafeSplitTensor "aten.unsafe_split.Tensor" "(Tensor self, SymInt split_size, int dim=0) -> Tensor[]" View [] meta(split) lower(split) grad(split);
            UnsafeSplitWithSizes "aten.unsafe_split_with_sizes.default" "(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]" View [] meta(split) lower(split) grad(split);
            UnsafeChunk "aten.unsafe_chunk.default" "(Tensor self, int chunks, int dim=0) -> Tensor[]" View [] meta(split) lower(split) grad(split);
            TensorSplitSections "aten.tensor_split.sections" "(Tensor self, SymInt sections, int dim=0) -> Tensor[]" View [] meta(split) lower(split) grad(split);
            TensorSplitIndices "aten.tensor_split.indices" "(Tensor self, SymInt[] indices, int dim=0) -> Tensor[]" View [] meta(split) lower(split) grad(split);
            HsplitInt "aten.hsplit.int" "(Tensor self, int sections) -> Tensor[]" View [] meta(split) lower(split) grad(hsplit);
            HsplitArray "aten.hsplit.array" "(Tensor self, int[] indices) -> Tensor[]" View [] meta(split) lower(split) grad(hsplit);
            VsplitInt "aten.vsplit.int" "(Tensor self, int sections) -> Tensor[]" View [] meta(split) lower(split) grad(vsplit);
            VsplitArray "aten.vsplit.array" "(Tensor self, int[] indices) -> Tensor[]" View [] meta(split) lower(split) grad(vsplit);
            DsplitInt "aten.dsplit.int" "(Tensor self, int sections) -> Tensor[]" View [] meta(split) lower(split) grad(dsplit);
            DsplitArray "aten.dsplit.array" "(Tensor self, int[] indices) -> Tensor[]" View [] meta(split) lower(split) grad(dsplit);
            Diagonal "aten.diagonal.default" "(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor" View [] meta(diagonal) lower(diagonal) grad(diagonal);
            LinalgDiagonal "aten.linalg_diagonal.default" "(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor" View [] meta(diagonal) lower(diagonal) grad(diagonal);
            AsStrided "aten.as_strided.default" "(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor" View [] meta(as_strided) lower(as_strided) grad(as_strided);
            Unfold "aten.unfold.default" "(Tensor self, int dimension, int size, int step) -> Tensor" View [] meta(unfold) lower(unfold) grad(unfold);
            Atleast1d "aten.atleast_1d.default" "(Tensor self) -> Tensor" View [] meta(atleast) lower(atleast) grad(reshape);
            Atleast2d "aten.atleast_2d.default" "(Tensor self) -> Tensor" View [] meta(atleast) lower(atleast) grad(reshape);
            Atleast3d "aten.atleast_3d.default" "(Tensor self) -> Tensor" View [] meta(atleast) lower(atleast) grad(reshape);
        ] }
    };
}
pub(crate) use view_rows;
