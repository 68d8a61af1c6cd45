#!/usr/bin/env python3
"""Writes tests/data/ops/quantised_blocks.safetensors.gz, grouped_products.safetensors.gz and places_of_true.safetensors.gz: torchao's
quantisation by blocks, products of groups with a matrix each, and the coordinates of what is true, with PyTorch's results.

    python3 tests/groups.py        needs PyTorch, safetensors, torchao and transformers

Each file is one program; `tests/operators.rs` runs it."""
import torch
import torchao.quantization  # noqa: F401
import transformers.integrations.moe  # noqa: F401

from results import Program

AO = "torchao.{}.default"


def quantised(p):
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        x = p.input((torch.randn(2, 6, 8) * torch.tensor([0.1, 1, 30]).repeat(2)[:, None]).to(dtype))
        # Elements, rows, parts of rows, blocks over two dimensions, and the whole tensor.
        for block in ([1, 1, 1], [1, 1, 8], [1, 1, 4], [2, 3, 4], [2, 6, 8], [1, 6, 1]):
            counts = [n // b for n, b in zip(x.shape, block)]
            # torchao's parameters of elements are those of the whole tensor, in another shape.
            if max(block) > 1:
                for mapping in ("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"):
                    p.call(AO.format("choose_qparams_affine"), x, mapping, block, torch.int8, -128, 127, keepdim=mapping == "SYMMETRIC")
                p.call(AO.format("choose_qparams_affine"), x, "ASYMMETRIC", block, torch.uint8, None, None, 0.25, torch.float32, torch.int16)
            scale = p.input(torch.rand(counts) * 0.1 + 0.01)
            zero = p.input(torch.randint(-5, 6, counts, dtype=torch.int8))
            for low, high in ((None, None), (-8, 7)):
                numbers = p.call(AO.format("quantize_affine"), x, block, scale, zero, torch.int8, low, high)
            numbers = p.input(numbers.clone())
            p.call(AO.format("dequantize_affine"), numbers, block, scale, zero, torch.int8, -8, 7)
            p.call(AO.format("dequantize_affine"), numbers, block, scale, None, torch.int8, output_dtype=dtype)


    for dtype in (torch.int8, torch.uint8):
        info = torch.iinfo(dtype)
        x = p.input(torch.randint(info.min, info.max + 1, (17, 8)).to(dtype))
        p.call("aten._int_mm.default", x, p.input(torch.randint(-128, 128, (8, 16)).to(torch.int8)))


def grouped(p):
    for ends in ([0, 3, 3, 7], [2, 2, 5, 9], [0, 0, 0, 0]):
        x, weight = p.input(torch.randn(9, 4)), p.input(torch.randn(4, 4, 8))
        for dtype in (torch.int32, torch.int64):
            p.call("transformers.grouped_mm_fallback.default", x, weight, p.input(torch.tensor(ends, dtype=dtype)))
    # PyTorch wants rows of whole 16 bytes, and leaves rows after the last group as they were.
    for dtype in (torch.float32, torch.bfloat16):
        rows, columns, inner = (p.input(torch.tensor(e, dtype=torch.int32)) for e in ([2, 2, 9], [0, 5, 16], [3, 3, 8]))
        x, matrices, b = p.input(torch.randn(9, 8).to(dtype)), p.input(torch.randn(3, 8, 16).to(dtype)), p.input(torch.randn(8, 16).to(dtype))
        p.call("aten._grouped_mm.default", x, matrices, rows)
        p.call("aten._grouped_mm.default", p.input(torch.randn(3, 4, 8).to(dtype)), b, columns)
        p.call("aten._grouped_mm.default", p.input(torch.randn(4, 8).to(dtype)), b, inner)
        p.call("aten._grouped_mm.default", p.input(torch.randn(3, 4, 8).to(dtype)), matrices)


def places(p):
    for mask in (torch.tensor([True, False, True, True]), torch.rand(3, 4) > 0.5, torch.zeros(2, 3, dtype=torch.bool), torch.tensor(True)):
        p.call("aten.where.default", p.input(mask))
    p.call("aten.where.default", p.input(torch.tensor([[0.0, 2.5], [-0.0, float("nan")]])))


def main():
    torch.manual_seed(0)
    for part, file in ((quantised, "quantised_blocks"), (grouped, "grouped_products"), (places, "places_of_true")):
        p = Program()
        part(p)
        p.write(file, rtol=1e-5, atol=1e-5)
        print(len(p.lines), "calls,", len(p.results), "results")


if __name__ == "__main__":
    main()
