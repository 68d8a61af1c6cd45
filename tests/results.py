#!/usr/bin/env python3
"""Writes tests/data/ops/results_at_edges.safetensors.gz: calls at the edges of what operators take, with PyTorch's results; and
results_of_formulas.safetensors.gz: calls of operators that are formulas of others, or derivatives of them.

    python3 tests/results.py        needs PyTorch and safetensors

All calls are one program, so that one compilation holds a backend to all of them. `tests/operators.rs` runs it."""
import gzip, json, os, re
import torch
import torchvision  # noqa: F401: its operators
from safetensors.torch import save

HERE = os.path.dirname(os.path.abspath(__file__))
INTEGERS = [torch.int8, torch.uint8, torch.int16]
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def name(dtype):
    return str(dtype).removeprefix("torch.")


class Program:
    def __init__(self):
        self.symbols, self.inputs, self.lines, self.results, self.made = [], [], [], [], []

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
        made = torch.utils._pytree.tree_leaves(made)
        counts = range(len(made)) if only is None else only
        outputs = [f"%r{len(self.lines)}_{k}" for k in range(len(made))]
        words = [self.spelt(v) for v in positional] + [f"{n}={self.spelt(v)}" for n, v in named.items()]
        self.lines.append((outputs, f"{operator}({', '.join(words)})"))
        self.results += [(outputs[k], made[k]) for k in counts]
        self.made += zip(made, outputs)
        return made[0]

    def spelt(self, value):
        if isinstance(value, torch.Tensor):
            given = (f"%{k}" for k, (t, _) in enumerate(self.inputs) if t is value)
            return next(given, None) or next(output for t, output in self.made if t is value)
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
            call = re.sub(r"%r\d+_\d+", lambda m: places[m[0]], call)
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


