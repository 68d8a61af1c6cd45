//! Contractions: matrix products and attention.

macro_rules! contraction_rows {
    ($callback:ident [$($rows:tt)*]) => {
        $crate::ops::rows::convolution_rows! { $callback [
            $($rows)*
            Linear "aten.linear.default" "(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor" Contraction [no_wide_unsigned] meta(linear) lower(linear) grad(linear);
            Addmm "aten.addmm.default" "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor" Contraction [inplace no_wide_unsigned] meta(addmm) lower(addmm) grad(add_product);
            Mm "aten.mm.default" "(Tensor self, Tensor mat2) -> Tensor" Contraction [no_wide_unsigned] meta(mm) lower(matmul) grad(matmul);
            GroupedMm "aten._grouped_mm.default" "(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor" Composite [floats] meta(grouped_mm) decompose(grouped_mm);
            GroupedMmFallback "transformers.grouped_mm_fallback.default" "(Tensor input, Tensor weight, Tensor offs) -> Tensor" Composite [floats] meta(grouped_mm) decompose(grouped_mm);
            Bmm "aten.bmm.default" "(Tensor self, Tensor mat2) -> Tensor" Contraction [no_wide_unsigned] meta(bmm) lower(matmul) grad(matmul);
            Matmul "aten.matmul.default" "(Tensor self, Tensor other) -> Tensor" Contraction [no_wide_unsigned] meta(matmul) lower(matmul) grad(matmul);
            LinalgMatmul "aten.linalg_matmul.default" "(Tensor self, Tensor other) -> Tensor" Contraction [no_wide_unsigned] meta(matmul) lower(matmul) grad(matmul);
            Baddbmm "aten.baddbmm.default" "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor" Contraction [inplace no_wide_unsigned] meta(baddbmm) lower(baddbmm) grad(add_product);
            Mv "aten.mv.default" "(Tensor self, Tensor vec) -> Tensor" Contraction [] meta(mv) lower(matmul) grad(matmul);
            Dot "aten.dot.default" "(Tensor self, Tensor tensor) -> Tensor" Contraction [no_wide_unsigned] meta(dot) lower(matmul) grad(dot);
            Vdot "aten.vdot.default" "(Tensor self, Tensor other) -> Tensor" Contraction [no_wide_unsigned] meta(dot) lower(matmul) grad(dot);
            ScaledDotProductAttention "aten.scaled_dot_product_attention.default" "(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor" Contraction [] meta(attention) lower(attention) grad(attention);
            FlashAttentionForCpu "aten._scaled_dot_product_flash_attention_for_cpu.default" "(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)" Contraction [] meta(flash_attention) lower(flash_attention) grad(attention);
            FlashAttentionForCpuBackward "aten._scaled_dot_product_flash_attention_for_cpu_backward.default" "(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)" Contraction [] meta(flash_attention_backward) lower(flash_attention_backward) grad(flash_attention_gradient);
            NativeMultiHeadAttention "aten._native_multi_head_attention.default" "(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)" Composite [] meta(native_multi_head_attention) decompose(native_multi_head_attention);
            TransformerEncoderLayer "aten._transformer_encoder_layer_fwd.default" "(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> Tensor" Composite [] meta(transformer_encoder_layer) decompose(transformer_encoder_layer);
            EfficientAttention "aten._scaled_dot_product_efficient_attention.default" "(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0.0, bool is_causal=False, *, float? scale=None) -> (Tensor output, Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset)" Composite [] meta(efficient_attention) decompose(efficient_attention);
            EfficientAttentionBackward "aten._scaled_dot_product_efficient_attention_backward.default" "(Tensor grad_out_, Tensor query, Tensor key, Tensor value, Tensor? attn_bias, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, float dropout_p, bool[4] grad_input_mask, bool is_causal=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor)" Composite [] meta(efficient_attention_backward) decompose(efficient_attention_backward);
        ] }
    };
}
pub(crate) use contraction_rows;
