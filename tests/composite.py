#!/usr/bin/env python3
"""Writes tests/data/{composite/input,quantized_parameters,jagged,repeated_region,numerics/bfloat16,numerics/float16}.{pt2,safetensors}: tensors made of others, jagged tensors by their
offsets, a region that is called again and again, and halves that PyTorch's kernels round, with PyTorch's results. composite/parameter.pt2
has a weight that is a pickle. Needs PyTorch 2.15, torchao 0.18 and safetensors.

    python3 tests/composite.py
"""

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch.compiler import nested_compile_region
from torchao.quantization import Int8WeightOnlyConfig, quantize_

DATA = Path(__file__).parent / "data"
aten = torch.ops.aten
F = torch.nn.functional


def save(name, program, runs):
    """`runs`: for each prefix the inputs, flat, and the results."""
    torch.export.save(program, DATA / f"{name}.pt2")
    tensors = {}
    for prefix, (given, results) in runs.items():
        tensors |= {f"{prefix}in{k}": v.contiguous() for k, v in enumerate(given)}
        tensors |= {f"{prefix}out{k}": v.detach().contiguous() for k, v in enumerate(results)}
    save_file(tensors, DATA / f"{name}.safetensors")


def quantized():
    model = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.GELU(), torch.nn.Linear(8, 4)).eval()
    quantize_(model, Int8WeightOnlyConfig())
    return model


class WithWeight(torch.nn.Module):
    def forward(self, x, weight):
        return F.linear(x, weight).relu()


class Jagged(torch.nn.Module):
    """Attention within each part of a jagged tensor that is given by its rows and by where its parts begin."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 6)

    def forward(self, values, offsets):
        padded = aten._jagged_to_padded_dense_forward(values, [offsets], [5], -1.0)
        scores = (self.layer(padded) @ self.layer(padded).mT).softmax(-1)
        return padded, aten._padded_dense_to_jagged_forward(scores @ padded, [offsets], values.shape[0])


@nested_compile_region
def block(x, weight, bias):
    return x + F.linear(F.gelu(F.linear(x, weight)), weight.mT, bias)


class Repeated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = torch.nn.ParameterList(torch.randn(12, 8) / 4 for _ in range(20))
        self.bias = torch.nn.Parameter(torch.randn(8))

    def forward(self, x):
        for weight in self.weights:
            x = block(x, weight, self.bias)
        return x


class Halves(torch.nn.Module):
    """The first eight are the same however halves are rounded inside of an operator."""

    def forward(self, x, y):
        h = x + y
        scale = torch.rsqrt(h.float().pow(2).mean(-1, keepdim=True) + 1e-5)
        return (
            (x + y) * x - y,
            F.silu(x) * y,
            torch.where(x * 2 > y, x * 3 + 1, y / 3),
            F.softmax(x + y, -1),
            F.layer_norm(x + y, (x.shape[-1],)) * y,
            (h.float() * scale).to(x.dtype) * y,
            (x * y).sum(-1),
            torch.cumsum(x + y, -1),
            F.log_softmax(x * y, -1),
            F.softmax(x @ y.T * 0.125, -1) @ x,
        )


def main():
    torch.manual_seed(0)
    x = torch.randn(3, 16)
    model = quantized()
    torch.export.save(torch.export.export(model, (x,)), DATA / "composite/parameter.pt2")
    program = torch.export.export(model, (x,)).run_decompositions()
    save("quantized_parameters", program, {"": ((x,), (model(x),))})

    weight = quantized()[0].weight
    program = torch.export.export(WithWeight(), (x, weight))
    save("composite/input", program, {"": ((x, weight.qdata, weight.scale), (WithWeight()(x, weight),))})

    model = Jagged()
    rows, parts = torch.export.Dim("rows", min=1, max=100), torch.export.Dim("parts", min=3, max=9)
    given = {"": (8, [0, 3, 8]), "dyn0.": (9, [0, 0, 4, 9, 9]), "dyn1.": (6, [0, 1, 6])}
    runs = {}
    for prefix, (count, offsets) in given.items():
        inputs = (torch.randn(count, 4), torch.tensor(offsets))
        runs[prefix] = (inputs, model(*inputs))
    save("jagged", torch.export.export(model, runs[""][0], dynamic_shapes=({0: rows}, {0: parts})), runs)

    model, x = Repeated(), torch.randn(4, 8)
    save("repeated_region", torch.export.export(model, (x,), strict=True), {"": ((x,), (model(x),))})

    for name, dtype in (("bfloat16", torch.bfloat16), ("float16", torch.float16)):
        x, y = torch.randn(2, 64, 64).to(dtype)
        save(f"numerics/{name}", torch.export.export(Halves(), (x, y)), {"": ((x, y), Halves()(x, y))})


if __name__ == "__main__":
    main()
