//! Resampling: tensors read at places between their elements.

macro_rules! resampling_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::vision_rows! { $callback [
            $($rows)*
            UpsampleNearest1d "aten.upsample_nearest1d.default" "(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearest1dVec "aten.upsample_nearest1d.vec" "(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearest2d "aten.upsample_nearest2d.default" "(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearest2dVec "aten.upsample_nearest2d.vec" "(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearest3d "aten.upsample_nearest3d.default" "(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearest3dVec "aten.upsample_nearest3d.vec" "(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearestExact1d "aten._upsample_nearest_exact1d.default" "(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearestExact1dVec "aten._upsample_nearest_exact1d.vec" "(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearestExact2d "aten._upsample_nearest_exact2d.default" "(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearestExact2dVec "aten._upsample_nearest_exact2d.vec" "(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearestExact3d "aten._upsample_nearest_exact3d.default" "(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleNearestExact3dVec "aten._upsample_nearest_exact3d.vec" "(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_nearest) grad(upsample);
            UpsampleLinear1d "aten.upsample_linear1d.default" "(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_linear) grad(upsample);
            UpsampleLinear1dVec "aten.upsample_linear1d.vec" "(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_linear) grad(upsample);
            UpsampleBilinear2d "aten.upsample_bilinear2d.default" "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_linear) grad(upsample);
            UpsampleBilinear2dVec "aten.upsample_bilinear2d.vec" "(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_linear) grad(upsample);
            UpsampleTrilinear3d "aten.upsample_trilinear3d.default" "(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_linear) grad(upsample);
            UpsampleTrilinear3dVec "aten.upsample_trilinear3d.vec" "(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_linear) grad(upsample);
            UpsampleBicubic2d "aten.upsample_bicubic2d.default" "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_cubic) grad(upsample);
            UpsampleBicubic2dVec "aten.upsample_bicubic2d.vec" "(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_cubic) grad(upsample);
            UpsampleBilinear2dAa "aten._upsample_bilinear2d_aa.default" "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_antialiased) grad(upsample);
            UpsampleBilinear2dAaVec "aten._upsample_bilinear2d_aa.vec" "(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_antialiased) grad(upsample);
            UpsampleBicubic2dAa "aten._upsample_bicubic2d_aa.default" "(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor" Indexing [] meta(upsample) lower(upsample_antialiased) grad(upsample);
            UpsampleBicubic2dAaVec "aten._upsample_bicubic2d_aa.vec" "(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor" Indexing [] meta(upsample) lower(upsample_antialiased) grad(upsample);
            GridSampler "aten.grid_sampler.default" "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor" Indexing [] meta(grid_sampler) lower(grid_sampler) grad(grid_sampler);
            GridSampler2d "aten.grid_sampler_2d.default" "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor" Indexing [] meta(grid_sampler) lower(grid_sampler) grad(grid_sampler);
            GridSampler3d "aten.grid_sampler_3d.default" "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor" Indexing [] meta(grid_sampler) lower(grid_sampler) grad(grid_sampler);
            AffineGridGenerator "aten.affine_grid_generator.default" "(Tensor theta, SymInt[] size, bool align_corners) -> Tensor" Composite [] meta(affine_grid) decompose(affine_grid);
        ] }
    };
}
pub(crate) use resampling_rows;
