#!/usr/bin/env python3
"""Writes tests/data/ops/complex_convolutions.safetensors.gz, general_eigenvalues.safetensors.gz and histograms_of_points.safetensors.gz
with PyTorch's results.

    python3 tests/points.py        needs PyTorch and safetensors

Each file is one program; `tests/operators.rs` runs it. The order of eigenvalues is free: their sorted real parts,
imaginary parts and absolute values are compared."""
import torch

from results import Program


def parts(p, value):
    p.call("aten.view_as_real.default", value)


def number(p, *shape):
    """A complex tensor made of two inputs."""
    return p.call("aten.complex.default", p.input(torch.randn(shape)), p.input(torch.randn(shape)), only=[])


def convolutions(p):
    for dims, sizes in ((1, (9,)), (2, (7, 6)), (3, (4, 5, 4))):
        windows = (3, 2, 2)[:dims]
        x, weight, bias = number(p, 2, 4, *sizes), number(p, 6, 2, *windows), number(p, 6)
        turned, shift = number(p, 4, 3, *windows), number(p, 6)
        name = f"aten.conv{dims}d"
        parts(p, p.call(f"{name}.default", x, weight, bias, [2] * dims, [1] * dims, [1] * dims, 2, only=[]))
        parts(p, p.call(f"{name}.default", x, weight, groups=2, dilation=[2] * dims, padding=[2] * dims, only=[]))
        parts(p, p.call(f"{name}.padding", x, weight, bias, [1] * dims, "same", [1] * dims, 2, only=[]))
        name = f"aten.conv_transpose{dims}d.{'default' if dims == 1 else 'input'}"
        parts(p, p.call(name, x, turned, shift, [2] * dims, [1] * dims, [1] * dims, 2, only=[]))
        one = p.call("aten.select.int", x, 0, 0, only=[])
        parts(p, p.call(name, one, turned, groups=2, only=[]))


def values(p, matrix):
    for name in ("linalg_eigvals", "_linalg_eigvals", "linalg_eig"):
        found = p.call(f"aten.{name}.default", matrix, only=[])
        for part in ("real", "imag", "abs"):
            p.call("aten.sort.default", p.call(f"aten.{part}.default", found, only=[]), only=[0])


def eigenvalues(p):
    for shape in ((4, 4), (2, 3, 5, 5), (1, 1), (2, 0, 0), (0, 3, 3)):
        for dtype in (torch.float32, torch.float64):
            values(p, p.input(torch.randn(shape, dtype=dtype)))
        values(p, number(p, *shape))


def histograms(p):
    for dtype in (torch.float32, torch.float64):
        x = p.input(torch.rand(4, 10, 2, dtype=dtype) * 3 - 1)
        x[0, :4] = torch.tensor([[0.0, 0.5], [1.0, 1.0], [0.25, -0.5], [-1.0, 1.5]], dtype=dtype)
        weight = p.input(torch.rand(4, 10, dtype=dtype))
        edges = [p.input(torch.tensor([-1, 0, 0.25, 1], dtype=dtype)), p.input(torch.tensor([-0.5, 0.5, 1.5], dtype=dtype))]
        for density in (False, True):
            for given in (None, weight):
                named = {"weight": given, "density": density}
                for range_ in (None, [-1.0, 1.0, -0.5, 1.5]):
                    p.call("aten.histogramdd.default", x, [3, 4], range_, **named)
                    p.call("aten.histogramdd.int_bins", x, 2, range_, **named)
                    p.call("aten._histogramdd_bin_edges.default", x, [3, 4], range=range_, **named)
                    p.call("aten._histogramdd_from_bin_cts.default", x, [3, 4], range=range_, **named)
                p.call("aten.histogramdd.TensorList_bins", x, edges, **named)
                p.call("aten._histogramdd_from_bin_tensors.default", x, edges, **named)
        p.call("aten.histogramdd.default", p.input(torch.zeros(0, 2, dtype=dtype)), [2, 1])
        p.call("aten.histogramdd.default", p.input(torch.zeros(3, 0, dtype=dtype)), [])
        p.call("aten.histogramdd.default", p.input(torch.ones(3, 1, dtype=dtype)), [3])


def main():
    torch.manual_seed(0)
    for part, file, tolerance in ((convolutions, "complex_convolutions", 1e-5), (eigenvalues, "general_eigenvalues", 2e-5),
                                  (histograms, "histograms_of_points", 1.3e-6)):
        p = Program()
        part(p)
        p.write(file, rtol=tolerance, atol=tolerance)
        print(file, len(p.lines), "calls,", len(p.results), "results")


if __name__ == "__main__":
    main()
