#!/usr/bin/env python3
"""Writes tests/data/splits.{pt2,safetensors}: dimensions of unknown size that are split into parts whose number the export
fixed, with PyTorch's results. Needs PyTorch 2.15 and safetensors.

    python3 tests/splits.py
"""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch.export import Dim

DATA = Path(__file__).parent / "data"


class Model(torch.nn.Module):
    def forward(self, x, y):
        a, b, c = x.chunk(3)
        own = y * 2
        upper, lower = own.split(y.shape[0] // 2)
        upper.mul_(lower.sum())
        return (
            a.sum(0) * b.sum(0) + c.sum(0),
            [part + 1 for part in x.chunk(4)],
            x.split(x.shape[0] - 3),
            [part * part for part in y.tensor_split(3)],
            own,
            torch.cat(y.t().hsplit(2)[::-1], 1),
        )


def main():
    torch.manual_seed(0)
    model, tensors = Model().eval(), {}
    sizes = {"": (11, 10), "dyn0.": (12, 16), "dyn1.": (8, 22), "dyn2.": (23, 28)}
    given = {prefix: (torch.randn(x, 3), torch.randn(y, 3)) for prefix, (x, y) in sizes.items()}
    program = torch.export.export(model, given[""], dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO}))
    torch.export.save(program, DATA / "splits.pt2")
    again = program.module()
    for prefix, inputs in given.items():
        for k, value in enumerate(inputs):
            tensors[f"{prefix}in{k}"] = value
        for k, value in enumerate(torch.utils._pytree.tree_leaves(again(*inputs))):
            tensors[f"{prefix}out{k}"] = value.clone(memory_format=torch.contiguous_format)
    save_file(tensors, DATA / "splits.safetensors")


if __name__ == "__main__":
    main()
