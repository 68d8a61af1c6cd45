"""torch.compile with the backend litz: operators that run graphs, checkpoints, lists of tensors; these need PyTorch."""

import copy
import threading

import pytest

torch = pytest.importorskip("torch")
from torch._decomp import decompositions
from torch._dynamo.utils import counters
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as over
from torch._higher_order_ops.out_dtype import out_dtype
from torch._higher_order_ops.print import print as printed
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch._higher_order_ops.flex_attention import flex_attention as flex_attention_node
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention.flex_attention import _create_empty_block_mask, create_block_mask, flex_attention
from torch.utils import _pytree as pytree
from torch.utils.checkpoint import checkpoint

import litz
from litz.dynamo.convert import Converter
from shared import compiled, fresh  # noqa: F401 (a fixture of all tests)
from torch.nn import functional as F

pytestmark = pytest.mark.filterwarnings("default")


def agrees(function, *args, gradients=False, **options):
    """Results and gradients are those of eager execution."""
    found = []
    for run in (function, compiled(function, fullgraph=True, **options)):
        given = pytree.tree_map_only(torch.Tensor, lambda t: t.detach().clone().requires_grad_(t.requires_grad), args)
        results = run(*given)
        found.append([pytree.tree_leaves(results)])
        if gradients:
            leaves = [t for t in pytree.tree_leaves(given) if t.requires_grad]
            loss = sum(r.square().sum() for r in found[-1][0] if r.requires_grad)
            found[-1].append(torch.autograd.grad(loss, leaves, allow_unused=True))
    torch.testing.assert_close(found[1], found[0], rtol=1e-4, atol=1e-5)


def leaf(*shape):
    return torch.randn(shape, requires_grad=True)


def recurrence(xs, first, weight):
    return scan(lambda c, x: (torch.tanh(c @ weight + x), c @ weight), first, xs)


@pytest.mark.parametrize("length", [1, 5, 400])
def test_scan_and_map(length):
    agrees(recurrence, leaf(length, 3), leaf(3), leaf(3, 3), gradients=True)
    agrees(lambda xs, y: over(lambda x, y: x.sin() * y, xs, y), leaf(length, 3), leaf(3), gradients=True)
    trees = {"p": torch.randn(length, 4), "q": torch.arange(2 * length).reshape(length, 2)}
    agrees(lambda xs: over(lambda x: {"a": x["p"] + 1, "b": x["q"].sum()}, xs), trees)
    agrees(lambda xs, c: scan(lambda c, x: (c + x, c * x), c, xs, dim=1, reverse=True), torch.randn(3, length), torch.randn(3))


def test_scans_of_any_length_are_one_program():
    functions = [
        lambda xs, n: recurrence(xs, xs[0], xs[:3, :3] * 0.5),
        lambda xs, n: over(lambda x: x * n, xs),
        lambda xs, n: associative_scan(lambda a, b: a + b, xs, 0, combine_mode="pointwise"),
    ]
    for function in functions:
        counters.clear()
        program = compiled(function, fullgraph=True, dynamic=True)
        for length in (4, 7, 30):
            xs = torch.randn(length, 3)
            torch.testing.assert_close(program(xs, 2 * length), function(xs, 2 * length), rtol=1e-4, atol=1e-4)
        assert counters["litz"]["compiled"] == 1


@pytest.mark.parametrize("length", [1, 7, 300])
def test_associative_scan(length):
    a, b = torch.rand(length, 3), torch.randn(length, 3)

    def affine(x, y):
        return x[0] * y[0], x[1] * y[0] + y[1]

    agrees(lambda a, b: associative_scan(affine, (a, b), 0, combine_mode="pointwise"), a, b)
    agrees(lambda a: associative_scan(torch.add, a, 0, reverse=True, combine_mode="generic"), leaf(length, 3), gradients=True)


