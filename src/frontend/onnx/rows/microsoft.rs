//! Operators of `com.microsoft` that exporters and optimisers write.

use super::super::rules::{
    arrange as a, block_tables as b, fused as f, grouped_query as g, indexing as i, microsoft as m,
    quantized as q,
};
use super::{MICROSOFT, ONNX, Row, formula, rule};

pub const ROWS: &[Row] = &[
    rule(MICROSOFT, "Attention", 1, m::attention),
    rule(MICROSOFT, "DequantizeLinear", 1, q::dequantize),
    rule(MICROSOFT, "DynamicQuantizeMatMul", 1, f::dynamic_product),
    rule(MICROSOFT, "EmbedLayerNormalization", 1, m::embed_layer_normalization),
    rule(MICROSOFT, "ExpandDims", 1, f::expand_dims),
    rule(MICROSOFT, "FusedConv", 1, f::convolution),
    rule(MICROSOFT, "FusedGemm", 1, f::product),
    rule(MICROSOFT, "FusedMatMul", 1, m::fused_matmul),
    rule(MICROSOFT, "GatherBlockQuantized", 1, b::gather),
    rule(MICROSOFT, "GatherND", 1, i::gather_nd),
    rule(MICROSOFT, "GroupQueryAttention", 1, g::attention),
    formula(MICROSOFT, "Inverse", 1, "linalg_inv($0)"),
    rule(MICROSOFT, "MatMulIntegerToFloat", 1, f::integers_to_floats),
    rule(MICROSOFT, "MatMulNBits", 1, f::blocks),
    rule(MICROSOFT, "MultiHeadAttention", 1, m::multi_head_attention),
    rule(MICROSOFT, "QAttention", 1, f::quantized_attention),
    rule(MICROSOFT, "QEmbedLayerNormalization", 1, f::quantized_embedding),
    rule(MICROSOFT, "QGemm", 1, f::quantized_product),
    rule(MICROSOFT, "QLinearAdd", 1, q::qlinear_pair),
    rule(MICROSOFT, "QLinearAveragePool", 1, f::quantized_average),
    rule(MICROSOFT, "QLinearConcat", 1, f::quantized_concat),
    rule(MICROSOFT, "QLinearGlobalAveragePool", 1, q::qlinear_function),
    rule(MICROSOFT, "QLinearLeakyRelu", 1, q::qlinear_function),
    rule(MICROSOFT, "QLinearMul", 1, q::qlinear_pair),
    rule(MICROSOFT, "QLinearReduceMean", 1, f::quantized_mean),
    rule(MICROSOFT, "QLinearSigmoid", 1, q::qlinear_function),
    rule(MICROSOFT, "QLinearSoftmax", 1, f::quantized_softmax),
    rule(MICROSOFT, "QLinearWhere", 1, f::quantized_where),
    rule(MICROSOFT, "QuantizeLinear", 1, q::quantize),
    rule(MICROSOFT, "Range", 1, a::range),
    rule(MICROSOFT, "RotaryEmbedding", 1, m::rotary),
    rule(MICROSOFT, "SimplifiedLayerNormalization", 1, m::simplified_layer_normalization),
    // Written into ONNX's own domain by the same tools.
    rule(ONNX, "SimplifiedLayerNormalization", 1, m::simplified_layer_normalization),
    rule(MICROSOFT, "SkipLayerNormalization", 1, m::skip_layer_normalization),
    rule(MICROSOFT, "SkipSimplifiedLayerNormalization", 1, m::skip_layer_normalization),
    rule(MICROSOFT, "TransposeMatMul", 1, m::fused_matmul),
    rule(MICROSOFT, "Trilu", 1, a::trilu),
];
