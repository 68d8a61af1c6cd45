#!/usr/bin/env python3
"""Writes tests/data/scans*.{pt2,safetensors}: `scan` and `map` over many slices. Needs PyTorch 2.15 and safetensors.

    python3 tests/scans.py

`scans` has as many slices as its input, one scan inside the other's body, and bodies that use tensors and sizes from around;
`scans_fixed` has a number of slices that is known, but too large to unroll. Names in the files are those of tests/models.rs.
"""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch._higher_order_ops import scan
from torch._higher_order_ops.map import map as map_slices

DATA = Path(__file__).parent / "data"


class Nested(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.Linear(4, 4)

    def forward(self, x, state, marks):
        def step(state, given):
            slice, mark = given
            total, seen = scan(lambda t, row: (t + row, t * row), state[0].clone(), slice)
            state = torch.tanh(self.cell(state) + slice) * 0.5 + total.mean() / x.shape[0]
            return state, (seen.sum(0), mark + state.argmax(-1))

        last, (seen, marked) = scan(step, state, (x, marks))
        mapped = map_slices(lambda row, weight: (row @ weight).softmax(-1) > 0.3, x, self.cell.weight)
        return last, seen, marked, mapped


class Fixed(torch.nn.Module):
    def forward(self, x, decay):
        last, sums = scan(lambda s, row: (s * decay + row, (s - row).abs()), torch.zeros_like(x[0]), x, reverse=True)
        return last, sums, map_slices(lambda row: row.cumsum(0), x)


def write(name, model, cases, dynamic_shapes=None):
    torch.export.save(torch.export.export(model, cases[0], dynamic_shapes=dynamic_shapes), DATA / f"{name}.pt2")
    tensors = {}
    for prefix, inputs in zip(["", "dyn0.", "dyn1.", "dyn2."], cases):
        tensors |= {f"{prefix}in{k}": t.contiguous() for k, t in enumerate(inputs)}
        tensors |= {f"{prefix}out{k}": t.detach().contiguous() for k, t in enumerate(model(*inputs))}
    save_file(tensors, DATA / f"{name}.safetensors")


@torch.no_grad()
def main():
    torch.manual_seed(0)
    n = torch.export.Dim("n", min=1, max=1000)
    inputs = lambda n: (torch.randn(n, 3, 4), torch.randn(3, 4), torch.randint(0, 9, (n, 3)))
    write("scans", Nested(), [inputs(k) for k in (7, 1, 2, 150)], ({0: n}, None, {0: n}))
    write("scans_fixed", Fixed(), [(torch.randn(160, 5), torch.rand(5))])


if __name__ == "__main__":
    main()
