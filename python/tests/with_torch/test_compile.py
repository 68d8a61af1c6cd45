"""torch.compile with the backend litz; these need PyTorch, which scripts/test-torch has."""

import contextlib
import copy
import gc
import logging

import pytest

torch = pytest.importorskip("torch")
from torch._dynamo.utils import counters
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import litz
from litz.dynamo import backend
from litz.dynamo.convert import Converter
from shared import compiled, fresh  # noqa: F401 (a fixture of all tests)
from torch.nn import functional as F

pytestmark = pytest.mark.filterwarnings("default")


def test_the_entry_point_and_inference():
    assert "litz" in torch._dynamo.list_backends()
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.LayerNorm(16), torch.nn.GELU(), torch.nn.Linear(16, 4))
    x = torch.randn(3, 8)
    with torch.no_grad():
        torch.testing.assert_close(compiled(model, fullgraph=True)(x), model(x))
    assert counters["litz"]["compiled"] == 1 and not [k for k in counters["litz"] if "fallback" in k]


def test_training_has_the_losses_of_eager_execution():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens = torch.nn.Embedding(50, 32)
            self.layer = torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
            self.head = torch.nn.Linear(32, 50)

        def forward(self, tokens, labels):
            logits = self.head(self.layer(self.tokens(tokens)))
            return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())

    eager = Model()
    ours = copy.deepcopy(eager)
    program = compiled(ours)
    optimizers = [torch.optim.AdamW(m.parameters(), 1e-3) for m in (eager, ours)]
    for _ in range(20):
        tokens, labels = torch.randint(50, (2, 4, 8))
        losses = eager(tokens, labels), program(tokens, labels)
        torch.testing.assert_close(*losses, rtol=1e-5, atol=1e-5)
        for loss, optimizer in zip(losses, optimizers, strict=True):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert counters["litz"]["compiled"] == 2


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("masked", ["causal", "bool", "float", "differentiable"])
def test_attention_is_one_operator_with_a_gradient(dtype, masked, monkeypatch):
    from litz.dynamo import program

    seen, convert = [], program.Converter
    monkeypatch.setattr(program, "Converter", lambda gm, kind: seen.append(gm.code) or convert(gm, kind))

    def attention(q, k, v, mask):
        mask = {"causal": None, "bool": mask > -1, "float": mask.detach(), "differentiable": mask}[masked]
        call = torch.nn.functional.scaled_dot_product_attention
        return call(q, k, v, attn_mask=mask, is_causal=masked == "causal", enable_gqa=True)

    shapes = (2, 4, 7, 8), (2, 2, 7, 8), (2, 2, 7, 8), (7, 7)
    tensors = [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]
    found = []
    for function in (attention, compiled(attention, fullgraph=True)):
        result = function(*tensors)
        given = tensors if masked == "differentiable" else tensors[:3]
        found.append([result, *torch.autograd.grad(result.float().pow(2).sum(), given)])
    for want, have in zip(*found, strict=True):
        torch.testing.assert_close(have, want)
    fused = "_scaled_dot_product_flash_attention_for_cpu_backward" in "".join(seen)
    assert fused == (masked != "differentiable")


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(6, 5), (5,)])
def test_a_cross_entropys_backward_keeps_numbers_of_rows(reduction, weighted, shape, monkeypatch):
    logits = torch.randn(shape, requires_grad=True)
    labels = torch.randint(5, shape[:-1])
    if labels.dim():
        labels[1] = labels[3] = -100
    weight = torch.rand(5) if weighted else None

    def loss(logits, labels):
        return torch.nn.functional.cross_entropy(logits, labels, weight, reduction=reduction)

    inputs = []
    convert = Converter.run

    def run(converter):
        made = convert(converter)
        inputs.append([n.meta["val"] for n in converter.module.graph.nodes if n.op == "placeholder"])
        return made

    monkeypatch.setattr(Converter, "run", run)
    want, given = loss(logits, labels), compiled(loss, fullgraph=True)(logits, labels)
    torch.testing.assert_close(given, want)
    cotangent = torch.rand_like(want)
    torch.testing.assert_close(torch.autograd.grad(given, logits, cotangent), torch.autograd.grad(want, logits, cotangent))
    of_rows = [v for v in inputs[-1] if isinstance(v, torch.Tensor) and v.is_floating_point() and v.shape == shape]
    assert len(of_rows) == 1, "of the logits' size only these themselves are kept"