def test_loops_carry_numbers_and_nest():
    x, weight = torch.randn(3), torch.randn(3, 3)
    agrees(lambda x: while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, torch.tanh(x @ weight)), (0, x)), x)
    agrees(lambda x: scan(lambda c, r: (c + r, scan(lambda d, e: (d + e, d * e), c.sum(), r)[1]), x[0], x)[1], torch.randn(4, 3))


def grows_to(limit):
    return lambda x: while_loop(lambda x: x.sum() < limit, lambda x: (x * 2 + 1,), (x,))


@pytest.mark.parametrize("limit", [9.0, -99.0])
def test_gradients_of_loops_whose_turns_data_decide(limit):
    agrees(grows_to(limit), leaf(3), gradients=True)


def test_litz_differentiates_loops_whose_turns_data_decide():
    agrees(grows_to(9.0), leaf(3), gradients=True, options={"differentiate": "litz"})
    torch.compiler.reset()
    # PyTorch's own gradient of a loop without a turn goes through the body once.
    x = leaf(3)
    (result,) = compiled(grows_to(-99.0), fullgraph=True, options={"differentiate": "litz"})(x)
    (gradient,) = torch.autograd.grad(result.square().sum(), x)
    torch.testing.assert_close(gradient, 2 * x.detach())


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_of_loops_by_what_their_bodies_read(dynamic):
    def settles(x, weight):
        def turn(x, change):
            y = torch.tanh(x @ weight) * 0.5
            return y, (y - x).detach().abs().max()

        return while_loop(lambda x, change: change > 1e-3, turn, (x * 2, torch.tensor(1.0)))[0] * 3

    agrees(settles, leaf(4, 3), (torch.randn(3, 3) * 0.2).requires_grad_(), gradients=True, dynamic=dynamic)


def test_turns_are_counted_by_what_the_condition_depends_on():
    function = lambda x, n: while_loop(lambda k, x: k < n, lambda k, x: (k + 1, torch.tanh(x * 1.5)), (torch.tensor(0), x))
    agrees(function, leaf(7), torch.tensor(3), gradients=True)
    drawn = lambda x: while_loop(lambda x: x.sum() > 1, lambda x: (F.dropout(x, 0.5) * 0.1,), (x,))
    with pytest.raises(Exception, match="the gradient of while_loop, where the loop draws random numbers"):
        compiled(drawn, fullgraph=True)(leaf(3))


@pytest.mark.parametrize("options", [{}, {"differentiate": "litz"}])
@pytest.mark.parametrize("trains", [False, True])
def test_print_writes_tensors_and_numbers(options, trains, capsys):
    def function(x, y):
        z = x.sin()
        printed("z is {} beside {k}", z, k=y)
        printed("{size} of {what!r}", size=2 * x.shape[0], what="rows")
        return z * y

    for dynamic in (False, True):
        torch.compiler.reset()
        x, y = torch.randn(3, 2, requires_grad=trains), torch.rand(3, 2)
        result = compiled(function, fullgraph=True, dynamic=dynamic, options=options)(x, y)
        z = x.detach().sin()
        assert capsys.readouterr().out == f"z is {z} beside {y}\n6 of 'rows'\n"
        if trains:
            (gradient,) = torch.autograd.grad(result.sum(), x)
            torch.testing.assert_close(gradient, x.detach().cos() * y)

    def inside(x):
        printed("{}", x)
        return x.sin()

    with pytest.raises(Exception, match="higher_order.print in a graph that an operator runs"):
        compiled(lambda x: torch.cond(x.sum() > 0, inside, torch.cos, (x,)), fullgraph=True)(torch.rand(3))


