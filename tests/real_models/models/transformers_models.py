"""Hugging Face transformers: each architecture from a small configuration."""

import torch
import transformers as t

from .given import Given, ids, image

MODELS = {}
# What encoders and decoders of text have in common.
TEXT = {
    "vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
    "max_position_embeddings": 64,
}  # fmt: skip
LLAMA = {**TEXT, "num_key_value_heads": 2}
VISION = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 32, "patch_size": 8,
}  # fmt: skip


def add(name, make):
    MODELS[f"transformers/{name}"] = make


def text(name, model, config, options=TEXT, inputs=None, **more):
    """A model of token numbers; `inputs` gives them."""

    def make():
        made = getattr(t, config)(**{**options, **more})
        module = getattr(t, model)(made)
        module.config.use_cache = False
        return Given(module, (), inputs() if inputs else {"input_ids": ids(), "attention_mask": torch.ones(2, 16, dtype=torch.int64)})

    add(name, make)


# Encoders.
text("bert", "BertForSequenceClassification", "BertConfig")
text("bert_masked_lm", "BertForMaskedLM", "BertConfig")
text("roberta", "RobertaModel", "RobertaConfig")
text("xlm_roberta", "XLMRobertaForTokenClassification", "XLMRobertaConfig")
text("distilbert", "DistilBertForQuestionAnswering", "DistilBertConfig", {"vocab_size": 99, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64})
text("albert", "AlbertModel", "AlbertConfig", embedding_size=16)
text("electra", "ElectraForPreTraining", "ElectraConfig", embedding_size=16)
text("deberta", "DebertaModel", "DebertaConfig", relative_attention=True, pos_att_type=["c2p", "p2c"], max_relative_positions=32)
text("deberta_v2", "DebertaV2Model", "DebertaV2Config", relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=8, norm_rel_ebd="layer_norm", share_att_key=True)
text("mpnet", "MPNetModel", "MPNetConfig")
text("camembert", "CamembertModel", "CamembertConfig")
text("squeezebert", "SqueezeBertModel", "SqueezeBertConfig", embedding_size=32)
text("mobilebert", "MobileBertModel", "MobileBertConfig", embedding_size=16, intra_bottleneck_size=32, true_hidden_size=32)
text("convbert", "ConvBertModel", "ConvBertConfig", embedding_size=16)
text("funnel", "FunnelModel", "FunnelConfig", {"vocab_size": 99, "block_sizes": [1, 1], "num_decoder_layers": 1, "d_model": 32, "n_head": 4, "d_head": 8, "d_inner": 64})
text("fnet", "FNetModel", "FNetConfig", {k: v for k, v in TEXT.items() if k != "num_attention_heads"}, lambda: {"input_ids": ids()})
text("longformer", "LongformerModel", "LongformerConfig", attention_window=8)
text("big_bird", "BigBirdModel", "BigBirdConfig", attention_type="original_full")
text("modernbert", "ModernBertModel", "ModernBertConfig", local_attention=8, pad_token_id=0, cls_token_id=1, sep_token_id=2, bos_token_id=1, eos_token_id=2)
text("layoutlm", "LayoutLMModel", "LayoutLMConfig", inputs=lambda: {"input_ids": ids(), "bbox": torch.randint(0, 50, (2, 16, 4)).sort(-1).values[..., [0, 1, 2, 3]]})
# Decoders.
GPT2 = {"vocab_size": 99, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4}
text("gpt2", "GPT2LMHeadModel", "GPT2Config", GPT2)
text("gptj", "GPTJForCausalLM", "GPTJConfig", {**GPT2, "rotary_dim": 4})
text("gpt_neo", "GPTNeoForCausalLM", "GPTNeoConfig", {"vocab_size": 99, "hidden_size": 32, "num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]], "window_size": 8, "max_position_embeddings": 64})
text("gpt_neox", "GPTNeoXForCausalLM", "GPTNeoXConfig")
text("gpt_bigcode", "GPTBigCodeForCausalLM", "GPTBigCodeConfig", GPT2)
text("codegen", "CodeGenForCausalLM", "CodeGenConfig", {**GPT2, "rotary_dim": 4})
text("bloom", "BloomForCausalLM", "BloomConfig", {"vocab_size": 99, "hidden_size": 32, "n_layer": 2, "n_head": 4})
text("opt", "OPTForCausalLM", "OPTConfig", {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 64, "max_position_embeddings": 64, "word_embed_proj_dim": 32})
text("falcon", "FalconForCausalLM", "FalconConfig", {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4})
text("llama", "LlamaForCausalLM", "LlamaConfig", LLAMA)
text("llama_long_rope", "LlamaForCausalLM", "LlamaConfig", LLAMA, rope_scaling={"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32})
text("mistral", "MistralForCausalLM", "MistralConfig", LLAMA, sliding_window=8)
text("mixtral", "MixtralForCausalLM", "MixtralConfig", LLAMA, num_local_experts=4, num_experts_per_tok=2)
text("qwen2", "Qwen2ForCausalLM", "Qwen2Config", LLAMA)
text("qwen2_moe", "Qwen2MoeForCausalLM", "Qwen2MoeConfig", LLAMA, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16, shared_expert_intermediate_size=32)
text("qwen3", "Qwen3ForCausalLM", "Qwen3Config", LLAMA, head_dim=8)
text("qwen3_moe", "Qwen3MoeForCausalLM", "Qwen3MoeConfig", LLAMA, head_dim=8, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16)
text("gemma", "GemmaForCausalLM", "GemmaConfig", LLAMA, head_dim=8)
text("gemma2", "Gemma2ForCausalLM", "Gemma2Config", LLAMA, head_dim=8, sliding_window=8)
text("gemma3", "Gemma3ForCausalLM", "Gemma3TextConfig", LLAMA, head_dim=8, sliding_window=8)
text("phi", "PhiForCausalLM", "PhiConfig", TEXT)
text("phi3", "Phi3ForCausalLM", "Phi3Config", LLAMA, pad_token_id=0)
text("stablelm", "StableLmForCausalLM", "StableLmConfig", LLAMA)
text("olmo2", "Olmo2ForCausalLM", "Olmo2Config", LLAMA)
text("cohere", "CohereForCausalLM", "CohereConfig", LLAMA)
text("granite", "GraniteForCausalLM", "GraniteConfig", LLAMA)
text("starcoder2", "Starcoder2ForCausalLM", "Starcoder2Config", LLAMA)
text("deepseek_v3", "DeepseekV3ForCausalLM", "DeepseekV3Config", LLAMA, moe_intermediate_size=16, n_routed_experts=4, num_experts_per_tok=2, n_group=1, topk_group=1, n_shared_experts=1, first_k_dense_replace=1, kv_lora_rank=8, q_lora_rank=16, qk_rope_head_dim=4, qk_nope_head_dim=4, v_head_dim=8, head_dim=4)
text("xlnet", "XLNetModel", "XLNetConfig", {"vocab_size": 99, "d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64})
SSM = {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 8}
text("mamba", "MambaForCausalLM", "MambaConfig", SSM, lambda: {"input_ids": ids(8)})
text("mamba2", "Mamba2ForCausalLM", "Mamba2Config", SSM, lambda: {"input_ids": ids(8)}, num_heads=8, head_dim=8, n_groups=2, chunk_size=4)
text("rwkv", "RwkvForCausalLM", "RwkvConfig", {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "attention_hidden_size": 32, "context_length": 64}, lambda: {"input_ids": ids(8)})
text("recurrent_gemma", "RecurrentGemmaForCausalLM", "RecurrentGemmaConfig", {**LLAMA, "num_hidden_layers": 3, "lru_width": 32, "attention_window_size": 8})
# From text to text.
PAIR = lambda: {"input_ids": ids(), "decoder_input_ids": ids(8)}  # noqa: E731
T5 = {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}
BART = {
    "vocab_size": 99, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 64,
}  # fmt: skip
text("t5", "T5ForConditionalGeneration", "T5Config", T5, PAIR)
text("mt5", "MT5ForConditionalGeneration", "MT5Config", T5, PAIR)
text("umt5", "UMT5ForConditionalGeneration", "UMT5Config", T5, PAIR)
text("longt5", "LongT5ForConditionalGeneration", "LongT5Config", T5, lambda: {**PAIR(), "attention_mask": torch.ones(2, 16, dtype=torch.int64)}, local_radius=3)
text("switch_transformers", "SwitchTransformersForConditionalGeneration", "SwitchTransformersConfig", T5, lambda: {**PAIR(), "attention_mask": torch.ones(2, 16, dtype=torch.int64), "decoder_attention_mask": torch.ones(2, 8, dtype=torch.int64)}, num_experts=4)
text("bart", "BartForConditionalGeneration", "BartConfig", BART, PAIR)
text("mbart", "MBartForConditionalGeneration", "MBartConfig", BART, PAIR)
text("marian", "MarianMTModel", "MarianConfig", BART, PAIR, pad_token_id=0)
text("pegasus", "PegasusForConditionalGeneration", "PegasusConfig", BART, PAIR)
text("m2m_100", "M2M100ForConditionalGeneration", "M2M100Config", BART, PAIR)
text("blenderbot", "BlenderbotForConditionalGeneration", "BlenderbotConfig", BART, PAIR)


# Images.
def seen(name, model, config, size=32, batch=True, **options):
    def make():
        return Given(getattr(t, model)(getattr(t, config)(**options)), (), {"pixel_values": image(size)}, batch=batch)

    add(name, make)


seen("vit", "ViTForImageClassification", "ViTConfig", **VISION)
seen("deit", "DeiTForImageClassification", "DeiTConfig", **VISION)
seen("beit", "BeitForImageClassification", "BeitConfig", **VISION, use_relative_position_bias=True)
seen("dinov2", "Dinov2Model", "Dinov2Config", **{k: v for k, v in VISION.items() if k != "intermediate_size"})
add("vit_mae", lambda: Given(t.ViTMAEModel(t.ViTMAEConfig(**VISION)), (), {"pixel_values": image(32), "noise": torch.rand(2, 16)}))
seen("swin", "SwinForImageClassification", "SwinConfig", image_size=32, patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 4], window_size=4)
seen("swinv2", "Swinv2ForImageClassification", "Swinv2Config", image_size=32, patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 4], window_size=4)
seen("swin2sr", "Swin2SRForImageSuperResolution", "Swin2SRConfig", image_size=32, embed_dim=16, depths=[1, 1], num_heads=[2, 4], window_size=4, upscale=2)
seen("convnext", "ConvNextForImageClassification", "ConvNextConfig", hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1])
seen("resnet", "ResNetForImageClassification", "ResNetConfig", embedding_size=8, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1])
seen("segformer", "SegformerForSemanticSegmentation", "SegformerConfig", 64, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16)
seen("mobilevit", "MobileViTForImageClassification", "MobileViTConfig", 64, image_size=64)
seen("dpt", "DPTForDepthEstimation", "DPTConfig", **{**VISION, "num_hidden_layers": 4}, backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[8, 8, 16, 16], fusion_hidden_size=16, reassemble_factors=[4, 2, 1, 0.5], is_hybrid=False)
seen("glpn", "GLPNForDepthEstimation", "GLPNConfig", 64, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=16)
seen("poolformer", "PoolFormerForImageClassification", "PoolFormerConfig", 64, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1])
seen("pvt", "PvtForImageClassification", "PvtConfig", 64, image_size=64, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4])
seen("levit", "LevitForImageClassification", "LevitConfig", 64, image_size=64, hidden_sizes=[16, 32, 48], num_attention_heads=[2, 2, 3], depths=[1, 1, 1], key_dim=[8, 8, 8])
seen("yolos", "YolosForObjectDetection", "YolosConfig", **{**VISION, "image_size": [32, 32]}, num_detection_tokens=5)
DETR = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "num_queries": 6}


