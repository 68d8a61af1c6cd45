"""diffusers: the networks of diffusion pipelines."""

import diffusers as d
import torch

from .given import Given, image

MODELS = {}


def add(name, make):
    MODELS[f"diffusers/{name}"] = make


BLOCKS = {"block_out_channels": (32, 64), "layers_per_block": 1, "norm_num_groups": 8}
DOWN, UP = ("DownBlock2D", "AttnDownBlock2D"), ("AttnUpBlock2D", "UpBlock2D")
CROSS_DOWN, CROSS_UP = ("DownBlock2D", "CrossAttnDownBlock2D"), ("CrossAttnUpBlock2D", "UpBlock2D")
STEP = lambda: torch.tensor([10, 20])  # noqa: E731

add("unet_2d", lambda: Given(d.UNet2DModel(sample_size=16, in_channels=3, out_channels=3, down_block_types=DOWN, up_block_types=UP, attention_head_dim=8, **BLOCKS), (image(16), STEP())))
add("unet_2d_condition", lambda: Given(d.UNet2DConditionModel(sample_size=16, in_channels=4, out_channels=4, down_block_types=CROSS_DOWN, up_block_types=CROSS_UP, cross_attention_dim=24, attention_head_dim=8, **BLOCKS), (image(16, channels=4), STEP(), torch.randn(2, 7, 24))))
add("unet_sdxl", lambda: Given(d.UNet2DConditionModel(
    sample_size=16, in_channels=4, out_channels=4, down_block_types=CROSS_DOWN, up_block_types=CROSS_UP, cross_attention_dim=24, attention_head_dim=(2, 4),
    use_linear_projection=True, addition_embed_type="text_time", addition_time_embed_dim=8, projection_class_embeddings_input_dim=64, transformer_layers_per_block=(1, 2), **BLOCKS,
), (image(16, channels=4), STEP(), torch.randn(2, 7, 24)), {"added_cond_kwargs": {"text_embeds": torch.randn(2, 16), "time_ids": torch.rand(2, 6)}}))  # fmt: skip
add("unet_3d_condition", lambda: Given(d.UNet3DConditionModel(sample_size=8, down_block_types=("CrossAttnDownBlock3D", "DownBlock3D"), up_block_types=("UpBlock3D", "CrossAttnUpBlock3D"), cross_attention_dim=24, attention_head_dim=8, **BLOCKS), (torch.randn(1, 4, 4, 8, 8), torch.tensor([10]), torch.randn(1, 7, 24)), batch=False))
add("controlnet", lambda: Given(d.ControlNetModel(in_channels=4, down_block_types=CROSS_DOWN, cross_attention_dim=24, attention_head_dim=8, conditioning_embedding_out_channels=(8, 16), **BLOCKS), (image(16, channels=4), STEP(), torch.randn(2, 7, 24), image(32))))
VAE = {"block_out_channels": (16, 32), "norm_num_groups": 8, "down_block_types": ("DownEncoderBlock2D",) * 2, "up_block_types": ("UpDecoderBlock2D",) * 2}
add("autoencoder_kl", lambda: Given(d.AutoencoderKL(**VAE), (image(32),)))
add("vq_model", lambda: Given(d.VQModel(**{k: v for k, v in VAE.items()}, num_vq_embeddings=16, latent_channels=4, vq_embed_dim=4), (image(32),)))
add("autoencoder_tiny", lambda: Given(d.AutoencoderTiny(encoder_block_out_channels=(16, 16), decoder_block_out_channels=(16, 16), num_encoder_blocks=(1, 1), num_decoder_blocks=(1, 1)), (image(32),)))
add("autoencoder_dc", lambda: Given(d.AutoencoderDC(latent_channels=8, attention_head_dim=8, encoder_block_out_channels=(16, 32), decoder_block_out_channels=(16, 32), encoder_layers_per_block=(1, 1), decoder_layers_per_block=(1, 1), encoder_block_types=("ResBlock", "EfficientViTBlock"), decoder_block_types=("ResBlock", "EfficientViTBlock"), encoder_qkv_multiscales=((), (5,)), decoder_qkv_multiscales=((), (5,)), downsample_block_type="pixel_unshuffle", upsample_block_type="pixel_shuffle"), (image(32),)))
add("asymmetric_autoencoder_kl", lambda: Given(d.AsymmetricAutoencoderKL(down_block_types=("DownEncoderBlock2D",) * 2, down_block_out_channels=(16, 32), layers_per_down_block=1, up_block_types=("UpDecoderBlock2D",) * 2, up_block_out_channels=(16, 32), layers_per_up_block=1, norm_num_groups=8), (image(32),)))
HEADS = {"num_attention_heads": 2, "attention_head_dim": 8}
add("dit", lambda: Given(d.DiTTransformer2DModel(sample_size=8, num_layers=2, patch_size=2, in_channels=4, num_embeds_ada_norm=100, **HEADS), (image(8, channels=4), STEP(), torch.randint(0, 100, (2,)))))
add("pixart", lambda: Given(d.PixArtTransformer2DModel(sample_size=8, num_layers=2, patch_size=2, in_channels=4, out_channels=8, cross_attention_dim=16, caption_channels=24, **HEADS), (image(8, channels=4), torch.randn(2, 5, 24), STEP(), {"resolution": None, "aspect_ratio": None})))
add("sd3", lambda: Given(d.SD3Transformer2DModel(sample_size=8, patch_size=2, in_channels=4, num_layers=2, joint_attention_dim=24, caption_projection_dim=16, pooled_projection_dim=20, out_channels=4, pos_embed_max_size=8, **HEADS), (image(8, channels=4), torch.randn(2, 5, 24), torch.randn(2, 20), STEP())))
add("flux", lambda: Given(d.FluxTransformer2DModel(patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, joint_attention_dim=24, pooled_projection_dim=20, axes_dims_rope=(4, 2, 2), **HEADS), (), {"hidden_states": torch.randn(2, 16, 4), "encoder_hidden_states": torch.randn(2, 5, 24), "pooled_projections": torch.randn(2, 20), "timestep": torch.rand(2), "img_ids": torch.rand(16, 3) * 4, "txt_ids": torch.zeros(5, 3)}, batch=False))
add("sana", lambda: Given(d.SanaTransformer2DModel(in_channels=4, out_channels=4, num_layers=1, cross_attention_dim=16, num_cross_attention_heads=2, cross_attention_head_dim=8, caption_channels=24, sample_size=8, **HEADS), (image(8, channels=4), torch.randn(2, 5, 24), STEP())))
add("aura_flow", lambda: Given(d.AuraFlowTransformer2DModel(sample_size=8, in_channels=4, num_mmdit_layers=1, num_single_dit_layers=1, joint_attention_dim=24, caption_projection_dim=16, out_channels=4, pos_embed_max_size=16, **HEADS), (image(8, channels=4), torch.randn(2, 5, 24), torch.rand(2))))
add("cogvideox", lambda: Given(d.CogVideoXTransformer3DModel(in_channels=4, out_channels=4, time_embed_dim=8, text_embed_dim=24, num_layers=1, sample_width=8, sample_height=8, sample_frames=5, max_text_seq_length=5, **HEADS), (torch.randn(1, 2, 4, 8, 8), torch.randn(1, 5, 24), torch.tensor([10])), batch=False))
add("wan", lambda: Given(d.WanTransformer3DModel(in_channels=4, out_channels=4, text_dim=24, freq_dim=16, ffn_dim=32, num_layers=1, num_attention_heads=2, attention_head_dim=12, cross_attn_norm=True, qk_norm="rms_norm_across_heads", rope_max_seq_len=16), (torch.randn(1, 4, 2, 8, 8), torch.tensor([10]), torch.randn(1, 5, 24)), batch=False))
add("ltx_video", lambda: Given(d.LTXVideoTransformer3DModel(in_channels=4, out_channels=4, num_attention_heads=2, attention_head_dim=8, cross_attention_dim=16, num_layers=1, caption_channels=24), (), {"hidden_states": torch.randn(1, 16, 4), "encoder_hidden_states": torch.randn(1, 5, 24), "timestep": torch.tensor([10]), "encoder_attention_mask": torch.ones(1, 5), "num_frames": 1, "height": 4, "width": 4}, batch=False))