def test_branches():
    held = torch.tensor([1.0, 2.0, 3.0])

    def by_sum(yes, no):
        return lambda x: torch.cond(x.sum() > 0, yes, no, (x,))

    for sign in (1.0, -1.0):
        x = torch.rand(3) * sign
        agrees(by_sum(lambda x: x + torch.tensor([1.0, 2.0, 3.0]), lambda x: over(lambda e: e * 2, x) - held), x)
        # What is alike in both branches, and what is not.
        agrees(by_sum(lambda x: (3, x.sin()), lambda x: (3, x.cos())), x)
        agrees(by_sum(lambda x: (3, x.sin()), lambda x: (4, x.cos())), x)
    by_size = lambda x, n: torch.cond(x.shape[0] > 4, lambda x: x.sin() * n, lambda x: x.cos() + n, (x,))
    program = compiled(by_size, fullgraph=True, dynamic=True)
    for n in (3, 6, 4):
        x = torch.randn(n)
        torch.testing.assert_close(program(x, n + 3), by_size(x, n + 3))


@torch.compiler.nested_compile_region
def region(x, weight):
    return torch.tanh(x @ weight) + x


def test_what_a_region_keeps_is_of_its_own_call():
    """A region gives views of its operands to its backward, and PyTorch takes them for views of the first call's."""

    def several(x, weights):
        for weight in weights:
            x = region(x, weight)
        return x

    agrees(several, leaf(4, 3), [leaf(3, 3), leaf(3, 3), leaf(3, 3)], gradients=True)


def test_graphs_that_hold_tensors_of_one_name():
    @torch.compiler.nested_compile_region
    def holding(x):
        return x * torch.tensor([1.0, 2.0, 3.0])

    def function(x):
        return holding(x) + torch.tensor([4.0, 5.0, 6.0]) + torch.cond(x.sum() > 0, lambda x: x + torch.tensor(7.0), torch.cos, (x,))

    agrees(function, torch.rand(3))


def test_flex_attention_is_its_formula():
    q, k, v = torch.randn(3, 2, 4, 128, 16)
    documents = torch.tensor([0] * 50 + [1] * 78)
    mask = create_block_mask(lambda b, h, i, j: (i >= j) & (documents[i] == documents[j]), 1, 1, 128, 128, device="cpu")
    bias = torch.randn(4)
    agrees(lambda q, k, v: flex_attention(q, k, v, lambda s, b, h, i, j: s * 2 + bias[h] * (i - j), block_mask=mask), q, k, v)
    agrees(lambda q, k, v: flex_attention(q, k, v, enable_gqa=True, return_lse=True), q, k[:, :2], v[:, :2])
    program = compiled(flex_attention, fullgraph=True, dynamic=True)
    for n in (16, 48):
        parts = [t[:, :, :n] for t in (q, k, v)]
        torch.testing.assert_close(program(*parts), flex_attention(*parts))


def test_flex_attention_has_a_gradient():
    """The nodes that PyTorch makes for a GPU; on a CPU it differentiates none."""
    bias, grad = torch.randn(2), torch.randn(1, 2, 16, 16)

    def score(s, b, h, i, j, bias):
        return s * 2 + bias[h] * (i - j)

    def nodes(grad, q, k, v, bias):
        whole = _create_empty_block_mask(q, k).as_tuple()
        with torch.enable_grad():
            leaves = [t.detach().requires_grad_() for t in (q, k, v)]
            out = flex_attention_node(*leaves, score, whole, 0.25, {}, (bias,), ())[0]
            return out.detach(), *torch.autograd.grad(out, leaves, grad)

    leaves = [leaf(1, 2, 16, 16) for _ in range(3)]
    given = [t.detach() for t in (grad, *leaves, bias)]
    with FakeTensorMode() as fakes:
        gm = make_fx(nodes)(*map(fakes.from_tensor, given))
    assert "flex_attention_backward" in gm.code
    program = Converter(gm, "flex").run().graph.compile(backend="cpu")
    places = torch.arange(16)
    scores = leaves[0] @ leaves[1].mT / 2 + bias[:, None, None] * (places[:, None] - places)
    want = scores.softmax(-1) @ leaves[2]
    results = program.run(given)
    torch.testing.assert_close(list(results), [want.detach(), *torch.autograd.grad(want, leaves, grad)], rtol=1e-4, atol=1e-4)


