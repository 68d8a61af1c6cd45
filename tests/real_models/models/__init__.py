"""The models: names, and functions that build them with random weights and small sizes."""

import importlib

import torch

# Only the CPU is used here. The wheel of torchaudio, which transformers imports, too, may be for another CUDA than PyTorch's,
# which it would refuse.
cuda, torch.version.cuda = torch.version.cuda, None
import torchaudio  # noqa: E402, F401

torch.version.cuda = cuda
#: The packages, and the modules here that know their models.
PARTS = {
    "torchvision": "torchvision_models", "timm": "timm_models", "transformers": "transformers_models", "diffusers": "diffusers_models",
    "torchaudio": "torchaudio_models", "torch_geometric": "geometric_models", "torchao": "quantised_models",
}  # fmt: skip


def names(only=None):
    """All names, package/model, of the packages whose name may match."""
    wanted = [p for p in PARTS if not only or p in only] or PARTS
    return [name for package in wanted for name in importlib.import_module(f"models.{PARTS[package]}").MODELS]


def build(name):
    """The model of this name with its inputs."""
    return importlib.import_module(f"models.{PARTS[name.split('/')[0]]}").MODELS[name]()
