"""Exports a model that calls two operators of torch.library, and prints what PyTorch computes. Needs PyTorch 2.15.

    python3 export.py          writes model.pt2
"""

from pathlib import Path

import torch


@torch.library.custom_op("mylib::soft_sign", mutates_args=())
def soft_sign(x: torch.Tensor, width: float = 1.0) -> torch.Tensor:
    return x / (width + x.abs())


@soft_sign.register_fake
def _(x, width=1.0):
    return torch.empty_like(x)


@torch.library.custom_op("mylib::row_maximum", mutates_args=())
def row_maximum(x: torch.Tensor) -> torch.Tensor:
    return x.abs().amax(1, keepdim=True)


@row_maximum.register_fake
def _(x):
    return x.new_empty(x.shape[0], 1)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 4)

    def forward(self, x):
        y = soft_sign(self.layer(x), 0.5)
        return y / row_maximum(y)


torch.manual_seed(0)
model, x = Model(), torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]])
rows = torch.export.Dim("rows", min=1, max=1024)
torch.export.save(torch.export.export(model, (x,), dynamic_shapes=({0: rows},)), Path(__file__).parent / "model.pt2")
for row in model(x).tolist():
    print(" ".join(f"{v:6.3f}" for v in row))