def test_a_checkpoint_keeps_its_random_numbers():
    x = leaf(200)
    result = compiled(lambda x: checkpoint(lambda x: F.dropout(x.sin(), 0.5), x, use_reentrant=False), fullgraph=True)(x)
    (gradient,) = torch.autograd.grad(result.sum(), x)
    kept = result != 0
    assert 0 < kept.sum() < 200
    torch.testing.assert_close(gradient, torch.where(kept, 2 * x.cos(), 0.0).detach())


def test_a_layer_trains_with_other_sizes():
    """Queries, keys and values that are kept for the backward are views of one tensor, at places that sizes give."""
    eager = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
    ours = copy.deepcopy(eager)
    program = compiled(ours, fullgraph=True)
    for shape in ((1, 4), (2, 4), (3, 5)):
        x = torch.randn(*shape, 16)
        results = [m(x) for m in (eager, program)]
        torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)
        for result in results:
            result.square().sum().backward()
    for want, have in zip(eager.parameters(), ours.parameters(), strict=True):
        torch.testing.assert_close(have.grad, want.grad, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
def test_recurrent_layers(kind):
    layer = kind(4, 5)
    with torch._dynamo.config.patch(allow_rnn=True):
        agrees(lambda x: layer(x), torch.randn(3, 2, 4))
        agrees(lambda x: layer(x)[0], leaf(3, 2, 4), gradients=True)


def test_other_threads_keep_their_layers_of_onednn():
    chosen, x = [], torch.randn(3, 2, 4)

    def choose():
        weights = [torch.randn(20, 4), torch.randn(20, 5)]
        state = torch.randn(2, 1, 5).unbind()
        chosen.append(decompositions.select_one_layer_lstm_function(x, [s[None] for s in state], [weights]))
        chosen.append(torch._C._get_mkldnn_enabled())

    @torch.library.custom_op("litz_tests::looks", mutates_args=())
    def looks(a: torch.Tensor) -> torch.Tensor:
        return a.clone()

    @looks.register_fake
    def _(a):
        for run in (choose, lambda: [t := threading.Thread(target=choose), t.start(), t.join()]):
            run()
        return torch.empty_like(a)

    compiled(lambda x: looks(x) * 2, options={"fallback": True})(x.requires_grad_(False))
    has_onednn = torch.backends.mkldnn.is_available()
    theirs = decompositions.mkldnn_one_layer_lstm if has_onednn else decompositions.one_layer_lstm
    # The last time PyTorch asks is while it traces for Litz: this thread's answer, then the other's.
    assert chosen[-4:] == [decompositions.one_layer_lstm, has_onednn, theirs, has_onednn]


def test_lists_of_tensors():
    def lists(a, b, scale):
        left, right = [a, b], [b + 3, a + 3]
        torch._foreach_add_(left, right, alpha=2)
        return [
            torch._foreach_mul(left, [2.0, 3.0]), torch._foreach_addcdiv(left, left, right, value=0.5),
            torch._foreach_addcmul(left, left, right, [0.5, 2.0]), torch._foreach_norm(left, 1), torch._foreach_pow(2.0, left),
            torch._foreach_lerp(left, right, 0.3), torch._foreach_maximum(left, 0.1), torch._foreach_clamp_max(left, right),
            torch._foreach_mul(left, scale), torch._foreach_sqrt(right), torch._foreach_sub(left, 1),
        ]  # fmt: skip

    agrees(lists, torch.rand(3, 2), torch.rand(3, 2), torch.tensor(2.0))


@pytest.mark.parametrize("kind", [torch.optim.AdamW, torch.optim.SGD])
@pytest.mark.parametrize("how", [{"foreach": False}, {"foreach": True}, {"fused": True}], ids=["single", "foreach", "fused"])
def test_an_optimizers_step(kind, how):
    eager = torch.nn.Linear(3, 3)
    ours = copy.deepcopy(eager)
    optimizers = [kind(m.parameters(), 1e-2, **how) for m in (eager, ours)]
    steps = [optimizers[0].step, compiled(lambda: optimizers[1].step())]
    for _ in range(3):
        x = torch.randn(2, 3)
        for model, optimizer, step in zip((eager, ours), optimizers, steps, strict=True):
            optimizer.zero_grad()
            model(x).square().sum().backward()
            step()
    for want, have in zip(eager.parameters(), ours.parameters(), strict=True):
        torch.testing.assert_close(have, want)


def test_operators_inside_of_graphs_are_named_or_run_by_pytorch():
    @torch.library.custom_op("litz_tests::inside", mutates_args=())
    def inside(a: torch.Tensor) -> torch.Tensor:
        return a * 3

    inside.register_fake(torch.empty_like)

    @torch.compiler.nested_compile_region
    def in_region(x):
        return inside(x.sin()) * 2

    functions = {
        "cond": lambda x: torch.cond(x.sum() > 0, inside, torch.cos, (x,)),
        "map_impl": lambda x: over(inside, x),
        "invoke_subgraph": lambda x: in_region(in_region(x)),
    }
    for name, function in functions.items():
        with pytest.raises(Exception, match="litz_tests.inside"):
            compiled(function)(torch.rand(3))
        torch.compiler.reset()
        counters.clear()
        agrees(function, torch.rand(3), options={"fallback": True})
        assert counters["litz"][f"fallback {name}"] == 1 + (name == "invoke_subgraph")


def test_products_of_another_dtype():
    a, b = torch.randint(-5, 5, (3, 4), dtype=torch.int8), torch.randint(-5, 5, (4, 2), dtype=torch.int8)
    agrees(lambda a, b: out_dtype(torch.ops.aten.mm.default, torch.int32, a, b), a, b)


class Strided(torch.nn.Module):
    def __init__(self, offset):
        super().__init__()
        self.offset = offset

    def forward(self, x):
        return torch.as_strided(x, (2, 2), (1, 2), self.offset).clone()


def test_storage_is_looked_at_from_where_an_argument_begins():
    view = torch.arange(20.0)[3:15]
    for offset in (None, 3, 5):
        agrees(Strided(offset), view)
        program = torch.export.export(Strided(offset), (view,))
        assert torch.equal(torch.from_dlpack(litz.load(program).compile()(view)), Strided(offset)(view))
    with pytest.raises(Exception, match="begins at element 3 of its storage, from element 1 on"):
        compiled(Strided(1), fullgraph=True)(view)
    with pytest.raises(litz.Unsupported, match="begins at element 3 of its storage"):
        litz.load(torch.export.export(Strided(1), (view,)))


class Mapped(torch.nn.Module):
    def forward(self, x, y):
        return torch.vmap(lambda a, b: (a * b).sum() + a)(x, y)


class Alias(torch.nn.Module):
    def forward(self, x):
        return torch.as_strided(x.float(), (2,), (1,), 7) * 2


class InBranch(torch.nn.Module):
    def forward(self, p, x):
        def yes(x):
            return torch.as_strided(x, (2,), (1,), 7) * 2

        return torch.cond(p.sum() > 0, yes, lambda x: x[:2] * 3, (x,))


def test_storage_is_that_of_an_argument_through_what_gives_it_itself():
    view = torch.arange(20.0)[5:]
    program = torch.export.export(Alias(), (view,))
    assert torch.equal(torch.from_dlpack(litz.load(program).compile()(view)), Alias()(view))


def test_storage_of_a_branch_s_operand_is_refused():
    arguments = torch.ones(4)[2:], torch.arange(20.0)[5:]
    with pytest.raises(litz.Unsupported, match="does not begin its storage"):
        litz.load(torch.export.export(InBranch(), arguments))

