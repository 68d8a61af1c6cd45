//! Quantised tensors as PyTorch's exporters leave them: integers (or float8 numbers) with scales and zero points beside them, and
//! products with weights that stay so.

macro_rules! quantized_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::view_rows! { $callback [
            $($rows)*
            QuantizePerTensor "quantized_decomposed.quantize_per_tensor.default" "(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor" Composite [] meta(quantized) decompose(quantize);
            QuantizePerTensorTensor "quantized_decomposed.quantize_per_tensor.tensor" "(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor" Composite [] meta(quantized) decompose(quantize);
            QuantizePerTensorTensor2 "quantized_decomposed.quantize_per_tensor.tensor2" "(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor" Composite [] meta(quantized) decompose(quantize);
            DequantizePerTensor "quantized_decomposed.dequantize_per_tensor.default" "(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor" Composite [] meta(dequantized) decompose(dequantize);
            DequantizePerTensorTensor "quantized_decomposed.dequantize_per_tensor.tensor" "(Tensor input, Tensor scale, Tensor zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor" Composite [] meta(dequantized) decompose(dequantize);
            DequantizePerTensorTensor2 "quantized_decomposed.dequantize_per_tensor.tensor2" "(Tensor input, Tensor scale, Tensor zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor" Composite [] meta(dequantized) decompose(dequantize);
            QuantizePerChannel "quantized_decomposed.quantize_per_channel.default" "(Tensor input, Tensor scales, Tensor zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor" Composite [] meta(quantized) decompose(quantize);
            DequantizePerChannel "quantized_decomposed.dequantize_per_channel.default" "(Tensor input, Tensor scales, Tensor? zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor" Composite [] meta(dequantized) decompose(dequantize_by_parts);
            QuantizePerToken "quantized_decomposed.quantize_per_token.default" "(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype) -> Tensor" Composite [] meta(quantized) decompose(quantize_by_parts);
            DequantizePerToken "quantized_decomposed.dequantize_per_token.default" "(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor" Composite [] meta(dequantized) decompose(dequantize_by_parts);
            QuantizePerChannelGroup "quantized_decomposed.quantize_per_channel_group.default" "(Tensor input, Tensor scales, Tensor zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size) -> Tensor" Composite [] meta(quantized) decompose(quantize_by_parts);
            DequantizePerChannelGroup "quantized_decomposed.dequantize_per_channel_group.default" "(Tensor input, Tensor scales, Tensor? zero_points, int quant_min, int quant_max, ScalarType dtype, int group_size, ScalarType output_dtype) -> Tensor" Composite [] meta(dequantized) decompose(dequantize_by_parts);
            ChooseQparams "quantized_decomposed.choose_qparams.tensor" "(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)" Composite [floats] meta(chosen_parameters) decompose(choose_parameters);
            ChooseQparamsSymmetric "quantized_decomposed.choose_qparams_symmetric.tensor" "(Tensor input, int quant_min, int quant_max, float eps, ScalarType dtype) -> (Tensor, Tensor)" Composite [floats] meta(chosen_parameters) decompose(choose_parameters);
            ChooseQparamsPerToken "quantized_decomposed.choose_qparams_per_token.default" "(Tensor input, ScalarType dtype) -> (Tensor, Tensor)" Composite [floats] meta(chosen_parameters) decompose(choose_by_token);
            ChooseQparamsPerTokenAsymmetric "quantized_decomposed.choose_qparams_per_token_asymmetric.default" "(Tensor input, ScalarType dtype) -> (Tensor, Tensor)" Composite [floats] meta(chosen_parameters) decompose(choose_by_token);
            ConvertElementTypeNoFuse "quantized_decomposed.convert_element_type.no_fuse" "(Tensor input, ScalarType dtype) -> Tensor" Pointwise [] meta(convert) lower(convert) grad(identity);
            ScaledMm "aten._scaled_mm.default" "(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? bias=None, Tensor? scale_result=None, ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor" Composite [] meta(scaled_mm) decompose(scaled_mm);
            ScaledMmV2 "aten._scaled_mm_v2.default" "(Tensor self, Tensor mat2, Tensor[] scale_a, int[] recipe_a, int[] swizzle_a, Tensor[] scale_b, int[] recipe_b, int[] swizzle_b, Tensor? bias, ScalarType? out_dtype, int[] contraction_dim=[], bool use_fast_accum=False) -> Tensor" Composite [] meta(scaled_mm_v2) decompose(scaled_mm_v2);
            QuantizeAffine "torchao.quantize_affine.default" "(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType output_dtype, Scalar? quant_min=None, Scalar? quant_max=None) -> Tensor" Composite [] meta(quantized_by_blocks) decompose(quantize_by_blocks);
            DequantizeAffine "torchao.dequantize_affine.default" "(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType input_dtype, Scalar? quant_min=None, Scalar? quant_max=None, ScalarType? output_dtype=None) -> Tensor" Composite [] meta(dequantized_by_blocks) decompose(dequantize_by_blocks);
            ChooseQparamsAffine "torchao.choose_qparams_affine.default" "(Tensor input, str mapping_type, SymInt[] block_size, ScalarType target_dtype, Scalar? quant_min=None, Scalar? quant_max=None, float? eps=None, ScalarType? scale_dtype=None, ScalarType? zero_point_dtype=None, bool keepdim=False) -> (Tensor, Tensor)" Composite [floats] meta(chosen_by_blocks) decompose(choose_by_blocks);
            Float8Value "litz.float8_value.default" "(Tensor self, ScalarType dtype) -> Tensor" Pointwise [] meta(float8_value) lower(float8_value);
            Float8Bits "litz.float8_bits.default" "(Tensor self, ScalarType dtype) -> Tensor" Pointwise [] meta(float8_bits) lower(float8_bits);
            IntMm "aten._int_mm.default" "(Tensor self, Tensor mat2) -> Tensor" Composite [] meta(int_mm) decompose(int_mm);
            WeightInt8packMm "aten._weight_int8pack_mm.default" "(Tensor self, Tensor mat2, Tensor scales) -> Tensor" Composite [] meta(int8_weight_mm) decompose(int8_weight_mm);
            WeightInt4packMm "aten._weight_int4pack_mm.default" "(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> Tensor" Composite [] meta(int4_weight_mm) decompose(int4_weight_mm);
            WeightInt4packMmWithScalesAndZeros "aten._weight_int4pack_mm_with_scales_and_zeros.default" "(Tensor self, Tensor mat2, int qGroupSize, Tensor qScale, Tensor qZeros) -> Tensor" Composite [] meta(int4_weight_mm_with_zeros) decompose(int4_weight_mm_with_zeros);
            ConvertWeightToInt4pack "aten._convert_weight_to_int4pack.default" "(Tensor self, int innerKTiles) -> Tensor" Composite [] meta(int4_packed) decompose(int4_packed);
            WeightInt4packMmForCpu "aten._weight_int4pack_mm_for_cpu.default" "(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros, *, str? layout=None) -> Tensor" Composite [] meta(int4_weight_mm_for_cpu) decompose(int4_weight_mm_for_cpu);
            ConvertWeightToInt4packForCpu "aten._convert_weight_to_int4pack_for_cpu.default" "(Tensor self, int innerKTiles, *, str? layout=None) -> Tensor" Composite [] meta(int4_packed_for_cpu) decompose(int4_packed_for_cpu);
        ] }
    };
}
pub(crate) use quantized_rows;
