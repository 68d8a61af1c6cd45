"""Operators that AOT autograd is given as formulas: some that Litz has no other form of, and some where a graph is differentiated.

Its partitioner computes again in the backward what is cheap, if it sees that it is: of a cross-entropy's formula a backward keeps
a number for each row, of the operators themselves every logarithm.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch._decomp import get_decompositions

__all__ = ["formulas"]

aten = torch.ops.aten


@functools.cache
def formulas(trains: bool) -> dict[Any, Callable[..., Any]]:
    """The formulas by operator."""
    always = {torch.ops.quantized.embedding_bag_byte_unpack.default: _byte_unpack}
    if not trains:
        return always
    own = [aten._log_softmax.default, aten._log_softmax_backward_data.default, aten.detach.default]
    return {**always, **get_decompositions(own), aten.nll_loss_backward.default: _nll_loss_backward}


def _byte_unpack(weight: torch.Tensor) -> torch.Tensor:
    """The rows of a quantised table, `[..., D + 8]` bytes to `[..., D]` float32. Behind a row's bytes stand its scale and its offset."""
    scale, offset = weight[..., -8:].contiguous().view(torch.float32).split(1, dim=-1)
    return weight[..., :-8].to(torch.float32) * scale + offset


def _nll_loss_backward(
    grad_output: torch.Tensor,
    self: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None,
    reduction: int,
    ignore_index: int,
    total_weight: torch.Tensor,
) -> torch.Tensor:
    """The gradient of `self`, `[N, C]` or `[C]`: in each row minus the loss's at the target's class, and zero elsewhere. It reads
    no element of `self`.

    The forward has refused targets that are no class.
    """
    counts = target != ignore_index
    target = torch.where(counts, target, 0)
    each = -grad_output / total_weight if reduction == 1 else -grad_output
    if weight is not None:
        each = each * weight.gather(0, target.reshape(-1)).reshape(target.shape)
    each = torch.where(counts, each, 0.0).unsqueeze(-1)
    classes = torch.arange(self.shape[-1], device=self.device)
    return torch.where(classes == target.unsqueeze(-1), each, 0.0).to(self.dtype)
