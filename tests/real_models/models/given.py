"""What a model is given as."""

import dataclasses

import torch


@dataclasses.dataclass
class Given:
    module: torch.nn.Module
    args: tuple = ()
    kwargs: dict = dataclasses.field(default_factory=dict)
    #: Whether the first dimension of all inputs is a batch, which is tried with any size.
    batch: bool = True
    #: Whether constant parameters are made random.
    stir: bool = True


def image(size=64, batch=2, channels=3):
    return torch.randn(batch, channels, size, size)


def ids(length=16, batch=2, vocabulary=99):
    return torch.randint(3, vocabulary, (batch, length))
