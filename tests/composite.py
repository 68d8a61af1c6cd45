#!/usr/bin/env python3
"""Writes tests/data/{composite/input,composite/results,composite/one_result,composite/sizes,composite/returned,quantized_parameters,jagged,repeated_region,numerics/bfloat16,numerics/float16}.{pt2,safetensors}: tensors made of others, jagged tensors by their
offsets, a region that is called again and again, and halves that PyTorch's kernels round, with PyTorch's results. composite/parameter.pt2
has a weight that is a pickle, composite/untold.pt2 results that are made of others without a word of which, and composite/not_decomposed.pt2
a word without the parts. First it shows what PyTorch exports of none of these. Needs PyTorch 2.15, torchao 0.18 and safetensors.

    python3 tests/composite.py
"""

from pathlib import Path

import json

import torch
from safetensors.torch import save_file
from torch.compiler import nested_compile_region
from torch.testing._internal.two_tensor import TwoTensor
from torch.utils._python_dispatch import is_traceable_wrapper_subclass
from torchao.quantization import Int8WeightOnlyConfig, quantize_

DATA = Path(__file__).parent / "data"
aten = torch.ops.aten
F = torch.nn.functional


def parts_of(tensor):
    """The tensors that a tensor subclass is made of, by name: `a.b` for a part of a part."""
    names, _ = tensor.__tensor_flatten__()
    for name in names:
        part = getattr(tensor, name)
        if is_traceable_wrapper_subclass(part):
            yield from ((f"{name}.{inner}", value) for inner, value in parts_of(part))
        else:
            yield name, part


def composite_outputs(program):
    """The extra file about composite results: of an export before it is decomposed, for the archive of the decomposed one."""
    told = {}
    for k, result in enumerate(program.graph.output_node().args[0]):
        value = getattr(result, "meta", {}).get("val")
        if isinstance(value, torch.Tensor) and is_traceable_wrapper_subclass(value):
            told[k] = {"parts": [name for name, _ in parts_of(value)], "type": type(value).__name__, "dtype": str(value.dtype)}
    return json.dumps(told)


def save(name, program, runs, extra=None):
    """`runs`: for each prefix the inputs, flat, and the results."""
    torch.export.save(program, DATA / f"{name}.pt2", extra_files=extra)
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


class Weight(torch.nn.Module):
    """The first rows of a quantised weight, and a product with it."""

    def __init__(self):
        super().__init__()
        self.weight = quantized()[0].weight

    def forward(self, x):
        return {"rows": self.weight[:4], "y": F.linear(x, self.weight)}


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        pair = lambda: TwoTensor(torch.randn(3), torch.randn(3))
        self.weight = torch.nn.Parameter(TwoTensor(pair(), pair()), requires_grad=False)

    def forward(self, x):
        return self.weight * x


class Rows(torch.nn.Module):
    """A result of sizes that only a run knows, whose decomposed form has them among the results."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(TwoTensor(torch.randn(3), torch.randn(3)), requires_grad=False)

    def forward(self, x):
        return x + 1, self.weight * x, x - 1


class Returned(torch.nn.Module):
    def forward(self, x, weight):
        return {"weight": weight, "y": F.linear(x, weight)}


class Nested(torch.nn.Module):
    def forward(self, x):
        return x + 1


class MakesNested(torch.nn.Module):
    def forward(self, values, offsets):
        return torch.nested.nested_tensor_from_jagged(values * 2, offsets)


class MakesTwo(torch.nn.Module):
    def forward(self, x, y):
        return TwoTensor(x * 2, y + 1)


class GivesTwo(torch.nn.Module):
    def forward(self, x):
        return x * 2


def not_exported():
    """What PyTorch does not export, or not save: jagged tensors, composite tensors that a program makes, and the decomposed form of
    a program with composite arguments."""
    jagged = torch.nested.nested_tensor([torch.randn(3, 4), torch.randn(2, 4)], layout=torch.jagged)
    two = TwoTensor(torch.randn(3), torch.randn(3))
    offsets = torch.tensor([0, 3, 5])
    for name, model, given, strict in (
        ("a jagged argument", Nested(), (jagged,), False),
        ("a jagged argument", Nested(), (jagged,), True),
        ("a jagged result", MakesNested(), (torch.randn(5, 4), offsets), False),
        ("a jagged result", MakesNested(), (torch.randn(5, 4), offsets), True),
        ("a result that is made of two", MakesTwo(), (torch.randn(3), torch.randn(3)), False),
        ("a result that is made of two", MakesTwo(), (torch.randn(3), torch.randn(3)), True),
        ("an argument that is made of two, decomposed", GivesTwo(), (two,), False),
    ):
        try:
            program = torch.export.export(model, given, strict=strict)
            if name.endswith("decomposed"):
                program = program.run_decompositions()
            torch.export.save(program, "/dev/null")
        except Exception as error:
            print(f"{name}, strict={strict}: {type(error).__name__}: {str(error).splitlines()[0][:120]}")
        else:
            raise AssertionError(f"PyTorch saves {name}")


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


def composite_results():
    torch.manual_seed(1)
    model, x = Weight(), torch.randn(3, 16)
    exported = torch.export.export(model, (x,))
    program, told = exported.run_decompositions(), composite_outputs(exported)
    result = model(x)
    rows = [part for _, part in parts_of(result["rows"])]
    save("composite/results", program, {"": ((x,), (*rows, result["y"]))}, {"composite_outputs": told})
    torch.export.save(program, DATA / "composite/untold.pt2")
    model, x = Scaled(), torch.randn(3)
    exported = torch.export.export(model, (x,))
    torch.export.save(torch.export.export(GivesTwo(), (x,)), DATA / "composite/not_decomposed.pt2", extra_files={"composite_outputs": composite_outputs(exported)})
    save("composite/one_result", exported.run_decompositions(), {"": ((x,), [part for _, part in parts_of(model(x))])})
    model, n = Rows(), torch.export.Dim("n", min=2, max=50)
    given = {"": torch.randn(4, 1), "dyn0.": torch.randn(7, 1)}
    exported = torch.export.export(model, (given[""],), dynamic_shapes=({0: n},))
    runs = {}
    for prefix, x in given.items():
        first, two, last = model(x)
        size = torch.tensor(x.shape[0])
        # Each part is followed by its size, and both by that of the whole.
        runs[prefix] = ((x,), (first, two.a, size, two.b, size.clone(), size.clone(), last))
    save("composite/sizes", exported.run_decompositions(), runs, {"composite_outputs": composite_outputs(exported)})
    weight = quantized()[0].weight
    model, x = Returned(), torch.randn(3, 16)
    program = torch.export.export(model, (x, weight))
    save("composite/returned", program, {"": ((x, weight.qdata, weight.scale), (weight.qdata.clone(), weight.scale.clone(), model(x, weight)["y"]))})


def main():
    not_exported()
    composite_results()
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
