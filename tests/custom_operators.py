#!/usr/bin/env python3
"""Writes tests/data/custom_operators*.pt2: models that call operators of their own, registered with torch.library. Needs PyTorch 2.15.

    python3 tests/custom_operators.py [folder]
"""

import sys
from pathlib import Path

import torch
from torch.library import custom_op, register_autograd

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data"


@custom_op("mylib::blend", mutates_args=())
def blend(a: torch.Tensor, b: torch.Tensor, t: float = 0.5) -> torch.Tensor:
    return a * (1 - t) + b * t


@blend.register_fake
def _(a, b, t=0.5):
    return torch.empty_like(a)


@custom_op("mylib::accumulate", mutates_args=("state",))
def accumulate(state: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    state += x.sum(0)
    return state * 2


@accumulate.register_fake
def _(state, x):
    return torch.empty_like(state)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.tensor([1.0, 2.0, 3.0]))
        self.weight = torch.nn.Parameter(torch.tensor([2.0, -1.0, 0.5]))

    def forward(self, x):
        y = blend(x.relu(), self.weight * x, 0.25)
        doubled = accumulate(self.total, y)
        return torch.exp(-y), doubled, self.total + 1


program = torch.export.export(
    Model(), (torch.ones(4, 3),), dynamic_shapes={"x": {0: torch.export.Dim("rows", min=1, max=64)}}
)
torch.export.save(program, folder / "custom_operators.pt2")
torch.export.save(program.run_decompositions(), folder / "custom_operators_decomposed.pt2")
