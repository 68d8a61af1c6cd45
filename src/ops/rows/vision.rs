//! torchvision's operators on boxes and regions, by their public schemas.

macro_rules! vision_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::complex_rows! { $callback [
            $($rows)*
            Nms "torchvision.nms.default" "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor" Indexing [] meta(sized_by_data) none();
            RoiAlign "torchvision.roi_align.default" "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor" Composite [floats] meta(roi_align) decompose(roi_align);
            DeformConv2d "torchvision.deform_conv2d.default" "(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor" Composite [floats] meta(deform_conv2d) decompose(deform_conv2d);
        ] }
    };
}
pub(crate) use vision_rows;
