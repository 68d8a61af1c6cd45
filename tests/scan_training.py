#!/usr/bin/env python3
"""Writes tests/data/scan_training.{pt2,safetensors}: a loss over `scan` and `map`, and its gradients by PyTorch's autograd. Needs PyTorch
2.15 and safetensors.

    python3 tests/scan_training.py

The file holds the inputs, the loss, and the gradients in the order of the inputs and then the parameters.
"""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch._higher_order_ops import scan
from torch._higher_order_ops.map import map as map_slices

DATA = Path(__file__).parent / "data"


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.Linear(4, 4)
        self.out = torch.nn.Linear(4, 2)

    def forward(self, state, x):
        def step(state, row):
            state = torch.tanh(self.cell(state) + row)
            return state.clone(), self.out(state)

        def back(state, row):
            state = torch.sigmoid(state * row)
            return state.clone(), state + row

        last, given = scan(step, state, x)
        first, turned = scan(back, last, x, reverse=True)
        mapped = map_slices(lambda row, weight: (row @ weight).softmax(-1), x, self.cell.weight)
        return (given * given).mean() + first.sin().sum() + (turned * mapped).mean()


def main():
    torch.manual_seed(0)
    model = Recurrent()
    inputs = [torch.randn(3, 4), torch.randn(150, 3, 4)]
    torch.export.save(torch.export.export(model, tuple(inputs)), DATA / "scan_training.pt2")
    leaves = [t.clone().requires_grad_() for t in inputs]
    loss = model(*leaves)
    gradients = torch.autograd.grad(loss, leaves + list(model.parameters()))
    tensors = {f"in{k}": t for k, t in enumerate(inputs)} | {"out0": loss.detach()}
    tensors |= {f"gradient{k}": t.contiguous() for k, t in enumerate(gradients)}
    save_file(tensors, DATA / "scan_training.safetensors")


if __name__ == "__main__":
    main()
