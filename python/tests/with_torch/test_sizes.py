"""Sizes that a program calculates: one program for all of them, and no more recompilations than PyTorch's own."""

import math

import pytest

torch = pytest.importorskip("torch")
from shared import compiled, fresh  # noqa: F401 (a fixture of all tests)
from torch._dynamo.utils import counters
from torch.nn import functional as F

pytestmark = pytest.mark.filterwarnings("default")

CALCULATED = {
    "scaled": lambda x: F.interpolate(x[None, None], scale_factor=1.5, mode="nearest")[0, 0],
    "truncated": lambda x: x.new_ones(int(x.shape[0] * 0.7), x.shape[1]),
    "rounded up": lambda x: x.new_ones(math.ceil(x.shape[0] / 2 + 0.3)),
    "rounded": lambda x: x.new_ones(round(x.shape[0] / 4)),
    "root": lambda x: x.new_ones(int(math.sqrt(x.shape[0] * x.shape[1]))),
    "float": lambda x: x / math.sqrt(x.shape[0]) + x.shape[1] ** -0.5 + x.shape[0] / 3,
    "extreme": lambda x: x.new_ones(max(x.shape[0], x.shape[1]) - min(x.shape[0], 4)),
    "difference": lambda x: x.new_ones(abs(x.shape[0] - x.shape[1])),
    "chosen": lambda x: x.new_ones(torch.sym_ite(x.shape[0] > 6, x.shape[0], x.shape[1] * 2)),
    "power": lambda x: x.new_ones(2 ** (x.shape[0] // 4), x.shape[0] ** 2),
    "shifted": lambda x: x.new_ones(1 << (x.shape[0] // 4), x.shape[0] >> 1),
    "returned": lambda x: (x.shape[0] * 0.5, int(x.shape[0] * 1.5), x.shape[0] ** 0.5, x + 1),
    "padded": lambda x: F.pad(x, (0, (-x.shape[1]) % 8, 0, (4 - x.shape[0] % 4) % 4)),
}


@pytest.mark.parametrize("trains", [False, True])
@pytest.mark.parametrize("function", CALCULATED.values(), ids=CALCULATED)
def test_calculated_sizes_are_symbols(function, trains):
    graphs = []
    for program in (torch.compile(function, backend="aot_eager", dynamic=True), compiled(function, dynamic=True)):
        torch.compiler.reset()
        counters.clear()
        for shape in ((5, 7), (9, 4), (12, 11)):
            x = torch.randn(shape, requires_grad=trains)
            given, want = program(x), function(x)
            torch.testing.assert_close(given, want)
            if isinstance(want, torch.Tensor) and want.requires_grad:
                torch.testing.assert_close(*(torch.autograd.grad(r.pow(2).sum(), x)[0] for r in (given, want)))
        graphs.append(counters["stats"]["unique_graphs"])
    assert graphs[1] <= graphs[0]


@pytest.mark.parametrize("trains", [False, True])
def test_a_symbolic_dimension_is_split(trains):
    def parts(x):
        first, *_ = x.split(2, dim=1)
        return first, x.chunk(2)[1], x.unsafe_split(3, 1)[-1], x.tensor_split(2, 1)[0], x.split(x.shape[0])[0]

    program = compiled(parts, dynamic=True)
    for shape in ((4, 7), (5, 6), (6, 11)):
        x = torch.randn(shape, requires_grad=trains)
        given, want = program(x), parts(x)
        torch.testing.assert_close(given, want)
        if trains:
            torch.testing.assert_close(*(torch.autograd.grad(sum(p.pow(2).sum() for p in r), x)[0] for r in (given, want)))


def test_derivatives_forward_have_tangents_that_are_zero():
    def forward(x, y):
        value = torch.func.jvp(lambda x: (x.sin() * y).cumsum(0), (x,), (torch.ones_like(x),))
        return *value, torch.func.jacfwd(lambda x: y @ x.exp())(x), torch.func.hessian(lambda x: (y @ x).tanh().sum())(x)

    x, y = torch.randn(3), torch.randn(3, 3)
    torch.testing.assert_close(compiled(forward, fullgraph=True)(x, y), forward(x, y))