def test_results_have_the_dtypes_that_pytorch_says():
    """PyTorch says that the new running statistics of a batch norm in bfloat16 are float32."""
    eager = torch.nn.BatchNorm2d(4).bfloat16().train()
    ours = copy.deepcopy(eager)
    program = compiled(ours)
    x = torch.randn(8, 4, 5, 5).bfloat16()
    torch.testing.assert_close(program(x), eager(x))
    torch.testing.assert_close(ours.running_var, eager.running_var)
    assert ours.running_var.dtype == torch.bfloat16


def test_lazy_tensors_are_seen_after_others():
    program = compiled(torch.abs)
    plain = torch.randn(4)
    torch.testing.assert_close(program(plain), plain.abs())
    negated = torch.randn(4, dtype=torch.complex64).conj().imag
    torch.testing.assert_close(program(negated), negated.abs())
    # A gradient that comes to a backward is lazily negated.
    x = torch.randn(4, requires_grad=True)
    program = compiled(torch.sin)
    (want,) = torch.autograd.grad(torch.sin(x), x, negated)
    torch.testing.assert_close(torch.autograd.grad(program(x), x, negated)[0], want)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_flash_attention_of_a_gpu_is_litzs_own(causal, scale):
    """The nodes that PyTorch makes for a GPU, in a program for this CPU."""
    operators = torch.ops.aten

    def nodes(grad, q, k, v):
        results = operators._scaled_dot_product_flash_attention(q, k, v, 0.0, causal, scale=scale)
        out, sums, of_queries, of_keys, most_queries, most_keys, seed, offset, _ = results
        gradients = operators._scaled_dot_product_flash_attention_backward(
            grad, q, k, v, out, sums, of_queries, of_keys, most_queries, most_keys, 0.0, causal, seed, offset, scale=scale
        )
        return out, *gradients

    shapes = [(2, 3, 24, 16)] * 2 + [(2, 3, 40, 16)] * 2
    with FakeTensorMode():
        fakes = [torch.empty(s[0], s[2], s[1], s[3], device="cuda").transpose(1, 2) for s in shapes]
        gm = make_fx(nodes)(*fakes)
    made = Converter(gm, "attention").run()
    program = made.graph.compile(backend="cpu")
    grad, *operands = [torch.randn(s[0], s[2], s[1], s[3]).transpose(1, 2) for s in shapes]
    leaves = [t.detach().requires_grad_() for t in operands]
    if causal:
        mask = torch.ones(24, 40, dtype=torch.bool).tril()
        want = torch.nn.functional.scaled_dot_product_attention(*leaves, mask, scale=scale)
    else:
        want = torch.nn.functional.scaled_dot_product_attention(*leaves, scale=scale)
    results = program.run([grad, *operands])
    for got, expected in zip(results, [want.detach(), *torch.autograd.grad(want, leaves, grad)], strict=True):
        assert got.stride() == grad.stride() or got.shape != grad.shape
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)


def test_dynamic_sizes_are_one_program():
    program = compiled(lambda x: (x.reshape(-1)[::2] * x.shape[0], x.shape[0] + 1), dynamic=True)
    for n in (3, 5, 8):
        x = torch.randn(n, 4)
        values, number = program(x)
        torch.testing.assert_close(values, x.reshape(-1)[::2] * n)
        assert number == n + 1
    assert counters["litz"]["compiled"] == 1


def test_sizes_that_are_expressions():
    # The number of parts is guarded, so that PyTorch writes the size in terms of what is left over.
    program = compiled(lambda x, size: torch.split(x, size, -1), dynamic=True, fullgraph=True)
    for width, size in [(10, 3), (11, 3), (10, 4), (12, 4)]:
        x = torch.randn(2, width)
        torch.testing.assert_close(program(x, size), torch.split(x, size, -1))


