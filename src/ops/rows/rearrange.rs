//! Rearrangements: copies of views, concatenation, padding and other results whose elements are moved, not computed.

macro_rules! rearrange_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::indexing_rows! { $callback [
            $($rows)*
            BroadcastTensors "aten.broadcast_tensors.default" "(Tensor[] tensors) -> Tensor[]" Indexing [] meta(broadcast_tensors) lower(broadcast_tensors);
            Atleast1dSequence "aten.atleast_1d.Sequence" "(Tensor[] tensors) -> Tensor[]" Indexing [] meta(atleast) lower(atleast);
            Atleast2dSequence "aten.atleast_2d.Sequence" "(Tensor[] tensors) -> Tensor[]" Indexing [] meta(atleast) lower(atleast);
            Atleast3dSequence "aten.atleast_3d.Sequence" "(Tensor[] tensors) -> Tensor[]" Indexing [] meta(atleast) lower(atleast);
            AliasCopy "aten.alias_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(alias_copy) lower(alias);
            DetachCopy "aten.detach_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(alias_copy) lower(alias);
            LiftFreshCopy "aten.lift_fresh_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(alias_copy) lower(alias);
            ViewCopy "aten.view_copy.default" "(Tensor self, SymInt[] size) -> Tensor" Indexing [] meta(view_copy) lower(reshape);
            ReshapeCopy "aten._reshape_copy.default" "(Tensor self, SymInt[] size) -> Tensor" Indexing [] meta(view_copy) lower(reshape);
            PermuteCopy "aten.permute_copy.default" "(Tensor self, int[] dims) -> Tensor" Indexing [] meta(permute_copy) lower(permute);
            TransposeCopyInt "aten.transpose_copy.int" "(Tensor self, int dim0, int dim1) -> Tensor" Indexing [] meta(permute_copy) lower(permute);
            TCopy "aten.t_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(permute_copy) lower(permute);
            ExpandCopy "aten.expand_copy.default" "(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor" Indexing [] meta(expand_copy) lower(expand);
            UnsqueezeCopy "aten.unsqueeze_copy.default" "(Tensor self, int dim) -> Tensor" Indexing [] meta(unsqueeze_copy) lower(unsqueeze);
            SqueezeCopy "aten.squeeze_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(squeeze_copy) lower(squeeze);
            SqueezeCopyDim "aten.squeeze_copy.dim" "(Tensor self, int dim) -> Tensor" Indexing [] meta(squeeze_copy) lower(squeeze);
            SqueezeCopyDims "aten.squeeze_copy.dims" "(Tensor self, int[] dim) -> Tensor" Indexing [] meta(squeeze_copy) lower(squeeze);
            SliceCopyTensor "aten.slice_copy.Tensor" "(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor" Indexing [] meta(slice_copy) lower(slice);
            NarrowCopy "aten.narrow_copy.default" "(Tensor self, int dim, SymInt start, SymInt length) -> Tensor" Indexing [] meta(narrow_copy) lower(narrow);
            SelectCopyInt "aten.select_copy.int" "(Tensor self, int dim, SymInt index) -> Tensor" Indexing [] meta(select_copy) lower(select);
            SplitCopyTensor "aten.split_copy.Tensor" "(Tensor self, SymInt split_size, int dim=0) -> Tensor[]" Indexing [] meta(split_copy) lower(split);
            SplitWithSizesCopy "aten.split_with_sizes_copy.default" "(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]" Indexing [] meta(split_copy) lower(split);
            UnsafeSplitTensor "aten.unsafe_split.Tensor" "(Tensor self, SymInt split_size, int dim=0) -> Tensor[]" Indexing [] meta(split) lower(split);
            UnsafeSplitWithSizes "aten.unsafe_split_with_sizes.default" "(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]" Indexing [] meta(split) lower(split);
            UnsafeChunk "aten.unsafe_chunk.default" "(Tensor self, int chunks, int dim=0) -> Tensor[]" Indexing [] meta(split) lower(split);
            UnbindCopyInt "aten.unbind_copy.int" "(Tensor self, int dim=0) -> Tensor[]" Indexing [] meta(unbind_copy) lower(unbind);
            DiagonalCopy "aten.diagonal_copy.default" "(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor" Indexing [] meta(diagonal_copy) lower(diagonal);
            AsStridedCopy "aten.as_strided_copy.default" "(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor" Indexing [] meta(as_strided_copy) lower(as_strided);
            UnfoldCopy "aten.unfold_copy.default" "(Tensor self, int dimension, int size, int step) -> Tensor" Indexing [] meta(unfold_copy) lower(unfold);
        ] }
    };
}
pub(crate) use rearrange_rows;