def detr(name, model, config, stages, **options):
    def make():
        backbone = t.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1], out_features=stages)
        made = getattr(t, config)(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=backbone, **{**DETR, **options})
        return Given(getattr(t, model)(made), (), {"pixel_values": image(64), "pixel_mask": torch.ones(2, 64, 64, dtype=torch.int64)})

    add(name, make)


detr("detr", "DetrForObjectDetection", "DetrConfig", ["stage4"])
detr("conditional_detr", "ConditionalDetrForObjectDetection", "ConditionalDetrConfig", ["stage4"])
detr("deformable_detr", "DeformableDetrForObjectDetection", "DeformableDetrConfig", ["stage2", "stage3", "stage4"])


def sam():
    vision = t.SamVisionConfig(hidden_size=32, output_channels=16, num_hidden_layers=2, num_attention_heads=2, image_size=64, patch_size=8, mlp_dim=64, num_pos_feats=8, window_size=4, global_attn_indexes=[1])
    prompt = t.SamPromptEncoderConfig(hidden_size=16, image_size=64, patch_size=8, mask_input_channels=4)
    mask = t.SamMaskDecoderConfig(hidden_size=16, mlp_dim=32, num_hidden_layers=2, num_attention_heads=2, iou_head_hidden_dim=16)
    config = t.SamConfig(vision_config=vision.to_dict(), prompt_encoder_config=prompt.to_dict(), mask_decoder_config=mask.to_dict())
    return Given(t.SamModel(config), (), {"pixel_values": image(64, 1), "input_points": torch.rand(1, 1, 2, 2) * 64}, batch=False)


