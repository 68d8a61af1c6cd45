#!/usr/bin/env python3
"""Writes tests/data/slices.{pt2,safetensors}: a scan over many slices and a map over a number of them that is not known, with PyTorch's results.
Needs PyTorch 2.15 and safetensors.

    python3 tests/slices.py
"""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch._higher_order_ops import map as map_slices
from torch._higher_order_ops.scan import scan

DATA = Path(__file__).parent / "data"


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.Linear(8, 4)

    def forward(self, x, rows):
        def step(carry, slice_):
            hidden = torch.tanh(self.cell(torch.cat([carry, slice_], -1)))
            return hidden, (hidden * 2, hidden.sum(-1))

        last, (states, sums) = scan(step, torch.zeros(3, 4), x, dim=0)

        def one(row):
            return (row.softmax(0) * self.cell.bias).cumsum(0)

        return last, states[::50].clone(), sums, map_slices(one, rows)


def main():
    torch.manual_seed(0)
    model, x = Model().eval(), torch.randn(300, 3, 4)
    rows = torch.export.Dim("rows", min=1, max=1000)
    with torch.no_grad():
        program = torch.export.export(model, (x, torch.randn(5, 4)), dynamic_shapes=(None, {0: rows}))
        torch.export.save(program, DATA / "slices.pt2")
        tensors = {}
        for prefix, count in (("", 5), ("dyn0.", 1), ("dyn1.", 200)):
            given = (torch.randn(300, 3, 4), torch.randn(count, 4))
            for k, value in enumerate(given):
                tensors[f"{prefix}in{k}"] = value
            for k, value in enumerate(model(*given)):
                tensors[f"{prefix}out{k}"] = value.contiguous()
        save_file(tensors, DATA / "slices.safetensors")


if __name__ == "__main__":
    main()
