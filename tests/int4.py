#!/usr/bin/env python3
"""Writes tests/data/int4/{avx512,avx2,default}.{pt2,safetensors}: products with weights of 4 bits that a CPU packed, with PyTorch's
results. The order of the bytes is that of the CPU that PyTorch is told to use, so each file has a process of its own.
tests/data/int4/bytes.{pt2,safetensors}: the same of weights of 8 bits, which have one order.
tests/data/int4/zeros.{pt2,safetensors}: products with scales and zero points apart, which PyTorch computes on Intel's GPUs alone; the
results are those of the formula of its kernel (ATen/native/mkldnn/xpu/detail/WoQMatmul.cpp).
tests/data/int4/tiles.safetensors holds what PyTorch 2.11 packed and computed on a GPU: `bytes`, `packed`, `x`, `sz` and `y` for 2, 4 and 8 inner
tiles. Needs PyTorch 2.15 and safetensors, on a CPU with AVX-512.

    python3 tests/int4.py
"""

import os
import subprocess
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

DATA = Path(__file__).parent / "data" / "int4"
aten = torch.ops.aten


class Layer(torch.nn.Module):
    def __init__(self, rows, columns, group, dtype):
        super().__init__()
        codes = torch.randint(0, 16, (rows, columns), dtype=torch.int32)
        self.register_buffer("weight", aten._convert_weight_to_int4pack_for_cpu(codes, 1))
        groups = columns // group
        scales, zeros = torch.rand(groups, rows) / 8 + 0.01, torch.randn(groups, rows) / 8
        self.register_buffer("scales_and_zeros", torch.stack([scales, zeros], 2).to(dtype))
        self.group = group

    def forward(self, x):
        x = x.to(self.scales_and_zeros.dtype)
        return aten._weight_int4pack_mm_for_cpu(x, self.weight, self.group, self.scales_and_zeros).float()


class Model(torch.nn.Module):
    """Rows that fill blocks and rows that fill none, each dtype and group, and a weight that the program packs."""

    def __init__(self):
        super().__init__()
        self.a = Layer(112, 64, 32, torch.float32)
        self.b = Layer(64, 64, 64, torch.bfloat16)
        self.c = Layer(96, 64, 64, torch.float16)
        self.d = Layer(16, 64, 32, torch.float32)

    def forward(self, x, codes):
        packed = aten._convert_weight_to_int4pack_for_cpu(codes, 1)
        own = aten._weight_int4pack_mm_for_cpu(x, packed, 32, self.a.scales_and_zeros)
        return self.a(x), self.b(x), self.c(x), self.d(x), own, packed.int()


class Bytes(torch.nn.Module):
    """Weights of 8 bits, with a scale for each row, in products of few rows and of many."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(-128, 128, (96, 64), dtype=torch.int8))
        self.register_buffer("scales", (torch.rand(96) / 64 + 0.001).bfloat16())

    def forward(self, x):
        products = [torch._weight_int8pack_mm(rows, self.weight, self.scales) for rows in (x[:1], x[:6], x)]
        return tuple(product.float() for product in products)


class Apart(torch.nn.Module):
    """Codes of 4 bits, eight in a word with the first in its lowest bits; a weight is `(code - zero) * scale`."""

    def __init__(self, rows, columns, group, dtype):
        super().__init__()
        self.group = group
        codes = torch.randint(0, 16, (rows, columns))
        words = (codes.view(rows, columns // 8, 8) << torch.arange(0, 32, 4)).sum(-1)
        self.register_buffer("weight", torch.where(words >= 2**31, words - 2**32, words).int())
        self.register_buffer("scales", (torch.rand(columns // group, rows) / 8 + 0.01).to(dtype))
        self.register_buffer("zeros", torch.randint(-3, 16, (columns // group, rows), dtype=torch.int8))
        each = [t.T.repeat_interleave(group, 1) for t in (self.zeros.int(), self.scales.float())]
        self.real = ((codes - each[0]) * each[1]).to(dtype).double()

    def forward(self, x):
        x = x.to(self.scales.dtype)
        return aten._weight_int4pack_mm_with_scales_and_zeros(x, self.weight, self.group, self.scales, self.zeros).float()

    def result(self, x):
        return (x.to(self.scales.dtype).double() @ self.real.T).to(self.scales.dtype).float()


class Zeros(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Apart(20, 64, 32, torch.float32)
        self.b = Apart(48, 128, 64, torch.bfloat16)
        self.c = Apart(33, 96, 96, torch.float16)

    def forward(self, x, y, z):
        return self.a(x), self.b(y), self.c(z)

    def results(self, x, y, z):
        return self.a.result(x), self.b.result(y), self.c.result(z)


def write(name, model, given, results=None):
    torch.export.save(torch.export.export(model, given), DATA / f"{name}.pt2")
    tensors = {f"in{k}": value for k, value in enumerate(given)}
    tensors |= {f"out{k}": value for k, value in enumerate(results or model(*given))}
    save_file(tensors, DATA / f"{name}.safetensors")


def main():
    if len(sys.argv) == 1:
        torch.manual_seed(0)
        write("bytes", Bytes(), (torch.randn(40, 64).bfloat16(),))
        model, given = Zeros(), tuple(torch.randn(3, n) for n in (64, 128, 96))
        write("zeros", model, given, model.results(*given))
        for name in ("avx512", "avx2", "default"):
            subprocess.run([sys.executable, __file__, name], check=True, env={**os.environ, "ATEN_CPU_CAPABILITY": name})
        return
    name = torch.backends.cpu.get_cpu_capability().lower()
    assert name == sys.argv[1], name
    torch.manual_seed(0)
    model, given = Model(), (torch.randn(3, 64), torch.randint(0, 16, (112, 64), dtype=torch.int32))
    write(name, model, given)


if __name__ == "__main__":
    main()