@pytest.mark.parametrize("kind", [torch.float32, torch.int64, torch.bool])
def test_new_memory_is_filled_where_pytorch_fills_it(kind):
    def grown(x, shape, memory_format):
        return torch.ops.aten.resize(x, shape, memory_format=memory_format)

    def like(x, template, memory_format):
        return torch.ops.aten.resize_as(x, template, memory_format=memory_format)

    x = torch.zeros(2, dtype=kind)
    shape, last = (1, 3, 2, 3), torch.channels_last
    calls = [(grown, shape, f) for f in (torch.contiguous_format, last)]
    calls += [(like, torch.zeros(shape).to(memory_format=f), torch.preserve_format) for f in (torch.contiguous_format, last)]
    calls += [(lambda x, n, _: x.new_empty(n), 5, None)]
    torch.use_deterministic_algorithms(True)
    try:
        for function, *rest in calls:
            result, expected = compiled(function, fullgraph=True)(x, *rest), function(x, *rest)
            torch.testing.assert_close(result, expected, equal_nan=True)
            assert result.stride() == expected.stride()
    finally:
        torch.use_deterministic_algorithms(False)


def test_failed_checks_of_data_are_errors_of_pytorchs_kind():
    def one(x):
        found = x.nonzero()
        torch._check(found.shape[0] == 1)
        return found + 1

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        program = compiled(one, fullgraph=True)
        assert program(torch.tensor([0, 0, 5])).tolist() == [[3]]
        with pytest.raises(RuntimeError):
            program(torch.tensor([0, 0, 0]))


def test_a_size_that_a_check_has_promised_is_compared_in_a_run():
    """PyTorch puts the number in the symbol's place, so that its checks behind it are always true."""

    def one(x):
        found = x.nonzero()
        torch._check(found.size(0) == 2)
        return found + 1

    def without_later_checks(module, example_inputs):
        read = [n for n in module.graph.nodes if n.op == "call_method" and n.target == "size"]
        later = [user for n in read for user in (*[c for u in n.users for c in u.users], *n.users, n)]
        for node in later:
            module.graph.erase_node(node)
        module.recompile()
        return backend(module, example_inputs)

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        program = torch.compile(one, backend=without_later_checks, fullgraph=True)
        assert program(torch.tensor([7, 0, 5])).tolist() == [[1], [3]]
        with pytest.raises(RuntimeError, match="size 0 of the result is not the 2"):
            program(torch.tensor([0, 0, 0]))


def test_graph_breaks_and_mutation():
    state = torch.zeros(3)

    def function(x):
        state.add_(x)
        torch._dynamo.graph_break()
        x.mul_(2)
        return x.view(-1), state + 1

    x = torch.ones(3)
    program = compiled(function)
    for k in (1, 2):
        before = x.clone()
        view, after = program(x)
        assert x.tolist() == (before * 2).tolist() and view.data_ptr() == x.data_ptr()
        assert after.tolist() == [2.0] * 3 if k == 1 else [4.0] * 3
    assert counters["litz"]["compiled"] == 2


def test_no_inputs_numbers_and_views():
    assert compiled(lambda: torch.arange(4) * 2)().tolist() == [0, 2, 4, 6]
    negated = torch.randn(4, dtype=torch.complex64).conj().imag
    assert negated.is_neg()
    torch.testing.assert_close(compiled(torch.abs)(negated), negated.abs())
    strided = compiled(lambda x: x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2) + 1)(torch.ones(2, 3, 4, 5))
    assert strided.stride() == (60, 1, 15, 3)


def test_random_numbers_follow_pytorchs_seed():
    program = compiled(lambda x: torch.nn.functional.dropout(x, 0.5))
    x = torch.ones(256)

    def draw(seed):
        torch.manual_seed(seed)
        return [program(x).tolist() for _ in range(2)]

    first, again, other = draw(1), draw(1), draw(2)
    assert first == again and first[0] != first[1] and first[0] != other[0]
    assert set(first[0]) == {0.0, 2.0}


