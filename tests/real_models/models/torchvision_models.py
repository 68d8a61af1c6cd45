"""torchvision: classification, segmentation, detection, video and optical flow."""

import torch
import torchvision

from .given import Given, image

MODELS = {}
# Name and the side of its images.
CLASSIFIERS = {
    "alexnet": 64, "vgg11_bn": 32, "resnet18": 64, "resnet50": 64, "resnext50_32x4d": 64, "wide_resnet50_2": 64, "densenet121": 64,
    "inception_v3": 96, "googlenet": 64, "squeezenet1_1": 64, "mobilenet_v2": 64, "mobilenet_v3_small": 64, "mobilenet_v3_large": 64,
    "shufflenet_v2_x0_5": 64, "efficientnet_b0": 64, "efficientnet_v2_s": 64, "regnet_x_400mf": 64, "regnet_y_400mf": 64,
    "mnasnet0_5": 64, "convnext_tiny": 64, "vit_b_32": 64, "swin_t": 64, "swin_v2_t": 64, "maxvit_t": 64,
}  # fmt: skip


def classifier(name, size):
    options = {"init_weights": True} if name in ("inception_v3", "googlenet") else {}
    if name == "vit_b_32":
        module = torchvision.models.VisionTransformer(image_size=64, patch_size=16, num_layers=3, num_heads=4, hidden_dim=64, mlp_dim=128)
    elif name == "maxvit_t":
        module = torchvision.models.MaxVit((64, 64), 16, 4, [16, 32], [1, 1], 8, 0.0)
    else:
        module = getattr(torchvision.models, name)(weights=None, **options)
    return Given(module, (image(size),))


for name, size in CLASSIFIERS.items():
    MODELS[f"torchvision/{name}"] = lambda name=name, size=size: classifier(name, size)
for name in ("fcn_resnet50", "deeplabv3_mobilenet_v3_large", "deeplabv3_resnet50", "lraspp_mobilenet_v3_large"):
    MODELS[f"torchvision/{name}"] = lambda name=name: Given(
        getattr(torchvision.models.segmentation, name)(weights=None, weights_backbone=None), (image(64),)
    )


def batched_nms(boxes, scores, classes, threshold):
    """torchvision's way for few boxes. It takes another for many, and exporting cannot decide by a number that data give."""
    offsets = classes.to(boxes) * (torch.nn.functional.pad(boxes.flatten(), (1, 0)).max() + 1)
    return torchvision.ops.nms(boxes + offsets[:, None], scores, threshold)


class Detector(torch.nn.Module):
    """A detector of one image; its boxes, labels and scores."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner([x])[0]


def length(value):
    return value.shape[0] if isinstance(value, torch.Tensor) else len(value)


def detector(name):
    torchvision.ops.boxes.batched_nms = batched_nms
    # `len` of a tensor must be a number that is known.
    torchvision.ops.poolers.len = length
    options = {} if name in ("ssd300_vgg16", "ssdlite320_mobilenet_v3_large") else {"min_size": 96, "max_size": 128}
    make = getattr(torchvision.models.detection, name)
    return Given(Detector(make(weights=None, weights_backbone=None, **options)), (torch.rand(3, 96, 128),), batch=False)


for name in (
    "fasterrcnn_resnet50_fpn", "fasterrcnn_mobilenet_v3_large_320_fpn", "retinanet_resnet50_fpn", "fcos_resnet50_fpn", "ssd300_vgg16",
    "ssdlite320_mobilenet_v3_large", "maskrcnn_resnet50_fpn", "keypointrcnn_resnet50_fpn",
):  # fmt: skip
    MODELS[f"torchvision/{name}"] = lambda name=name: detector(name)


def video(name):
    size = {"mvit_v1_b": 224, "mvit_v2_s": 224, "s3d": 224}.get(name, 64)
    if name.startswith("mvit"):
        block = torchvision.models.video.mvit.MSBlockConfig
        blocks = [
            block(1, 16, 32, [3, 3, 3], [3, 3, 3], [1, 1, 1], [1, 4, 4]), block(2, 32, 32, [3, 3, 3], [3, 3, 3], [1, 2, 2], [1, 2, 2]),
        ]  # fmt: skip
        second = name == "mvit_v2_s"
        module = torchvision.models.video.MViT(
            (32, 32), 8, blocks, residual_pool=second, residual_with_cls_embed=not second, rel_pos_embed=second,
            proj_after_attn=second, num_classes=10,
        )  # fmt: skip
        return Given(module, (torch.randn(2, 3, 8, 32, 32),))
    module = getattr(torchvision.models.video, name)(weights=None)
    return Given(module, (torch.randn(1, 3, 16 if name == "s3d" else 4, size, size),))


for name in ("r3d_18", "mc3_18", "r2plus1d_18", "s3d", "mvit_v1_b", "mvit_v2_s", "swin3d_t"):
    MODELS[f"torchvision/{name}"] = lambda name=name: video(name)
MODELS["torchvision/raft_small"] = lambda: Given(
    torchvision.models.optical_flow.raft_small(weights=None), (image(128, 1), image(128, 1)), {"num_flow_updates": 3}, batch=False
)
