//! Rearrangements: copies of views, concatenation, padding and other results whose elements are moved, not computed.

macro_rules! rearrange_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::indexing_rows! { $callback [
            $($rows)*
            BroadcastTensors "aten.broadcast_tensors.default" "(Tensor[] tensors) -> Tensor[]" Indexing [] meta(broadcast_tensors) lower(broadcast_tensors) grad(broadcast_tensors);
            Atleast1dSequence "aten.atleast_1d.Sequence" "(Tensor[] tensors) -> Tensor[]" Indexing [] meta(atleast) lower(atleast) grad(reshape_each);
            Atleast2dSequence "aten.atleast_2d.Sequence" "(Tensor[] tensors) -> Tensor[]" Indexing [] meta(atleast) lower(atleast) grad(reshape_each);
            Atleast3dSequence "aten.atleast_3d.Sequence" "(Tensor[] tensors) -> Tensor[]" Indexing [] meta(atleast) lower(atleast) grad(reshape_each);
            AliasCopy "aten.alias_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(alias_copy) lower(alias) grad(identity);
            DetachCopy "aten.detach_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(alias_copy) lower(alias);
            LiftFreshCopy "aten.lift_fresh_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(alias_copy) lower(alias) grad(identity);
            ViewCopy "aten.view_copy.default" "(Tensor self, SymInt[] size) -> Tensor" Indexing [] meta(view_copy) lower(reshape) grad(reshape);
            ViewCopyDtype "aten.view_copy.dtype" "(Tensor self, ScalarType dtype) -> Tensor" Indexing [] meta(view_dtype_copy) lower(view_dtype);
            ReshapeCopy "aten._reshape_copy.default" "(Tensor self, SymInt[] size) -> Tensor" Indexing [] meta(view_copy) lower(reshape) grad(reshape);
            PermuteCopy "aten.permute_copy.default" "(Tensor self, int[] dims) -> Tensor" Indexing [] meta(permute_copy) lower(permute) grad(permute);
            TransposeCopyInt "aten.transpose_copy.int" "(Tensor self, int dim0, int dim1) -> Tensor" Indexing [] meta(permute_copy) lower(permute) grad(transpose);
            TCopy "aten.t_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(permute_copy) lower(permute) grad(transpose);
            ExpandCopy "aten.expand_copy.default" "(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor" Indexing [] meta(expand_copy) lower(expand) grad(expand);
            UnsqueezeCopy "aten.unsqueeze_copy.default" "(Tensor self, int dim) -> Tensor" Indexing [] meta(unsqueeze_copy) lower(unsqueeze) grad(reshape);
            SqueezeCopy "aten.squeeze_copy.default" "(Tensor self) -> Tensor" Indexing [] meta(squeeze_copy) lower(squeeze) grad(reshape);
            SqueezeCopyDim "aten.squeeze_copy.dim" "(Tensor self, int dim) -> Tensor" Indexing [] meta(squeeze_copy) lower(squeeze) grad(reshape);
            SqueezeCopyDims "aten.squeeze_copy.dims" "(Tensor self, int[] dim) -> Tensor" Indexing [] meta(squeeze_copy) lower(squeeze) grad(reshape);
            SliceCopyTensor "aten.slice_copy.Tensor" "(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor" Indexing [] meta(slice_copy) lower(slice) grad(slice);
            NarrowCopy "aten.narrow_copy.default" "(Tensor self, int dim, SymInt start, SymInt length) -> Tensor" Indexing [] meta(narrow_copy) lower(narrow) grad(narrow);
            SelectCopyInt "aten.select_copy.int" "(Tensor self, int dim, SymInt index) -> Tensor" Indexing [] meta(select_copy) lower(select) grad(select);
            SplitCopyTensor "aten.split_copy.Tensor" "(Tensor self, SymInt split_size, int dim=0) -> Tensor[]" Indexing [] meta(split_copy) lower(split) grad(split);
            SplitWithSizesCopy "aten.split_with_sizes_copy.default" "(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]" Indexing [] meta(split_copy) lower(split) grad(split);
            UnbindCopyInt "aten.unbind_copy.int" "(Tensor self, int dim=0) -> Tensor[]" Indexing [] meta(unbind_copy) lower(unbind) grad(unbind);
            DiagonalCopy "aten.diagonal_copy.default" "(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor" Indexing [] meta(diagonal_copy) lower(diagonal) grad(diagonal);
            AsStridedCopy "aten.as_strided_copy.default" "(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor" Indexing [] meta(as_strided_copy) lower(as_strided) grad(as_strided);
            Cat "aten.cat.default" "(Tensor[] tensors, int dim=0) -> Tensor" Indexing [] meta(join) lower(join) grad(cat);
            Concat "aten.concat.default" "(Tensor[] tensors, int dim=0) -> Tensor" Indexing [] meta(join) lower(join) grad(cat);
            Concatenate "aten.concatenate.default" "(Tensor[] tensors, int dim=0) -> Tensor" Indexing [] meta(join) lower(join) grad(cat);
            Stack "aten.stack.default" "(Tensor[] tensors, int dim=0) -> Tensor" Indexing [] meta(join) lower(join) grad(stack);
            Hstack "aten.hstack.default" "(Tensor[] tensors) -> Tensor" Indexing [] meta(join) lower(join) grad(hstack);
            Vstack "aten.vstack.default" "(Tensor[] tensors) -> Tensor" Indexing [] meta(join) lower(join) grad(vstack);
            RowStack "aten.row_stack.default" "(Tensor[] tensors) -> Tensor" Indexing [] meta(join) lower(join) grad(vstack);
            Dstack "aten.dstack.default" "(Tensor[] tensors) -> Tensor" Indexing [] meta(join) lower(join) grad(dstack);
            ColumnStack "aten.column_stack.default" "(Tensor[] tensors) -> Tensor" Indexing [] meta(join) lower(join) grad(column_stack);
            Meshgrid "aten.meshgrid.default" "(Tensor[] tensors) -> Tensor[]" Indexing [] meta(meshgrid) lower(meshgrid) grad(meshgrid);
            MeshgridIndexing "aten.meshgrid.indexing" "(Tensor[] tensors, *, str indexing) -> Tensor[]" Indexing [] meta(meshgrid) lower(meshgrid) grad(meshgrid);
            BlockDiag "aten.block_diag.default" "(Tensor[] tensors) -> Tensor" Indexing [] meta(block_diag) lower(block_diag) grad(block_diag);
            CartesianProd "aten.cartesian_prod.default" "(Tensor[] tensors) -> Tensor" Indexing [] meta(cartesian_prod) lower(cartesian_prod) grad(cartesian_prod);
            Combinations "aten.combinations.default" "(Tensor self, int r=2, bool with_replacement=False) -> Tensor" Indexing [] meta(combinations) lower(combinations) grad(combinations);
            Pad "aten.pad.default" "(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor" Indexing [] meta(pad) lower(pad) grad(pad);
            ConstantPadNd "aten.constant_pad_nd.default" "(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor" Indexing [] meta(pad) lower(pad) grad(constant_pad);
            ReflectionPad1d "aten.reflection_pad1d.default" "(Tensor self, SymInt[2] padding) -> Tensor" Indexing [numbers no_wide_unsigned] meta(pad) lower(pad) grad(pad);
            ReflectionPad2d "aten.reflection_pad2d.default" "(Tensor self, SymInt[4] padding) -> Tensor" Indexing [numbers no_wide_unsigned] meta(pad) lower(pad) grad(pad);
            ReflectionPad3d "aten.reflection_pad3d.default" "(Tensor self, SymInt[6] padding) -> Tensor" Indexing [numbers no_wide_unsigned] meta(pad) lower(pad) grad(pad);
            ReplicationPad1d "aten.replication_pad1d.default" "(Tensor self, SymInt[2] padding) -> Tensor" Indexing [numbers no_wide_unsigned] meta(pad) lower(pad) grad(pad);
            ReplicationPad2d "aten.replication_pad2d.default" "(Tensor self, SymInt[4] padding) -> Tensor" Indexing [numbers no_wide_unsigned] meta(pad) lower(pad) grad(pad);
            ReplicationPad3d "aten.replication_pad3d.default" "(Tensor self, SymInt[6] padding) -> Tensor" Indexing [numbers no_wide_unsigned] meta(pad) lower(pad) grad(pad);
            Flip "aten.flip.default" "(Tensor self, int[] dims) -> Tensor" Indexing [] meta(same_shape) lower(flip) grad(again);
            Fliplr "aten.fliplr.default" "(Tensor self) -> Tensor" Indexing [] meta(same_shape) lower(flip) grad(again);
            Flipud "aten.flipud.default" "(Tensor self) -> Tensor" Indexing [] meta(same_shape) lower(flip) grad(again);
            Roll "aten.roll.default" "(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor" Indexing [] meta(same_shape) lower(roll) grad(roll);
            FftFftshift "aten.fft_fftshift.default" "(Tensor self, int[1]? dim=None) -> Tensor" Indexing [] meta(fftshift) lower(fftshift) grad(fftshift);
            FftIfftshift "aten.fft_ifftshift.default" "(Tensor self, int[1]? dim=None) -> Tensor" Indexing [] meta(fftshift) lower(fftshift) grad(fftshift);
            Repeat "aten.repeat.default" "(Tensor self, SymInt[] repeats) -> Tensor" Indexing [] meta(repeat) lower(repeat) grad(repeat);
            Tile "aten.tile.default" "(Tensor self, SymInt[] dims) -> Tensor" Indexing [] meta(repeat) lower(repeat) grad(repeat);
            RepeatInterleaveSelfInt "aten.repeat_interleave.self_int" "(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor" Indexing [] meta(repeat_interleave) lower(repeat_interleave) grad(repeat_interleave);
            Rot90 "aten.rot90.default" "(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor" Indexing [] meta(rot90) lower(rot90) grad(rot90);
            Diag "aten.diag.default" "(Tensor self, int diagonal=0) -> Tensor" Indexing [] meta(diag) lower(diag) grad(diag);
            Diagflat "aten.diagflat.default" "(Tensor self, int offset=0) -> Tensor" Indexing [] meta(diagflat) lower(diagflat) grad(diag_embed);
            DiagEmbed "aten.diag_embed.default" "(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor" Indexing [] meta(diag_embed) lower(diag_embed) grad(diag_embed);
            PixelShuffle "aten.pixel_shuffle.default" "(Tensor self, int upscale_factor) -> Tensor" Indexing [no_wide_unsigned] meta(pixel_shuffle) lower(pixel_shuffle) grad(pixel_shuffle);
            PixelUnshuffle "aten.pixel_unshuffle.default" "(Tensor self, int downscale_factor) -> Tensor" Indexing [no_wide_unsigned] meta(pixel_shuffle) lower(pixel_unshuffle) grad(pixel_shuffle);
            ChannelShuffle "aten.channel_shuffle.default" "(Tensor self, SymInt groups) -> Tensor" Indexing [no_wide_unsigned] meta(channel_shuffle) lower(channel_shuffle) grad(channel_shuffle);
            NativeChannelShuffle "aten.native_channel_shuffle.default" "(Tensor self, SymInt groups) -> Tensor" Indexing [no_wide_unsigned] meta(channel_shuffle) lower(channel_shuffle) grad(channel_shuffle);
            SliceScatter "aten.slice_scatter.default" "(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor" Indexing [] meta(view_scatter) lower(slice_scatter) grad(slice_scatter);
            SelectScatter "aten.select_scatter.default" "(Tensor self, Tensor src, int dim, SymInt index) -> Tensor" Indexing [] meta(view_scatter) lower(select_scatter) grad(select_scatter);
            DiagonalScatter "aten.diagonal_scatter.default" "(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor" Indexing [] meta(view_scatter) lower(diagonal_scatter) grad(diagonal_scatter);
            AsStridedScatter "aten.as_strided_scatter.default" "(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor" Indexing [] meta(view_scatter) lower(as_strided_scatter) grad(as_strided_scatter);
            Im2col "aten.im2col.default" "(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor" Indexing [floats_and_bool] meta(im2col) lower(im2col) grad(im2col);
            Col2im "aten.col2im.default" "(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor" Indexing [floats_and_bool] meta(col2im) lower(col2im) grad(col2im);
            UnfoldCopy "aten.unfold_copy.default" "(Tensor self, int dimension, int size, int step) -> Tensor" Indexing [] meta(unfold_copy) lower(unfold) grad(unfold);
            ChunkCat "aten._chunk_cat.default" "(Tensor[] tensors, int dim, int num_chunks) -> Tensor" Composite [] meta(chunk_cat) decompose(chunk_cat);
        ] }
    };
}
pub(crate) use rearrange_rows;
