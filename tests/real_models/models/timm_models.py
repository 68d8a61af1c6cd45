"""timm: a small member of each family."""

import timm
import torch

from .given import Given, image

MODELS = {}
# Name, side of the images, and arguments that make it smaller.
SMALL = {
    "beit_base_patch16_224": (64, {"img_size": 64, "embed_dim": 64, "depth": 3, "num_heads": 4}),
    "cait_xxs24_224": (64, {"img_size": 64, "embed_dim": 48, "depth": 3, "num_heads": 4}),
    "coat_tiny": (64, {"img_size": 64}),
    "coatnet_nano_rw_224": (64, {"img_size": 64}),
    "convit_tiny": (64, {"img_size": 64}),
    "crossvit_9_240": (240, {}),
    "cspdarknet53": (64, {}),
    "deit_tiny_distilled_patch16_224": (64, {"img_size": 64, "depth": 3}),
    "davit_tiny": (64, {"depths": (1, 1, 2, 1)}),
    "dla34": (64, {}),
    "dpn48b": (64, {}),
    "edgenext_xx_small": (64, {}),
    "efficientformer_l1": (224, {"depths": (1, 1, 2, 2)}),
    "efficientvit_b0": (64, {}),
    "eva02_tiny_patch14_224": (56, {"img_size": 56, "depth": 3}),
    "fastvit_t8": (64, {}),
    "gcvit_xxtiny": (224, {}),
    "gernet_s": (64, {}),
    "ghostnet_050": (64, {}),
    "hardcorenas_a": (64, {}),
    "hgnet_tiny": (64, {}),
    "hiera_tiny_224": (64, {"img_size": 64, "stages": (1, 1, 2, 1)}),
    "hrnet_w18_small": (64, {}),
    "inception_next_tiny": (64, {"depths": (1, 1, 2, 1)}),
    "lambda_resnet26t": (128, {}),
    "levit_128s": (224, {"depth": (1, 1, 2)}),
    "mambaout_femto": (64, {"depths": (1, 1, 2, 1)}),
    "mobilenetv4_conv_small": (64, {}),
    "mobileone_s0": (64, {}),
    "mobilevit_xxs": (64, {}),
    "mobilevitv2_050": (64, {}),
    "nfnet_f0": (64, {"depths": (1, 1, 2, 1)}),
    "nf_regnet_b0": (64, {}),
    "pit_ti_224": (224, {}),
    "poolformer_s12": (64, {}),
    "pvt_v2_b0": (64, {}),
    "regnetz_b16": (64, {}),
    "repvgg_a0": (64, {}),
    "repvit_m0_9": (64, {}),
    "res2net50_14w_8s": (64, {"layers": (1, 1, 2, 1)}),
    "resnest14d": (64, {}),
    "rexnet_100": (64, {}),
    "selecsls42": (64, {}),
    "sequencer2d_s": (224, {"layers": (1, 1, 1, 1)}),
    "skresnet18": (64, {}),
    "swiftformer_xs": (64, {}),
    "swinv2_cr_tiny_224": (64, {"img_size": 64, "depths": (1, 1, 2, 1), "window_size": 2}),
    "tiny_vit_5m_224": (64, {"depths": (1, 1, 2, 1)}),
    "tnt_s_patch16_224": (64, {"img_size": 64, "depth": 3}),
    "tresnet_m": (64, {}),
    "twins_svt_small": (224, {"depths": (1, 1, 2, 1)}),
    "visformer_tiny": (224, {}),
    "vitamin_small_224": (64, {"img_size": 64}),
    "vovnet39a": (64, {}),
    "xception41": (96, {}),
    "xcit_nano_12_p16_224": (64, {"img_size": 64, "depth": 3}),
}


def mixer(**options):
    return timm.models.mlp_mixer.MlpMixer(img_size=64, patch_size=16, embed_dim=64, num_blocks=3, **options)


#: Where the constructor takes what the function of the family does not.
CLASSES = {
    "convmixer": lambda: timm.models.convmixer.ConvMixer(dim=64, depth=4, kernel_size=7, patch_size=7, act_layer=torch.nn.ReLU),
    "focalnet": lambda: timm.models.focalnet.FocalNet(depths=(1, 1, 2, 1), embed_dim=32),
    "gmlp": lambda: mixer(block_layer=timm.models.mlp_mixer.SpatialGatingBlock, mlp_layer=timm.layers.GatedMlp, mlp_ratio=6),
    "mixer": lambda: mixer(),
    "nest": lambda: timm.models.nest.Nest(img_size=64, embed_dims=(32, 32, 64), num_heads=(2, 2, 4), depths=(1, 1, 2)),
    "resmlp": lambda: mixer(block_layer=timm.models.mlp_mixer.ResBlock, norm_layer=timm.models.mlp_mixer.Affine, mlp_ratio=4),
    "volo": lambda: timm.models.volo.VOLO(layers=(1, 1, 2, 1), embed_dims=(48, 96, 96, 96), num_heads=(2, 4, 4, 4), img_size=64),
}  # fmt: skip


def build(name):
    size, options = SMALL[name]
    return Given(timm.create_model(name, pretrained=False, **options), (image(size),))


for name in SMALL:
    MODELS[f"timm/{name}"] = lambda name=name: build(name)
for name in CLASSES:
    MODELS[f"timm/{name}"] = lambda name=name: Given(CLASSES[name](), (image(),))