@pytest.mark.parametrize("how", [None, "torch", "litz"])
def test_generators_are_left_alone_where_nothing_draws(how):
    def attend(q, k, v):
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=q @ k.mT > -9, dropout_p=0.0)
        return torch.nn.functional.dropout(mixed, 0.5, training=False).sum()

    program = compiled(attend, options={"differentiate": how} if how else {})
    given = [torch.randn(1, 2, 5, 8, requires_grad=how is not None) for _ in range(3)]
    before = torch.get_rng_state()
    result = program(*given)
    if how:
        result.backward()
    assert torch.equal(torch.get_rng_state(), before)


def test_options_of_the_backend_have_types():
    for options in ({"fallback": "no"}, {"differentiate": "other"}, {"differentiate": "litz", "fallback": True}):
        with pytest.raises(Exception, match=f"option {next(iter(options))}: .* is not "):
            compiled(torch.sin, options=options)(torch.rand(3))


def test_rows_of_a_quantised_table():
    table = torch.ops.quantized.embedding_bag_byte_prepack(torch.rand(3, 16))
    result = compiled(lambda t: torch.ops.quantized.embedding_bag_byte_unpack(t) * 2)(table)
    torch.testing.assert_close(result, torch.ops.quantized.embedding_bag_byte_unpack(table) * 2)


