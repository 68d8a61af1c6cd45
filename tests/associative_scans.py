#!/usr/bin/env python3
"""Writes tests/data/associative_scans.{pt2,safetensors}: a linear recurrence over many slices, running products from the end over a few, and
a scan with a captured tensor over a number of slices that is not known, with PyTorch's results. Needs PyTorch 2.15 and safetensors.

    python3 tests/associative_scans.py
"""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch._higher_order_ops.associative_scan import associative_scan

DATA = Path(__file__).parent / "data"


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor([0.5, 0.25, 0.125]))

    def forward(self, decay, x, few, rows):
        def recurrence(left, right):
            (a, b), (c, d) = left, right
            return a * c, b * c + d

        def product(left, right):
            return left * right

        def largest(left, right):
            return torch.maximum(left, right * self.scale.abs() / self.scale.abs())

        states = associative_scan(recurrence, (decay, x), dim=1, combine_mode="pointwise")
        products = associative_scan(product, few, dim=0, reverse=True, combine_mode="pointwise")
        one = associative_scan(product, few[:1], dim=0, combine_mode="pointwise")
        rows = associative_scan(largest, rows, dim=0, combine_mode="pointwise")
        return [state.contiguous() for state in states], products, one, rows


def main():
    torch.manual_seed(0)
    model = Model().eval()
    rows = torch.export.Dim("rows", min=1, max=1000)

    def inputs(count):
        return torch.rand(2, 300, 3), torch.randn(2, 300, 3), torch.rand(7, 5) + 0.5, torch.randn(count, 3)

    with torch.no_grad():
        program = torch.export.export(model, inputs(5), dynamic_shapes=(None, None, None, {0: rows}))
        torch.export.save(program, DATA / "associative_scans.pt2")
        tensors = {}
        for prefix, count in (("", 5), ("dyn0.", 1), ("dyn1.", 200)):
            given = inputs(count)
            (decays, states), *others = program.module()(*given)
            for k, value in enumerate(given):
                tensors[f"{prefix}in{k}"] = value
            for k, value in enumerate([decays, states, *others]):
                tensors[f"{prefix}out{k}"] = value.clone(memory_format=torch.contiguous_format)
        save_file(tensors, DATA / "associative_scans.safetensors")


if __name__ == "__main__":
    main()
