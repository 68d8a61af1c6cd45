//! Operators of `com.microsoft` that exporters and optimisers write.

use super::super::rules::{microsoft as m, quantized as q};
use super::{MICROSOFT, ONNX, Row, rule};

pub const ROWS: &[Row] = &[
    rule(MICROSOFT, "Attention", 1, m::attention),
    rule(MICROSOFT, "DequantizeLinear", 1, q::dequantize),
    rule(MICROSOFT, "EmbedLayerNormalization", 1, m::embed_layer_normalization),
    rule(MICROSOFT, "FusedMatMul", 1, m::fused_matmul),
    rule(MICROSOFT, "GroupQueryAttention", 1, m::group_query_attention),
    rule(MICROSOFT, "MultiHeadAttention", 1, m::multi_head_attention),
    rule(MICROSOFT, "QLinearAdd", 1, q::qlinear_pair),
    rule(MICROSOFT, "QLinearGlobalAveragePool", 1, q::qlinear_function),
    rule(MICROSOFT, "QLinearLeakyRelu", 1, q::qlinear_function),
    rule(MICROSOFT, "QLinearMul", 1, q::qlinear_pair),
    rule(MICROSOFT, "QLinearSigmoid", 1, q::qlinear_function),
    rule(MICROSOFT, "QuantizeLinear", 1, q::quantize),
    rule(MICROSOFT, "RotaryEmbedding", 1, m::rotary),
    rule(MICROSOFT, "SimplifiedLayerNormalization", 1, m::simplified_layer_normalization),
    // Written into ONNX's own domain by the same tools.
    rule(ONNX, "SimplifiedLayerNormalization", 1, m::simplified_layer_normalization),
    rule(MICROSOFT, "SkipLayerNormalization", 1, m::skip_layer_normalization),
    rule(MICROSOFT, "SkipSimplifiedLayerNormalization", 1, m::skip_layer_normalization),
    rule(MICROSOFT, "TransposeMatMul", 1, m::fused_matmul),
];