def test_what_is_refused_is_named_or_run_by_pytorch(caplog):
    @torch.library.custom_op("litz_tests::mixed", mutates_args=())
    def mixed(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * 3 - b

    mixed.register_fake(lambda a, b: torch.empty_like(a))

    def function(a, b):
        return mixed(a + 1, b) * 2 + a

    a, b = torch.rand(4), torch.rand(4)
    with pytest.raises(Exception, match="litz_tests.mixed"):
        compiled(function)(a, b)
    torch.compiler.reset()
    with caplog.at_level(logging.WARNING, "litz"):
        result = compiled(function, options={"fallback": True})(a, b)
    torch.testing.assert_close(result, function(a, b))
    assert counters["litz"]["fallback litz_tests.mixed.default"] == 1 and counters["litz"]["compiled"] == 2
    assert "PyTorch runs litz_tests.mixed.default" in caplog.text


def test_operators_that_write_to_their_arguments_are_run_by_pytorch(caplog):
    @torch.library.custom_op("litz_tests::both", mutates_args={"total", "outs"})
    def both(x: torch.Tensor, total: torch.Tensor, outs: list[torch.Tensor]) -> torch.Tensor:
        total += x
        for out in outs:
            out.copy_(x.sin())
        return x * 2

    both.register_fake(lambda x, total, outs: torch.empty_like(x))

    def function(x, total):
        outs = [torch.empty_like(x) for _ in range(2)]
        return both(x + 1, total, outs) + outs[0] * outs[1] + total

    x, totals = torch.rand(4), [torch.zeros(4) for _ in range(2)]
    with pytest.raises(Exception, match=r"litz_tests\.both.*writes to its arguments"):
        compiled(function)(x, totals[0])
    torch.compiler.reset()
    with caplog.at_level(logging.WARNING, "litz"):
        result = compiled(function, options={"fallback": True})(x, totals[0])
    torch.testing.assert_close(result, function(x, totals[1]))
    torch.testing.assert_close(*totals)
    assert counters["litz"]["fallback litz_tests.both.default"] == 1


def test_modes_and_options(caplog):
    with caplog.at_level(logging.INFO, "litz"):
        compiled(torch.sin, mode="max-autotune")(torch.zeros(2))
        compiled(torch.tan, options={"cpu.threads": 1})(torch.zeros(2))
    assert "compiled a graph for inference" in caplog.text
    with pytest.raises(Exception, match="cpu.thread"):
        compiled(torch.cos, options={"cpu.thread": 1})(torch.zeros(2))


def test_pytorchs_own_errors_are_told():
    with pytest.raises(RuntimeError, match="same dtype"):
        compiled(torch.mm)(torch.ones(2, 2), torch.ones(2, 2, dtype=torch.int64))


@pytest.mark.parametrize("size", [4, 5])
def test_a_result_whose_shape_pytorch_says_otherwise_is_refused(size):
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    y = graph.call_function(torch.ops.aten.relu.default, (x,))
    graph.output((y,))
    x.meta["val"], y.meta["val"] = torch.empty(4), torch.empty(size)
    converter = Converter(torch.fx.GraphModule({}, graph), "g")
    with contextlib.nullcontext() if size == 4 else pytest.raises(litz.Unsupported, match=r"relu.*\(5,\), which is \(4,\)"):
        converter.run()


def test_inputs_are_let_go():
    program = compiled(lambda x: x * 2 + 1)
    x = torch.ones(4)
    program(x)
    result = program(x)
    del x
    gc.collect()
    assert result.tolist() == [3.0] * 4


def test_exported_programs_and_trees():
    class Model(torch.nn.Module):
        def forward(self, x, *, scale):
            return {"y": x["a"] * scale, "n": [x["b"]]}

    x = {"a": torch.randn(2), "b": torch.randn(3)}
    exported = torch.export.export(Model(), (x,), {"scale": torch.tensor(2.0)})
    result = litz.compile(exported)(x, scale=torch.tensor(2.0))
    torch.testing.assert_close(result, Model()(x, scale=torch.tensor(2.0)))


def test_torch_arrays_in_calls():
    graph = litz.Graph("double")
    graph.output("y", graph.input("x", "float32", [4]) * 2)
    program = graph.compile()
    x = torch.arange(4.0)
    result = program(torch.nn.Parameter(x))
    assert type(result) is torch.Tensor and not result.requires_grad and result.tolist() == [0, 2, 4, 6]
    with pytest.raises(ValueError, match="resolve_neg"):
        program(torch.randn(4, dtype=torch.complex64).conj().imag)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_results_are_on_the_device_that_pytorch_says():
    def moved(x):
        return x.cuda() + 1, torch.arange(4, device="cuda"), x.cpu() + 1

    for x in (torch.ones(3), torch.ones(3, device="cuda")):
        for expected, result in zip(moved(x), compiled(moved)(x), strict=True):
            assert result.device == expected.device
            torch.testing.assert_close(result, expected)


def test_an_operator_that_is_registered_with_litz():
    @torch.library.custom_op("litz_tests::scaled", mutates_args=())
    def scaled(a: torch.Tensor, by: float = 2.0) -> torch.Tensor:
        return a * by

    scaled.register_fake(lambda a, by=2.0: torch.empty_like(a))
    seen = []

    @litz.register_operator("litz_tests::scaled(Tensor a, float by=2.0) -> Tensor", meta=lambda graph, a, by: a)
    def run(a, by):
        seen.append(by)
        return torch.from_dlpack(a) * by

    function = lambda a: scaled(a + 1, 3.0) * 2
    for rows in (2, 5):
        a = torch.rand(rows, 3)
        torch.testing.assert_close(compiled(function, fullgraph=True, dynamic=True)(a), function(a))
    assert seen == [3.0, 3.0] and not [k for k in counters["litz"] if "fallback" in k]


class Learner(torch.nn.Module):
    """A normalised layer with state, and an integer beside the loss."""

    def __init__(self):
        super().__init__()
        # A bias would have no gradient but noise, which AdamW makes steps of.
        self.first = torch.nn.Linear(8, 16, bias=False)
        self.norm = torch.nn.BatchNorm1d(16)
        self.second = torch.nn.Linear(16, 4)

    def forward(self, x, labels):
        scores = self.second(torch.nn.functional.gelu(self.norm(self.first(x))))
        return torch.nn.functional.cross_entropy(scores, labels), scores.argmax(1)


@pytest.mark.parametrize("dynamic", [False, True])
def test_litz_differentiates_where_it_is_asked_to(dynamic, monkeypatch):
    from litz.dynamo import training

    seen = []
    monkeypatch.setattr(training, "Training", type("Seen", (), {"of": lambda *a: seen.append(1) or litz.Training.of(*a)}))
    eager = Learner()
    ours = copy.deepcopy(eager)
    program = compiled(ours, options={"differentiate": "litz"}, fullgraph=True, dynamic=dynamic)
    optimizers = [torch.optim.AdamW(m.parameters(), 1e-2) for m in (eager, ours)]
    for step in range(20):
        x, labels = torch.randn(5 + dynamic * step, 8), torch.randint(4, (5 + dynamic * step,))
        results = [m(x, labels) for m in (eager, program)]
        for (loss, _), optimizer in zip(results, optimizers, strict=True):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        torch.testing.assert_close(results[1], results[0], rtol=1e-4, atol=1e-5)
        assert not results[1][1].requires_grad
    for want, have in zip(eager.state_dict().values(), ours.state_dict().values(), strict=True):
        torch.testing.assert_close(have, want, rtol=1e-3, atol=1e-4)
    assert len(seen) == 1 and counters["litz"]["compiled"] == 1
    with torch.no_grad():
        torch.testing.assert_close(program(x, labels), ours(x, labels))


def test_gradients_of_inputs_and_what_own_differentiation_refuses():
    function = lambda a, b: (a * b.sin(), (b * 2).sum())
    program = compiled(function, options={"differentiate": "litz"})
    tensors = [torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)]
    for loss in (lambda r: r[0].sum(), lambda r: r[1], lambda r: (r[0] * r[0]).sum() + r[1]):
        wanted = torch.autograd.grad(loss(function(*tensors)), tensors, allow_unused=True, materialize_grads=True)
        found = torch.autograd.grad(loss(program(*tensors)), tensors, allow_unused=True, materialize_grads=True)
        torch.testing.assert_close(found, wanted)
    # Of one tensor alone.
    tensors[1].requires_grad_(False)
    program(*tensors)[0].sum().backward()
    torch.testing.assert_close(tensors[0].grad, tensors[1].sin())
    with pytest.raises(Exception, match="views of others"):
        compiled(lambda a: [b := a * 2, b[0]], options={"differentiate": "litz"})(torch.ones(2, requires_grad=True))
    with pytest.raises(Exception, match="differentiate"):
        compiled(torch.sin, options={"differentiate": "jax"})(torch.ones(2))


