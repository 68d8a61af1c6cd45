#!/usr/bin/env python3
"""Writes tests/data/ops/results_at_edges.safetensors.gz: calls at the edges of what operators take, with PyTorch's results.

    python3 tests/results.py        needs PyTorch and safetensors

All calls are one program, so that one compilation holds a backend to all of them. `tests/operators.rs` runs it."""
import gzip, json, os
import torch
from safetensors.torch import save

HERE = os.path.dirname(os.path.abspath(__file__))
INTEGERS = [torch.int8, torch.uint8, torch.int16]
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def name(dtype):
    return str(dtype).removeprefix("torch.")


class Program:
    def __init__(self):
        self.symbols, self.inputs, self.lines, self.results = [], [], [], []

    def input(self, tensor, sizes=None):
        """`sizes`: what stands for each size, where a symbol does."""
        self.inputs.append((tensor, [str(n) for n in sizes or tensor.shape]))
        return tensor

    def symbol(self, name, low, high):
        self.symbols.append(f"  symbol {name} in [{low}, {high}]")
        return name

    def call(self, operator, *positional, only=None, **named):
        """`only`: which results count."""
        space, base, overload = operator.split(".")
        made = getattr(getattr(getattr(torch.ops, space), base), overload)(*positional, **named)
        made = list(made) if isinstance(made, (tuple, list)) else [made]
        counts = range(len(made)) if only is None else only
        outputs = [f"%r{len(self.lines)}_{k}" for k in range(len(made))]
        words = [self.spelt(v) for v in positional] + [f"{n}={self.spelt(v)}" for n, v in named.items()]
        self.lines.append((outputs, f"{operator}({', '.join(words)})"))
        self.results += [(outputs[k], made[k]) for k in counts]
        return made[0]

    def spelt(self, value):
        if isinstance(value, torch.Tensor):
            return f"%{next(k for k, (t, _) in enumerate(self.inputs) if t is value)}"
        if isinstance(value, torch.dtype):
            return name(value)
        if isinstance(value, list):
            return "[" + ", ".join(map(self.spelt, value)) + "]"
        if isinstance(value, str):
            return json.dumps(value)
        return "None" if value is None else str(value).lower()

    def text(self):
        number, places = len(self.inputs), {}
        text = ['graph "edges" {'] + self.symbols
        text += [f'  input %{k} "x{k}": {name(t.dtype)}[{", ".join(s)}]' for k, (t, s) in enumerate(self.inputs)]
        for outputs, call in self.lines:
            for output in outputs:
                places[output], number = f"%{number}", number + 1
            text.append(f"  {', '.join(places[o] for o in outputs)} = {call}")
        text += [f'  output "y{k}" = {places[output]}' for k, (output, _) in enumerate(self.results)]
        return "\n".join(text + ["}", ""])

    def write(self, file, rtol, atol):
        """The program as one case of tests/data/ops."""
        case = {"dtype": "float32", "outputs": len(self.results), "tol": {"rtol": rtol, "atol": atol}, "text": self.text(),
                "inputs": [{"dtype": name(t.dtype), "shape": list(t.shape), "stride": list(t.stride()), "offset": 0} for t, _ in self.inputs]}
        tensors = {f"c0.in{k}": t for k, (t, _) in enumerate(self.inputs)}
        tensors |= {f"c0.out{k}": t.contiguous().clone() for k, (_, t) in enumerate(self.results)}
        with gzip.GzipFile(os.path.join(HERE, f"data/ops/{file}.safetensors.gz"), "wb", mtime=0) as out:
            out.write(save(tensors, {"cases": json.dumps([case])}))


def bounds_outside_the_dtype(p):
    for dtype in INTEGERS:
        least, most = torch.iinfo(dtype).min, torch.iinfo(dtype).max
        x = p.input(torch.tensor([least, least + 1, 0, 3, most - 1, most], dtype=dtype))
        p.call("aten.clamp.default", x, None, most)
        p.call("aten.clamp.default", x, least, None)
        p.call("aten.clamp.default", x, 1, 2.5)
        p.call("aten.clamp_min.default", x, 1)
        p.call("aten.clamp_max.default", x, 2)
        for far in (300, 70000, -300, -70000):
            for operator, bounds in [("clamp", (None, far)), ("clamp", (far, None)), ("clamp_min", (far,)), ("clamp_max", (far,))]:
                try:
                    p.call(f"aten.{operator}.default", x, *bounds)
                except RuntimeError:
                    pass  # refused, as `tests/refusals.rs` has it


def reductions(p):
    for dtype in (torch.int64, torch.float32, torch.bool):
        x = p.input(torch.tensor([[1, 2], [0, 3], [4, 1]]).to(dtype))
        p.call("aten.prod.default", x, dtype=torch.bool)
        p.call("aten.prod.dim_int", x, 1, dtype=torch.bool)
    for x in (torch.tensor([1.0, 2.5, 4.0, -3.0]), torch.tensor([[2.0, 5.0]], dtype=torch.float64)):
        x = p.input(x)
        for correction in (False, True):
            p.call("aten.std_mean.correction", x, correction=correction)
            p.call("aten.var_mean.correction", x, correction=correction)
    one = p.input(torch.tensor([3.0]))
    p.call("aten.std_mean.correction", one, correction=False)