add("sam", sam)

# Sound.
WAVE = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "conv_dim": (16, 16, 16), "conv_kernel": (10, 3, 2),
    "conv_stride": (5, 2, 2), "num_feat_extract_layers": 3, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2, "vocab_size": 32,
}  # fmt: skip


def heard(name, model, config, **options):
    add(name, lambda: Given(getattr(t, model)(getattr(t, config)(**{**WAVE, **options})), (), {"input_values": torch.randn(2, 1600)}))


heard("wav2vec2", "Wav2Vec2ForCTC", "Wav2Vec2Config")
heard("hubert", "HubertForCTC", "HubertConfig")
heard("wavlm", "WavLMForCTC", "WavLMConfig", num_buckets=32)
heard("data2vec_audio", "Data2VecAudioForCTC", "Data2VecAudioConfig", num_conv_pos_embeddings=3)
heard("wav2vec2_conformer", "Wav2Vec2ConformerForCTC", "Wav2Vec2ConformerConfig", position_embeddings_type="relative")
WHISPER = {
    "vocab_size": 99, "num_mel_bins": 16, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_source_positions": 30, "max_target_positions": 32, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2, "decoder_start_token_id": 1, "begin_suppress_tokens": None, "suppress_tokens": None,
}  # fmt: skip
add("whisper", lambda: Given(t.WhisperForConditionalGeneration(t.WhisperConfig(**WHISPER)), (), {"input_features": torch.randn(2, 16, 60), "decoder_input_ids": ids(8)}))
add("audio_spectrogram", lambda: Given(t.ASTForAudioClassification(t.ASTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_length=48, num_mel_bins=32)), (), {"input_values": torch.randn(2, 48, 32)}))
add("encodec", lambda: Given(t.EncodecModel(t.EncodecConfig(num_filters=4, hidden_size=16, codebook_dim=16, codebook_size=32, upsampling_ratios=[4, 2], num_lstm_layers=1, target_bandwidths=[100.0], sampling_rate=16000)), (torch.randn(1, 1, 640),), batch=False))
add("univnet", lambda: Given(t.UnivNetModel(t.UnivNetConfig(model_in_channels=8, model_hidden_channels=8, num_mel_bins=8, resblock_stride_sizes=[2, 2, 2], resblock_kernel_sizes=[3, 3, 3], resblock_dilation_sizes=[[1, 3]] * 3, kernel_predictor_hidden_channels=8)), (torch.randn(1, 12, 8), torch.randn(1, 12, 8)), batch=False))