class Doubled(torch.autograd.Function):
    """The identity, with twice the gradient."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent * 2


def in_part_without(x):
    with torch.no_grad():
        weight = x.exp()
    return x * weight


def hooked(x):
    y = x * 2
    y.register_hook(lambda cotangent: cotangent * 0.5)
    return y.sin()


@pytest.mark.parametrize(
    "function, what",
    [(Doubled.apply, "autograd.Function"), (lambda x: torch.cond(x.sum() > 0, Doubled.apply, torch.sin, (x,)), "autograd.Function"),
     (in_part_without, "turns gradients off"), (hooked, "a hook")],
)  # fmt: skip
def test_gradients_that_python_decides(function, what):
    x = torch.rand(4, requires_grad=True)
    compiled(lambda x: function(x) + 1)(x).sum().backward()
    ours, x.grad = x.grad, None
    function(x).sum().backward()
    torch.testing.assert_close(ours, x.grad)
    with pytest.raises(Exception, match=f"own differentiation of .*{what}"):
        compiled(lambda x: function(x) + 1, options={"differentiate": "litz"})(x)


def test_parts_that_need_no_gradients_are_differentiated():
    def function(x, places):
        with torch.no_grad():
            angle = places[:, None] * torch.arange(3) + (x > 0.5)
        return x * angle.cos()

    x, places = torch.rand(4, 3, requires_grad=True), torch.rand(4)
    program = compiled(function, options={"differentiate": "litz"})
    torch.testing.assert_close(*(torch.autograd.grad(f(x, places).sum(), x) for f in (program, function)))


def test_switch_runs_one_of_several_graphs():
    from torch._higher_order_ops.switch import switch

    def function(index, x):
        return switch(index, [torch.sin, lambda x: x * 2 + 1, lambda x: x.relu() - x], (x,))

    program = compiled(function, fullgraph=True)
    x = torch.randn(4, 3, requires_grad=True)
    for index in (-1, 0, 1, 2, 5):
        index = torch.tensor(index)
        torch.testing.assert_close(program(index, x), function(index, x))
        (ours,) = torch.autograd.grad(program(index, x).sum(), x)
        (eager,) = torch.autograd.grad(function(index, x).sum(), x)
        torch.testing.assert_close(ours, eager)


def test_regions_that_are_compiled_once():
    @torch.compiler.nested_compile_region
    def region(x, weight):
        return torch.tanh(x @ weight) + x

    def function(x, weights):
        for weight in weights:
            x = region(x, weight)
        return x

    x, weights = torch.randn(4, 3), torch.randn(5, 3, 3).unbind()
    with torch.no_grad():
        torch.testing.assert_close(compiled(function, fullgraph=True)(x, weights), function(x, weights))


def test_jagged_tensors_are_their_parts():
    layer = torch.nn.Linear(8, 4)

    def function(x):
        return torch.relu(layer(x))

    program = compiled(function, fullgraph=True)
    with torch.no_grad():
        for lengths in ((3, 5), (1, 2, 4), (7, 2)):
            x = torch.nested.nested_tensor([torch.randn(n, 8) for n in lengths], layout=torch.jagged)
            ours, eager = program(x), function(x)
            assert ours.is_nested and torch.equal(ours.offsets(), eager.offsets())
            torch.testing.assert_close(ours.values(), eager.values())


def test_weights_of_four_bits_lie_as_this_pytorch_packs_them():
    codes = torch.randint(0, 16, (112, 64), dtype=torch.int32)
    weight = torch.ops.aten._convert_weight_to_int4pack_for_cpu(codes, 1)
    scales = torch.rand(2, 112, 2)

    def function(x):
        return torch.ops.aten._weight_int4pack_mm_for_cpu(x, weight, 32, scales)

    x = torch.randn(3, 64)
    torch.testing.assert_close(compiled(function, fullgraph=True)(x), function(x), rtol=1e-5, atol=1e-4)


def test_inference_is_captured_in_one_pass():
    def function(x, w, b):
        y = F.linear(x, w, b).relu_().view(2, -1)
        q = y.view(1, 2, 4, -1)
        parts = F.scaled_dot_product_attention(q, q, q, is_causal=True).chunk(2, dim=-1)
        return F.layer_norm(y, y.shape[-1:]), parts[0] * parts[1].sigmoid(), torch.arange(3) + x.shape[0]

    args = torch.randn(8, 6), torch.randn(16, 6), torch.randn(16)
    with torch.no_grad():
        torch.testing.assert_close(compiled(function, fullgraph=True)(*args), function(*args))
    assert counters["aot_autograd"]["total"] == 0 and counters["litz"]["compiled"] == 1


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.add_(1).sum(),
        lambda x: (x * 2, x.t()),
        lambda x: (lambda y: (y, y.view(-1), y[1:]))(x * 2),
        lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None], dropout_p=1.0),
        lambda x: x.new_tensor([1.0, 2.0]) + x.sum(),
        lambda x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)),
    ],
    ids=["write", "view of an argument", "views of a result", "dropout", "constant", "branch"],
)
def test_inference_that_one_pass_does_not_show(function):
    x = torch.rand(4, 6)
    given, wanted = x.clone(), x.clone()
    with torch.no_grad():
        got, want = compiled(function, fullgraph=True)(given), function(wanted)
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(given, wanted)
    assert counters["aot_autograd"]["total"] == 1

    def shares(results, x):
        results = results if isinstance(results, tuple) else (results,)
        return [[a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() for a in (x, *results)] for b in results]

    assert shares(got, given) == shares(want, wanted)


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_encoder_that_pytorch_runs_as_one_operator(norm_first):
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", norm_first=norm_first, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    attention = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x, padding = torch.randn(2, 5, 8), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    causal = torch.nn.Transformer.generate_square_subsequent_mask(5)
    with torch.no_grad():
        for masks in ({}, {"src_key_padding_mask": padding}, {"mask": causal}):
            torch.testing.assert_close(compiled(model, fullgraph=True)(x, **masks), model(x, **masks))
        torch.testing.assert_close(compiled(attention, fullgraph=True)(x, x, x), attention(x, x, x))