def gradients_of_resampling(p):
    """A NaN reaches what the kernel adds it to, with a weight of zero too, and nothing else."""
    gradient = torch.arange(70, dtype=torch.float32).reshape(1, 1, 7, 10) / 8
    gradient[0, 0, 2, 3] = gradient[0, 0, 6, 9] = float("nan")
    flat = p.input(gradient)
    line, volume = p.input(gradient[0, :, 2:3, :].clone()), p.input(gradient.reshape(1, 1, 2, 5, 7).clone())
    rows, columns = p.symbol("r0", 1, 64), p.symbol("r1", 1, 64)
    small = p.input(torch.zeros(1, 1, 4, 5), [1, 1, rows, columns])
    known = p.input(torch.zeros(1, 1, 4, 5))
    for aligned in (False, True):
        p.call("aten.upsample_linear1d_backward.default", line, [10], [1, 1, 4], aligned)
        p.call("aten.upsample_trilinear3d_backward.default", volume, [2, 5, 7], [1, 1, 3, 2, 7], aligned)
        for kind in ("upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
            p.call(f"aten.{kind}_backward.default", flat, [7, 10], [1, 1, 4, 5], aligned)
            # Factors that the sizes do not have: the last element is read by more results.
            p.call(f"aten.{kind}_backward.default", flat, [7, 10], [1, 1, 3, 4], aligned, 1.25, 3.0)
            p.call(f"aten.{kind}_backward.default", flat, [7, 10], [1, 1, 20, 9], aligned)
    for kind in ("upsample_nearest2d", "_upsample_nearest_exact2d"):
        p.call(f"aten.{kind}_backward.default", flat, [7, 10], [1, 1, 4, 7])
        p.call(f"aten.{kind}_backward.default", flat, [7, 10], [1, 1, 3, 10], None, 1.5)
    p.call("aten._adaptive_avg_pool2d_backward.default", flat, p.input(torch.zeros(1, 1, 9, 15)))
    p.call("aten._adaptive_avg_pool2d_backward.default", flat, known)
    p.call("aten._adaptive_avg_pool2d_backward.default", flat, small)


def losses_of_other_dtypes(p):
    signs = p.input(torch.tensor([1, -1, 0, -1]))
    for dtype in INTEGERS + [torch.int64, torch.bfloat16]:
        x = p.input(torch.tensor([3, 1, 2, 5]).to(dtype))
        for reduction in (0, 2):
            p.call("aten.hinge_embedding_loss.default", x, signs, 2.75, reduction)
        y = p.input(torch.tensor([4, 0, 7, 5]).to(dtype))
        for t in (p.input(torch.tensor([1, 1, 2, 1]).to(torch.uint8)), p.input(torch.tensor([1.0, -1.0, 1.0, 2.0]))):
            p.call("aten.margin_ranking_loss.default", x, y, t, 0.5, 0)
    scores, shares = p.input(torch.rand(2, 3)), p.input(torch.rand(2, 3, dtype=torch.float64))
    weights = p.input(torch.tensor([0.5, 2.0, 1.0], dtype=torch.float64))
    for reduction in (0, 1, 2):
        p.call("aten.cross_entropy_loss.default", scores, shares, weights, reduction, -100, 0.25)
        p.call("aten.cross_entropy_loss.default", scores, shares, None, reduction)
    one, its = p.input(torch.rand(3)), p.input(torch.tensor([2]))
    for reduction in (0, 1):
        p.call("aten.nll_loss.default", one, its, None, reduction)
        p.call("aten.nll_loss_forward.default", one, its, p.input(torch.rand(3)), reduction, -100)
    gradient, wide = p.input(torch.tensor(2.0)), p.input(torch.tensor([1.0, -1.0, 1.0], dtype=torch.float64))
    for reduction in (0, 1, 2):
        p.call("aten.soft_margin_loss_backward.default", gradient, one, wide, reduction)
        p.call("aten.soft_margin_loss_backward.default", gradient, one, scores, reduction)


def gradients_of_nothing_and_of_windows(p):
    nothing, places = p.input(torch.zeros(0, 2, 2)), p.input(torch.zeros(0, 2, 2, dtype=torch.int64))
    p.call("aten.adaptive_max_pool2d_backward.default", nothing, p.input(torch.zeros(0, 4, 4)), places)
    p.call("aten.unfold_backward.default", p.input(torch.tensor(2.0)), [], 0, 1, 1)
    p.call("aten.unfold_backward.default", p.input(torch.rand(5, 0)), [4], 0, 0, 1)
    p.call("aten.unfold_backward.default", p.input(torch.rand(2, 1)), [6], 0, 2, 3)
    p.call("aten.unfold_backward.default", p.input(torch.rand(1, 3, 2)), [3, 4], 1, 2, 1)


def edges_that_fuzzers_found(p):
    nan = float("nan")
    x = p.input(torch.tensor([nan, 0.5, -1.0, 2.0, 0.0, 1.0]))
    ones = p.input(torch.ones(6))
    for eps in (None, 1e-5):
        p.call("aten.logit_backward.default", ones, x, eps)
    half = p.input(torch.tensor([0.0, 1.0, 0.5, 0.25], dtype=torch.float16))
    p.call("aten.binary_cross_entropy_backward.default", half, half, half, None, 2)
    nothing = p.input(torch.zeros(3, 0))
    for correction in (-2.25, 0, 1):
        p.call("aten.var.correction", nothing, [1], correction=correction)
        p.call("aten.std.correction", nothing, correction=correction)
    two = p.input(torch.tensor([[1.0, 4.0], [2.0, 9.0]]))
    p.call("aten.gradient.scalararray", two, spacing=-2, dim=[-1])
    logs, wide = p.input(torch.tensor([0.375, 0.75])), p.input(torch.tensor([-0.75, -0.25], dtype=torch.float16))
    for log in (False, True):
        p.call("aten.kl_div.default", logs, wide, 0, log_target=log)
    image = p.input(torch.arange(24.0).reshape(1, 1, 4, 6))
    p.call("aten.upsample_nearest2d.default", image, [5, 6], None, 1.25)
    p.call("aten.upsample_nearest2d.default", image, [8, 7], 3.0, None)
    whole, number = p.input(torch.tensor([3, -4, 5], dtype=torch.int16)), p.input(torch.tensor(-2.5))
    p.call("aten.l1_loss.default", whole, p.input(torch.tensor([1, 1, 7], dtype=torch.int16)), 0)
    p.call("aten.l1_loss.default", whole, whole, 2)
    p.call("aten.frobenius_norm.dim", two, [], True)
    p.call("aten.pairwise_distance.default", number, p.input(torch.tensor(1.0)))
    for reduction in (0, 1):
        p.call("aten.triplet_margin_loss.default", number, number, p.input(torch.tensor(0.25)), reduction=reduction)
    p.call("aten._adaptive_avg_pool2d.default", p.input(torch.zeros(2, 0, 8, 8)), [3, 2])
    p.call("aten.adaptive_max_pool1d.default", p.input(torch.zeros(0, 4)), [3])


def groups_of_an_empty_batch(p):
    batch, places = p.symbol("g0", 0, 64), p.symbol("g1", 1, 64)
    x = p.input(torch.zeros(0, 4, 3), [batch, 4, places])
    p.call("aten.native_group_norm.default", x, None, None, 0, 4, 3, 2, 1e-5)


def channels_of_nothing(p):
    """Without channels a convolution has no filters either; what a tensor without elements stands beside keeps its place."""
    for rank in (1, 2, 3):
        image, weight = p.input(torch.zeros([2, 0] + [3] * rank)), p.input(torch.zeros([3, 0] + [2] * rank))
        p.call(f"aten.conv{rank}d.default", image, weight)
    two, none, one = (p.input(torch.rand(n)) for n in (2, 0, 1))
    p.call("aten.block_diag.default", [two, none, one])
    p.call("aten.block_diag.default", [none, p.input(torch.rand(0, 3)), p.input(torch.rand(2, 0)), one])
    halves = [p.input(torch.ones(shape, dtype=torch.bfloat16)) for shape in ((5, 10), (5, 5, 0), (5, 0, 10))]
    p.call("aten.addbmm.default", *halves)


def rounded_once(p):
    """Kernels that round their results alone, and write to what has the input's dtype."""
    for dtype in FLOATS:
        v = p.input(torch.randn(6, 4).to(dtype))
        for dim, shape in ((0, [6, 1]), (1, [1, 4])):
            p.call("aten._weight_norm_interface.default", v, p.input(torch.rand(shape).to(dtype)), dim)
        for other in (torch.float64, torch.float32, torch.float16, torch.int64):
            for reduction in (0, 1, 2):
                p.call("aten.huber_loss.default", v, p.input((2 * torch.randn(6, 4)).to(other)), reduction, 0.75)


def long_rows(p):
    """Rows of which the last elements decide."""
    for columns, dtype in ((65, torch.float32), (130, torch.int64), (200, torch.bool)):
        rows = torch.zeros(7, columns)
        rows[:, -1] = torch.tensor([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
        rows[2, 40] = rows[5, 64] = rows[6, 0] = 1
        rows = p.input(rows.to(dtype))
        p.call("aten.unique_dim.default", rows, 0, True, True, True)
        p.call("aten.unique_dim.default", p.input(rows.t().contiguous()), 1, True, True, True)


def windows_over_aligned_corners(p):
    """Antialiased windows are centred as without aligned corners: no result's lies at the first or the last element."""
    small = p.input(torch.arange(9.0).reshape(1, 1, 3, 3) - 4)
    for kind in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
        for scales in ((), (1.75, 0.875)):
            p.call(f"aten.{kind}_backward.default", small, [3, 3], [1, 1, 10, 20], True, *scales)


def images_of_bytes(p):
    for channels, (height, width), size in ((3, (10, 20), [3, 3]), (1, (6, 7), [9, 14]), (5, (4, 9), [4, 3]), (3, (1, 3), [4, 4])):
        image = p.input(torch.randint(0, 256, (2, channels, height, width), dtype=torch.uint8))
        for kind in ("upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
            for aligned in (False, True):
                p.call(f"aten.{kind}.default", image, size, aligned)
                p.call(f"aten.{kind}.default", image, size, aligned, 1.5, 0.75)
    p.call("aten.upsample_bilinear2d.vec", image, None, False, [2.0, 1.5])
    rows, columns = p.symbol("b0", 1, 64), p.symbol("b1", 1, 64)
    image = p.input(torch.randint(0, 256, (1, 2, 9, 7), dtype=torch.uint8), [1, 2, rows, columns])
    floats = p.input(torch.randn(1, 2, 9, 7), [1, 2, rows, columns])
    for kind in ("upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
        for aligned in (False, True):
            p.call(f"aten.{kind}.default", image, [5, 9], aligned)
            p.call(f"aten.{kind}.default", floats, [4, 9], aligned)
            p.call(f"aten.{kind}.default", floats, [1, 3], aligned)


def segments_beside_the_data(p):
    """Elements before the first offset and behind the last segment belong to none."""
    x = p.input(torch.tensor([2.0, -1.0, 3.0, 0.5, 4.0, -2.0, 1.0, 5.0]))
    rows = p.input(torch.randn(2, 5, 2))
    short, lengths = p.input(torch.tensor([2, 0, 3])), p.input(torch.tensor([[1, 2], [0, 4]]))
    for reduce in ("sum", "mean", "max", "min", "prod"):
        for offsets in ([0, 2, 2, 6], [3, 4, 8], [2, 5, 5, 7]):
            p.call("aten.segment_reduce.default", x, reduce, offsets=p.input(torch.tensor(offsets)))
        p.call("aten.segment_reduce.default", x, reduce, lengths=short, unsafe=True, initial=1.5)
        p.call("aten.segment_reduce.default", rows, reduce, lengths=lengths, axis=1, unsafe=True)


def products_of_sums(p):
    """What one operand of `einsum` alone has is summed to int64."""
    for dtype in (torch.int32, torch.uint8, torch.int64, torch.float32):
        two, one = p.input(torch.arange(6).reshape(2, 3).to(dtype) + 50), p.input(torch.tensor([7, 9, 11]).to(dtype))
        for equation in ("ik,j->ij", "ij,j->ij", "ij,j->i", "ij,k->j", "ij,k->"):
            p.call("aten.einsum.default", equation, [two, one])
        p.call("aten.einsum.default", "ik,j,l->ijl", [two, one, p.input(one[:1].clone())])


def norms_of_no_singular_values(p):
    for shape in ((0, 5), (5, 0), (2, 0, 3)):
        for order in (2, "nuc", "fro"):
            overload = "str_ord" if isinstance(order, str) else "default"
            p.call(f"aten.linalg_matrix_norm.{overload}", p.input(torch.zeros(shape)), order)


def modules_of_inference(p):
    """What PyTorch's attention and encoder layer call in inference, under masks of each kind."""
    draw = lambda *shape: p.input(torch.randn(*shape) / 2)
    x, other = draw(2, 5, 8), draw(2, 5, 8)
    own = [draw(24, 8), draw(24), draw(8, 8), draw(8)]
    norms, layers = [draw(8) for _ in range(4)], [draw(12, 8), draw(12), draw(8, 12), draw(8)]
    pairs = p.input(torch.ones(5, 5).triu(1).bool())
    keys = p.input(torch.tensor([[0, 0, 0, 1, 1], [0, 1, 0, 0, 0]]).bool())
    both = p.input(torch.rand(2, 2, 5, 5) > 0.7)
    for mask, kind in ((None, None), (pairs, 0), (keys, 1), (both, 2)):
        for average in (True, False):
            p.call("aten._native_multi_head_attention.default", x, x, x, 8, 2, *own, mask, True, average, kind)
        p.call("aten._native_multi_head_attention.default", x, x, x, 8, 2, *own, mask, False, True, kind, only=[0])
        for before in (True, False):
            args = (x, 8, 2, *own, before, before, 1e-5, *norms, *layers, mask, kind)
            p.call("aten._transformer_encoder_layer_fwd.default", *args)
    p.call("aten._native_multi_head_attention.default", x, other, x, 8, 2, *own)


def formulas(p):
    """Operators that are formulas of others."""
    x, whole = p.input(torch.randn(4, 5)), p.input(torch.randint(0, 8, (4, 5)))
    rows, counts, shares = p.input(torch.randn(6)), p.input(torch.tensor([1, 2, 3, 1, 2])), p.input(torch.rand(5))
    for matrix in (x, whole, rows):
        p.call("aten.cov.default", matrix)
        p.call("aten.corrcoef.default", matrix)
    p.call("aten.cov.default", x, correction=0, fweights=counts, aweights=shares)
    p.call("aten.cov.default", x, correction=1, aweights=shares)
    for columns in (None, 0, 1, 4):
        p.call("aten.vander.default", rows, columns)
        p.call("aten.vander.default", counts, columns, True)
    parts = [p.input(torch.randn(n, 2)) for n in (3, 5, 1)]
    for first in (False, True):
        for side in ("left", "right"):
            p.call("aten.pad_sequence.default", parts, first, 1.5, side)
    p.call("aten.narrow.Tensor", x, 1, p.input(torch.tensor(-2)), 2)
    p.call("aten.conv_tbc.default", p.input(torch.randn(7, 2, 3)), p.input(torch.randn(3, 3, 4)), p.input(torch.randn(4)), 1)
    p.call("aten.linalg__powsum.default", x, 3, [1], True)
    p.call("aten.linalg__powsum.default", p.input(torch.tensor([300, 400], dtype=torch.float16)), 2, None, False, dtype=torch.float32)
    p.call("aten.unique_dim_consecutive.default", p.input(torch.tensor([[1, 1, 2], [0, 0, 5]])), 1, True, True)
    flat = p.call("aten.constant_pad_nd.default", p.call("aten.reshape.default", x, [20]), [0, 10])
    p.call("aten.reshape.default", flat, [6, 5])
    p.call("aten._is_all_true.default", p.input(torch.tensor([True, False])))
    p.call("prims.split_dim.default", whole, 0, 2)
    p.call("prims.spherical_bessel_j0.default", x)
    p.call("prims.shift_right_arithmetic.default", whole, p.input(torch.ones(4, 5, dtype=torch.int64)))


def lists(p):
    """Operators on lists of tensors."""
    left, right = ([p.input(torch.rand(*shape) + 0.1) for shape in ((3, 2), (4,))] for _ in range(2))
    numbers = p.input(torch.tensor([2.0, -3.0]))
    p.call("aten._foreach_sqrt.default", left)
    p.call("aten._foreach_add.List", left, right, alpha=2)
    p.call("aten._foreach_sub.Scalar", left, 1.5)
    p.call("aten._foreach_mul.ScalarList", left, [2.0, 3.0])
    p.call("aten._foreach_maximum.ScalarList", left, [0.2, 0.5])
    p.call("aten._foreach_clamp_max.List", left, right)
    p.call("aten._foreach_pow.ScalarAndTensor", 2.0, left)
    p.call("aten._foreach_lerp.ScalarList", left, right, [0.25, 0.75])
    p.call("aten._foreach_addcdiv.Tensor", left, right, left, numbers)
    p.call("aten._foreach_addcmul.Scalar", left, right, left, 0.5)
    p.call("aten._foreach_norm.Scalar", left, 1)
    p.call("aten._foreach_max.default", left)


def rounded_while_training(p):
    """Values rounded to what quantised numbers can hold, and observers of their range."""
    x = p.input(torch.randn(4, 5) * 3)
    scales, zeros = p.input(torch.rand(5) + 0.05), p.input(torch.randint(-3, 3, (5,), dtype=torch.int32))
    p.call("aten.fake_quantize_per_tensor_affine_cachemask.default", x, 0.1, 3, -10, 20)
    p.call("aten.fake_quantize_per_channel_affine_cachemask.default", x, scales, zeros, 1, -10, 20)
    p.call("aten.fake_quantize_per_channel_affine_cachemask.default", x, scales, p.input(torch.rand(5)), 1, -10, 20)
    scale, zero = p.input(torch.tensor([0.1])), p.input(torch.tensor([3], dtype=torch.int32))
    for enabled in (p.input(torch.tensor([0])), p.input(torch.tensor([1]))):
        p.call("aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default", x, scale, zero, enabled, -10, 20)
    p.call("aten.fake_quantize_per_tensor_affine.tensor_qparams", x, scale, p.input(torch.tensor([2.6])), -10, 20)
    on, off = p.input(torch.tensor([1])), p.input(torch.tensor([0]))
    seen, unseen = ([p.input(torch.tensor([low])), p.input(torch.tensor([high]))] for low, high in ((-1.5, 2.0), (float("inf"), -float("inf"))))
    kinds = ((0, 255, False), (-128, 127, True), (-127, 127, True), (0, 255, True))
    for low, high, symmetric in kinds:
        for observe, bounds in ((on, seen), (on, unseen), (off, seen)):
            p.call("aten._fused_moving_avg_obs_fq_helper_functional.default", x, observe, on, *bounds, scale, zero, 0.01, low, high, -1, False, symmetric)
    tiny, positive = p.input(torch.rand(4, 5) * 1e-4), p.input(torch.rand(4, 5))
    for values in (tiny, positive, p.input(-positive), p.input(torch.zeros(4, 5))):
        p.call("aten._fused_moving_avg_obs_fq_helper_functional.default", values, on, on, *unseen, scale, zero, 0.01, 0, 255, -1, False, False)
    by_row = [p.input(torch.full((4,), value)) for value in (float("inf"), -float("inf"), 0.5)] + [p.input(torch.full((4,), 3, dtype=torch.int32))]
    p.call("aten._fused_moving_avg_obs_fq_helper_functional.default", x, on, on, *by_row, 0.01, -128, 127, 0, True, True)


def gradients_by_formulas(p):
    """Gradients that PyTorch's autograd leaves in graphs."""
    points, others = p.input(torch.randn(2, 4, 3)), p.input(torch.randn(2, 5, 3))
    for power in (0.0, 1.0, 2.0, 2.5, float("inf")):
        distances = p.input(torch.cdist(points, others, power))
        p.call("aten._cdist_backward.default", p.input(torch.randn(2, 4, 5)), points, others, power, distances)
        one = p.input(points[0].clone())
        p.call("aten._pdist_backward.default", p.input(torch.randn(6)), one, power, p.input(torch.pdist(one, power)))
    grad, mask = p.input(torch.randn(3, 4)), p.input(torch.rand(3, 4) > 0.5)
    p.call("aten.masked_scatter_backward.default", grad, mask, [15])
    # One coordinate in common, and a power below one of its difference.
    near, far = p.input(torch.tensor([[0.0, 1.0]])), p.input(torch.tensor([[0.0, 3.0]]))
    p.call("aten._cdist_backward.default", p.input(torch.ones(1, 1)), near, far, 0.5, p.input(torch.cdist(near, far, 0.5)))
    noise = p.input(torch.rand(3, 4))
    for training in (False, True):
        p.call("aten.rrelu_with_noise_backward.default", grad, p.input(torch.randn(3, 4)), noise, 0.1, 0.3, training, False)
    scores, right, weights = p.input(torch.randn(3, 4)), p.input(torch.tensor([1, 3, 0])), p.input(torch.rand(4))
    several = p.input(torch.tensor([[3, 0, -1, 1], [-1, 2, 0, 1], [0, 1, 2, 3]]))
    one, each = p.input(torch.tensor(1.5)), p.input(torch.rand(3))
    for reduction in (0, 1, 2):
        given = each if reduction == 0 else one
        for power in (1, 2):
            p.call("aten.multi_margin_loss_backward.default", given, scores, right, power, 1.0, weights, reduction)
        loss, own = torch.ops.aten.multilabel_margin_loss_forward(scores, several, reduction)
        p.call("aten.multilabel_margin_loss_forward.default", scores, several, reduction)
        p.call("aten.multilabel_margin_loss_backward.default", given, scores, several, reduction, p.input(own))
    table, index, starts = p.input(torch.randn(6, 3)), p.input(torch.tensor([0, 2, 4, 1, 1, 3])), p.input(torch.tensor([0, 2, 2, 5]))
    factors = p.input(torch.rand(6))
    for mode in (0, 1, 2):
        _, bags, sizes, most = torch.ops.aten._embedding_bag(table, index, starts, False, mode)
        bags, sizes, most = (p.input(t) for t in (bags, sizes, most))
        given = p.input(torch.randn(4, 3))
        p.call("aten._embedding_bag_backward.default", given, index, starts, bags, sizes, most, 6, False, mode, False, factors if mode == 0 else None)
        if mode == 0:
            p.call("aten._embedding_bag_per_sample_weights_backward.default", given, table, index, starts, bags, mode)
    image, grid = p.input(torch.randn(2, 3, 5, 4)), p.input(torch.rand(2, 3, 2, 2) * 2.4 - 1.2)
    volume, places = p.input(torch.randn(1, 2, 3, 4, 3)), p.input(torch.rand(1, 2, 3, 2, 3) * 2.4 - 1.2)
    for padding in (0, 1, 2):
        for mode in (0, 1, 2):
            p.call("aten.grid_sampler_2d_backward.default", p.input(torch.randn(2, 3, 3, 2)), image, grid, mode, padding, mode == 2, [True, True])
        for mode in (0, 1):
            p.call("aten.grid_sampler_3d_backward.default", p.input(torch.randn(1, 2, 2, 3, 2)), volume, places, mode, padding, True, [True, True])
    line, lengths = p.input(torch.rand(6, 2) + 0.5), p.input(torch.tensor([2, 1, 3]))
    for reduce in ("sum", "mean", "max", "min", "prod"):
        made = p.input(torch.segment_reduce(line, reduce, lengths=lengths))
        p.call("aten._segment_reduce_backward.default", p.input(torch.randn(3, 2)), made, line, reduce, lengths=lengths)
    p.call("aten.native_dropout_backward.default", p.input(torch.tensor([3, 4], dtype=torch.uint8)), p.input(torch.tensor([True, False])), 2.5)
    p.call("aten.bincount.default", p.input(torch.zeros(0, dtype=torch.int8)), p.input(torch.zeros(0, dtype=torch.int8)), 3)


def steps_of_optimizers(p):
    def lists(count):
        return [[p.input(torch.rand(*shape)) for shape in ((3, 2), (4,))] for _ in range(count)]

    steps, rate, scale = [p.input(torch.tensor(3.0)) for _ in range(2)], p.input(torch.tensor(0.1)), p.input(torch.tensor(2.0))
    adam = dict(beta1=0.9, beta2=0.99, weight_decay=0.1, eps=1e-6)
    for kind in ("_fused_adam", "_fused_adamw"):
        for largest in (False, True):
            for given in (dict(lr=0.1), dict(lr=rate, grad_scale=scale), dict(lr=0.1, found_inf=p.input(torch.tensor(1.0)))):
                overload = "tensor_lr" if given["lr"] is rate else "default"
                most = lists(1)[0] if largest else []
                p.call(f"aten.{kind}.{overload}", *lists(4), most, steps, **adam, amsgrad=largest, maximize=largest, **given)
    sgd = dict(weight_decay=0.1, dampening=0.25, maximize=False)
    for momentum, nesterov, first in ((0.0, False, False), (0.9, False, True), (0.9, True, False)):
        p.call("aten._fused_sgd.default", *lists(2), lists(1)[0] if momentum else [], lr=0.1, momentum=momentum, nesterov=nesterov, is_first_step=first, **sgd)
    for given in (dict(weight_decay=0.1, maximize=False), dict(weight_decay=0.0, maximize=True, grad_scale=scale), dict(weight_decay=0.0, maximize=False, found_inf=p.input(torch.tensor(1.0)))):
        p.call("aten._fused_adagrad.default", *lists(3), steps, lr=0.1, lr_decay=0.01, eps=1e-6, **given)


def alignments(p):
    """Losses over all alignments of a target, with a target that does not fit, an empty one and a sequence without steps."""
    for steps, blank in ((7, 0), (5, 4)):
        given = p.input(torch.randn(steps, 4, 5, dtype=torch.float64).log_softmax(2))
        rows = p.input(torch.tensor([[1, 2, 2], [3, 3, -1], [2, 1, 3], [-1, -1, -1]]) % 5 if blank else torch.tensor([[1, 2, 2], [3, 3, -1], [2, 1, 3], [-1, -1, -1]]))
        line = p.input(torch.tensor([1, 2, 2, 3, 3, 2, 1, 3]))
        lengths, labels = [steps, steps - 1, 2, 0], [3, 2, 3, 0]
        for targets in (rows, line):
            p.call("aten._ctc_loss.default", given, targets, lengths, labels, blank, only=[0])
            loss, alpha = p.made[-2][0], p.made[-1][0]
            for zero_infinity in (False, True):
                p.call("aten._ctc_loss_backward.default", p.input(torch.rand(4, dtype=torch.float64)), given, targets, lengths, labels, loss, alpha, blank, zero_infinity)
            for reduction in (0, 1, 2):
                p.call("aten.ctc_loss.IntList", given, targets, lengths, labels, blank, reduction, True)
        held = [p.input(torch.tensor(numbers)) for numbers in (lengths, labels)]
        p.call("aten.ctc_loss.Tensor", given, line, *held, blank, 0, False)
        p.call("aten._ctc_loss.Tensor", given, line, *held, blank, only=[0])
        loss, alpha = p.made[-2][0], p.made[-1][0]
        p.call("aten._ctc_loss_backward.Tensor", p.input(torch.rand(4, dtype=torch.float64)), given, line, *held, loss, alpha, blank)
    p.call("aten.ctc_loss.IntList", p.input(torch.randn(6, 5).log_softmax(1)), p.input(torch.tensor([1, 3])), [6], [2], 0, 0)


def regions(p):
    """Regions whose size gives how much of the image each cell looks at; some lie outside, or have no size."""
    image = p.input(torch.randn(2, 3, 12, 10))
    regions = p.input(torch.tensor([[0, 1.5, 2.2, 7.9, 9.1], [1, 0, 0, 9, 11], [0, -3, -2, 4, 3], [1, 5, 5, 5, 5], [1, 8, 9, 15, 20], [0, 6, 6, 2, 2]]))
    for rows, columns, scale in ((2, 3, 1.0), (5, 4, 0.5), (1, 1, 2.0)):
        p.call("torchvision.roi_pool.default", image, regions, scale, rows, columns)
        grad, cells, sizes = p.input(torch.randn(6, 3, rows, columns)), (scale, rows, columns), (2, 3, 12, 10)
        p.call("torchvision._roi_pool_backward.default", grad, regions, p.made[-1][0], *cells, *sizes)
        for aligned in (False, True):
            p.call("torchvision.roi_align.default", image, regions, *cells, -1, aligned)
            for points in (-1, 2):
                p.call("torchvision._roi_align_backward.default", grad, regions, *cells, *sizes, points, aligned)
        maps = p.input(torch.randn(2, 2 * rows * columns, 12, 10))
        grad, sizes = p.input(torch.randn(6, 2, rows, columns)), tuple(maps.shape)
        p.call("torchvision.ps_roi_pool.default", maps, regions, scale, rows, columns)
        p.call("torchvision._ps_roi_pool_backward.default", grad, regions, p.made[-1][0], *cells, *sizes)
        for points in (-1, 2):
            p.call("torchvision.ps_roi_align.default", maps, regions, *cells, points)
            p.call("torchvision._ps_roi_align_backward.default", grad, regions, p.made[-1][0], *cells, points, *sizes)
    none = p.input(torch.zeros(0, 5))
    for operator in ("ps_roi_align", "ps_roi_pool"):
        p.call(f"torchvision.{operator}.default", p.input(torch.randn(2, 4, 5, 5)), none, 1.0, 2, 2, *([-1] if operator == "ps_roi_align" else []))
    p.call("torchvision.roi_align.default", image, none, 1.0, 2, 2, -1, False)
    p.call("torchvision.roi_pool.default", image, none, 1.0, 2, 2)


def matrices_of_complex_numbers(p):
    """Factorisations of complex matrices and what they give, as far as it is unique, and how far matrices are from each other."""
    def matrix(*shape):
        return p.call("aten.view_as_complex.default", p.input(torch.randn(*shape, 2, dtype=torch.float64)), only=[])
    def of(operator, *positional, **named):
        p.call(operator, *positional, only=[], **named)
        results = [made for made, _ in p.made[len(p.made) - len(p.lines[-1][0]):]]
        for made in results:
            if made.is_complex():
                p.call("aten.view_as_real.default", p.call("aten.resolve_conj.default", made, only=[]))
            elif made.numel():
                p.call("aten.clone.default", made)
        return results
    eye = p.call("aten.eye.default", 4, dtype=torch.float64, only=[])
    square, other = matrix(2, 4, 4), matrix(2, 4, 3)
    turned = p.call("aten.mT.default", other, only=[])
    product = p.call("aten.matmul.default", square, p.call("aten.mH.default", square, only=[]), only=[])
    positive = p.call("aten.add.Tensor", product, eye, only=[])
    named = lambda operator: f"aten.{operator}.default"
    for upper in (False, True):
        of(named("linalg_cholesky_ex"), positive, upper=upper)
        of(named("cholesky_solve"), other, positive, upper)
        of(named("cholesky_inverse"), positive, upper)
        for unit in (False, True):
            of(named("linalg_solve_triangular"), positive, other, upper=upper, unitriangular=unit)
            of(named("linalg_solve_triangular"), positive, turned, upper=upper, left=False, unitriangular=unit)
        of(named("triangular_solve"), other, positive, upper, True)
    for shape in (square, other, turned):
        of(named("linalg_lu_factor_ex"), shape)
        of(named("linalg_lu"), shape)
        factors, tau = of(named("geqrf"), shape)
        of(named("linalg_qr"), shape)
        of(named("linalg_qr"), shape, "complete")
        of(named("linalg_svdvals"), shape)
        of("aten.linalg_pinv.atol_rtol_float", shape)
        of("aten.linalg_matrix_rank.atol_rtol_float", shape)
        of(named("linalg_cond"), shape)
        if shape is other:
            of(named("linalg_householder_product"), factors, tau)
            for transpose in (False, True):
                of(named("ormqr"), factors, tau, other, True, transpose)
                of(named("ormqr"), factors, tau, turned, False, transpose)
    p.call(named("linalg_lu_factor"), square, only=[])
    factors, pivots = p.made[-2][0], p.made[-1][0]
    for adjoint in (False, True):
        of(named("linalg_lu_solve"), factors, pivots, other, adjoint=adjoint)
        of(named("linalg_lu_solve"), factors, pivots, turned, left=False, adjoint=adjoint)
    of(named("linalg_solve"), square, other)
    of(named("linalg_solve"), square, turned, left=False)
    for operator in ("linalg_inv", "linalg_det", "linalg_slogdet", "logdet", "linalg_matrix_exp"):
        of(named(operator), square)
    for triangle in "LU":
        of(named("linalg_eigvalsh"), positive, triangle)
    of(named("linalg_matrix_power"), square, -2)
    for reduction in (0, 1, 2):
        p.call("aten.l1_loss.default", square, positive, reduction)
    narrow = p.call("aten._to_copy.default", positive, dtype=torch.complex64, only=[])
    of(named("linalg_svdvals"), narrow)
    of(named("linalg_eigvalsh"), narrow)


def resampled(p):
    """A window of three lobes, and sizes times a factor that has no short fraction."""
    image = p.input(torch.randn(2, 3, 9, 7))
    for sizes, aligned in (([4, 11], False), ([1, 20], True), ([9, 7], False)):
        p.call("aten._upsample_lanczos2d_aa.default", image, sizes, aligned)
        p.call("aten._upsample_lanczos2d_aa_backward.default", p.input(torch.randn(2, 3, *sizes)), sizes, [2, 3, 9, 7], aligned)
    p.call("aten._upsample_lanczos2d_aa.default", image, [4, 11], False, 0.5, 1.6)
    p.call("aten._upsample_lanczos2d_aa.vec", image, None, False, [0.6, 1.7])
    line = p.input(torch.randn(2, 3, 10), [2, 3, p.symbol("points", 1, 99)])
    p.call("aten.upsample_linear1d.vec", line, None, False, [1.7])


def main():
    torch.manual_seed(0)
    p = Program()
    for part in (bounds_outside_the_dtype, reductions, elements, counts_and_shapes, statistics_of_symbolic_channels,
                 outputs_of_bags, images, dtypes_that_differ, far_from_the_domain, masks, gradients_of_resampling,
                 losses_of_other_dtypes, gradients_of_nothing_and_of_windows, groups_of_an_empty_batch,
                 edges_that_fuzzers_found, channels_of_nothing, rounded_once, long_rows, windows_over_aligned_corners, images_of_bytes,
                 segments_beside_the_data, products_of_sums, norms_of_no_singular_values, modules_of_inference):
        part(p)
    p.write("results_at_edges", rtol=1.3e-6, atol=1e-6)
    print(len(p.lines), "calls,", len(p.results), "results")
    p = Program()
    for part in (formulas, lists, rounded_while_training, gradients_by_formulas, steps_of_optimizers, alignments, regions, resampled, matrices_of_complex_numbers):
        part(p)
    p.write("results_of_formulas", rtol=1.3e-6, atol=3e-6)
    print(len(p.lines), "calls,", len(p.results), "results of formulas")


if __name__ == "__main__":
    main()