def elements(p):
    v, g = p.input(torch.tensor([3.0, 4.0, -12.0])), p.input(torch.tensor([2.0, 0.5, 1.0]))
    p.call("aten._weight_norm.default", v, g, 0)
    for dtype in FLOATS:
        x = p.input(torch.tensor([0.0, 1.0, -1.0, 2.0, float("inf"), float("nan"), -0.0]).to(dtype))
        y = p.input(torch.tensor([1.0, 2.0, 0.0, 2.0, 0.0, 1.0, -1.0]).to(dtype))
        p.call("aten.nextafter.default", x, y)
        p.call("aten.sign.default", x)
        p.call("aten.sgn.default", x)
    x, slopes = p.input(torch.tensor([[-1.0, 2.0, -3.0], [4.0, -5.0, 0.0]])), p.input(torch.tensor([0.5, -0.25, 2.0]))
    p.call("aten._prelu_kernel.default", x, slopes)
    p.call("aten.prelu.default", x, slopes)


def counts_and_shapes(p):
    x = p.input(torch.tensor([3, 1, 1, 2, 3, 3]))
    rows = p.input(torch.tensor([[1, 2], [1, 2], [0, 5], [1, 2]]))
    for inverse in (False, True):
        for counts in (False, True):
            # PyTorch leaves in the outputs that were not asked for whatever its kernel made of them.
            asked = [0] + [1] * inverse + [2] * counts
            p.call("aten._unique2.default", x, True, inverse, counts, only=asked)
            p.call("aten.unique_consecutive.default", x, inverse, counts, only=asked)
            p.call("aten.unique_dim.default", rows, 0, True, inverse, counts, only=asked)
            p.call("aten.unique_consecutive.default", x, inverse, counts, 0, only=asked)
    number, repeats = p.input(torch.tensor(2.5)), p.input(torch.tensor(3))
    p.call("aten.repeat_interleave.self_int", number, 3)
    p.call("aten.repeat_interleave.self_Tensor", number, repeats)
    nothing = p.input(torch.zeros(2, 0))
    p.call("aten.unflatten.int", nothing, 1, [0, 3])
    y, at, over = (p.input(t) for t in (torch.rand(3, 4), torch.tensor([0.0, 1.0, 1.5, 4.0]), torch.tensor([0, 2, 3, 7])))
    p.call("aten.trapezoid.x", y, at)
    p.call("aten.trapezoid.x", y, over)
    p.call("aten.cumulative_trapezoid.x", y, at)


def dtypes_that_differ(p):
    """Operands that promote to what none of them is, or to what one of several results alone is."""
    x, t = p.input(torch.tensor([[-4, 1, 2]], dtype=torch.int8)), p.input(torch.rand(2, 3).to(torch.bfloat16))
    for log in (False, True):
        p.call("aten.poisson_nll_loss.default", x, p.input(torch.tensor([[5, 2, 1]])), log, False, 6.0, 0)
        p.call("aten.poisson_nll_loss.default", x, t, log, False, 6.0, 0)
    p.call("aten.mish_backward.default", p.input(torch.rand(2, 3)), t)
    y = p.input(torch.rand(4, 3).to(torch.bfloat16))
    near, far = p.input(torch.tensor([0.0, 1.0, 3.0, 4.0], dtype=torch.float64)), p.input(torch.tensor([0, 2, 3]))
    p.call("aten.gradient.tensorarray", y, dim=[0, 1], spacing=[near, far], edge_order=1)
    p.call("aten.gradient.tensorarray", p.input(torch.arange(12).reshape(4, 3)), dim=[0, 1], spacing=[near, far], edge_order=2)


def far_from_the_domain(p):
    for dtype in (torch.int16, torch.float32, torch.float64):
        p.call("aten.acosh.default", p.input(torch.tensor([-28623, -5018, 0, 1, 2, 32753]).to(dtype)))


def masks(p):
    """Masks as the only index, with values that are broadcast to what they choose."""
    x, rows = p.input(torch.rand(3, 5)), p.input(torch.tensor([True, False, True]))
    last, all = p.input(torch.tensor([True, False, True, True, False])), p.input(torch.rand(3, 5) > 0.5)
    for accumulate in (False, True):
        p.call("aten.index_put.default", x, [rows], p.input(torch.rand(1, 5)), accumulate)
        p.call("aten.index_put.default", x, [rows], p.input(torch.rand(5)), accumulate)
        p.call("aten.index_put.default", x, [None, last], p.input(torch.rand(3, 1)), accumulate)
        p.call("aten.index_put.default", x, [all], p.input(torch.tensor(2.5)), accumulate)


def statistics_of_symbolic_channels(p):
    channels = p.symbol("s0", 1, 64)
    image = p.input(torch.randn(2, 3, 3, 4), [2, channels, 3, 4])
    weight, bias, mean, var = (p.input(torch.rand(3) + 0.5, [channels]) for _ in range(4))
    p.call("aten._native_batch_norm_legit_functional.default", image, weight, bias, mean, var, True, 0.1, 1e-5)


def outputs_of_bags(p):
    table, index = p.input(torch.randn(5, 3)), p.input(torch.tensor([0, 2, 4, 1, 1, 3]))
    starts = p.input(torch.tensor([0, 2, 2, 5]))
    for mode in (0, 1, 2):
        p.call("aten._embedding_bag.default", table, index, starts, False, mode)


def images(p):
    for dtype in (torch.float16, torch.bfloat16):
        image = p.input(torch.randn(1, 2, 4, 5).to(dtype))
        p.call("aten.upsample_bilinear2d.default", image, [7, 9], False)
        p.call("aten.upsample_bicubic2d.default", image, [7, 9], True)
        p.call("aten.upsample_nearest2d.default", image, [3, 11])


def main():
    torch.manual_seed(0)
    p = Program()
    for part in (bounds_outside_the_dtype, reductions, elements, counts_and_shapes, statistics_of_symbolic_channels,
                 outputs_of_bags, images, dtypes_that_differ, far_from_the_domain, masks):
        part(p)
    p.write("results_at_edges", rtol=1.3e-6, atol=1e-6)
    print(len(p.lines), "calls,", len(p.results), "results")


if __name__ == "__main__":
    main()