# Images and text.
CLIP_TEXT = {**TEXT, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
BOTH = lambda: {"input_ids": ids(), "attention_mask": torch.ones(2, 16, dtype=torch.int64), "pixel_values": image(32)}  # noqa: E731


def both(name, model, config, text=CLIP_TEXT, vision=VISION, inputs=BOTH, batch=True, **options):
    add(name, lambda: Given(getattr(t, model)(getattr(t, config)(text_config=dict(text), vision_config=dict(vision), **options)), (), inputs(), batch=batch))


both("clip", "CLIPModel", "CLIPConfig", projection_dim=16)
both("siglip", "SiglipModel", "SiglipConfig", {k: v for k, v in CLIP_TEXT.items()}, inputs=lambda: {"input_ids": ids(), "pixel_values": image(32)})
both("chinese_clip", "ChineseCLIPModel", "ChineseCLIPConfig", projection_dim=16)
both("blip", "BlipForConditionalGeneration", "BlipConfig", {**CLIP_TEXT, "encoder_hidden_size": 32, "sep_token_id": 2}, projection_dim=16)
both("clipseg", "CLIPSegForImageSegmentation", "CLIPSegConfig", projection_dim=16, reduce_dim=8, extract_layers=[0, 1], decoder_num_attention_heads=2, decoder_intermediate_size=16)
both("owlvit", "OwlViTModel", "OwlViTConfig", projection_dim=16)
both("groupvit", "GroupViTModel", "GroupViTConfig", vision={**VISION, "depths": [1, 1, 1], "num_group_tokens": [8, 4, 0], "num_output_groups": [8, 4, 0]}, projection_dim=16)
add("vilt", lambda: Given(t.ViltModel(t.ViltConfig(**TEXT, image_size=32, patch_size=8)), (), {"input_ids": ids(), "pixel_values": image(32)}, batch=False))
add("llava", lambda: Given(t.LlavaForConditionalGeneration(t.LlavaConfig(vision_config=t.CLIPVisionConfig(**VISION), text_config=t.LlamaConfig(**{**LLAMA, "vocab_size": 120}), image_token_index=110, image_token_id=110, vision_feature_layer=-1)), (), {"input_ids": torch.cat([torch.full((2, 16), 110), ids(8)], 1), "pixel_values": image(32), "attention_mask": torch.ones(2, 24, dtype=torch.int64)}, batch=False))
# Series and decisions.
add("patchtst", lambda: Given(t.PatchTSTForPrediction(t.PatchTSTConfig(num_input_channels=2, context_length=32, patch_length=8, patch_stride=8, d_model=16, num_hidden_layers=1, num_attention_heads=2, ffn_dim=32, prediction_length=8)), (), {"past_values": torch.randn(2, 32, 2)}))
add("patchtsmixer", lambda: Given(t.PatchTSMixerForPrediction(t.PatchTSMixerConfig(num_input_channels=2, context_length=32, patch_length=8, patch_stride=8, d_model=16, num_layers=1, prediction_length=8)), (), {"past_values": torch.randn(2, 32, 2)}))
add("decision_transformer", lambda: Given(t.DecisionTransformerModel(t.DecisionTransformerConfig(state_dim=5, act_dim=3, hidden_size=32, max_ep_len=32, n_layer=2, n_head=4, n_positions=64)), (), {"states": torch.randn(2, 6, 5), "actions": torch.randn(2, 6, 3), "rewards": torch.randn(2, 6, 1), "returns_to_go": torch.randn(2, 6, 1), "timesteps": torch.randint(0, 20, (2, 6)), "attention_mask": torch.ones(2, 6)}))
add("perceiver", lambda: Given(t.PerceiverModel(t.PerceiverConfig(d_latents=16, num_latents=8, d_model=24, num_blocks=1, num_self_attends_per_block=2, num_self_attention_heads=2, num_cross_attention_heads=2)), (), {"inputs": torch.randn(2, 10, 24)}))
add("tapas", lambda: Given(t.TapasModel(t.TapasConfig(**TEXT, type_vocab_sizes=[3, 8, 8, 2, 8, 8, 4])), (), {"input_ids": ids(), "token_type_ids": torch.randint(0, 2, (2, 16, 7))}))
add("esm", lambda: Given(t.EsmModel(t.EsmConfig(**TEXT, pad_token_id=1, mask_token_id=2, position_embedding_type="rotary")), (), {"input_ids": ids(), "attention_mask": torch.ones(2, 16, dtype=torch.int64)}))
