#!/usr/bin/env python3
"""Writes tests/data/autocast*.{pt2,safetensors}: models, and what PyTorch's autocast on a CPU makes of them. Needs PyTorch 2.15 and safetensors.

    python3 tests/autocast.py

`autocast` is a model of which a part switches autocast off, with its outputs and gradients in two precisions; `autocast_regions` is one
that switches it on for a part, and off again inside.
"""

from pathlib import Path

import torch
from safetensors.torch import save_file

DATA = Path(__file__).parent / "data"
F = torch.nn.functional


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv1d(1, 4, 3, padding=1)
        self.norm = torch.nn.LayerNorm(16)
        self.a = torch.nn.Linear(64, 16)
        self.b = torch.nn.Linear(16, 16)
        self.c = torch.nn.Linear(32, 8)

    def forward(self, x):
        y = F.gelu(self.conv(x.unsqueeze(1))).flatten(1)
        y = self.norm(self.a(y))
        with torch.autocast("cpu", enabled=False):
            z = self.b(y.float())
        w = self.c(torch.cat([z, y], 1))
        return F.mse_loss(w.softmax(-1), x[:, :8].softmax(-1)), w


class Regions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(16, 16)
        self.b = torch.nn.Linear(16, 16)

    def forward(self, x):
        y = self.a(x)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = self.b(y)
            with torch.autocast("cpu", enabled=False):
                w = self.b(z.float())
            u = z @ w
        return u.float(), w, self.a(w)


def main():
    torch.manual_seed(0)
    model, x = Model(), torch.randn(4, 16)
    torch.export.save(torch.export.export(model, (x,)), DATA / "autocast.pt2")
    tensors = {"in0": x}
    for dtype in (torch.bfloat16, torch.float16):
        name = str(dtype).removeprefix("torch.")
        with torch.autocast("cpu", dtype=dtype):
            loss, w = model(x)
        model.zero_grad()
        (loss + w.float().sum()).backward()
        tensors[f"{name}.out0"], tensors[f"{name}.out1"] = loss.detach(), w.detach().float()
        tensors |= {f"{name}.gradient of {k}": p.grad.clone() for k, p in model.named_parameters()}
    save_file(tensors, DATA / "autocast.safetensors")

    model, x = Regions(), torch.randn(16, 16)
    torch.export.save(torch.export.export(model, (x,)), DATA / "autocast_regions.pt2")
    with torch.no_grad():
        outputs = model(x)
    save_file({"in0": x} | {f"out{k}": y for k, y in enumerate(outputs)}, DATA / "autocast_regions.safetensors")


if __name__ == "__main__":
    main()
