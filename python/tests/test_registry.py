"""Operators and decompositions of the caller's, files of weights, and checkpoints."""

import gc
import weakref

import numpy as np
import pytest

import litz


def array(x):
    return np.from_dlpack(x)


def scaled(registry, **how):
    """y = scale(x, 3), for 1 to 8 rows of 2."""
    graph = litz.Graph("scaled", registry=registry)
    x = graph.input("x", "float32", [graph.symbol("rows", 1, 8), 2])
    graph.output("y", graph.call("mylib.scale", x, 3.0, **how))
    return graph


X = np.array([[1, -2], [3, 4]], np.float32)


def test_an_operator_in_python():
    registry, seen = litz.Registry(), []

    @registry.register_operator(
        "mylib::scale(Tensor x, float by=2.0, *, int[] add=[], bool half=False, str mode='plain') -> Tensor",
        meta=lambda graph, x, *rest: x,
    )
    def scale(x, by, add, half, mode):
        seen.append((x.dtype, x.shape, by, add, half, mode))
        return array(x) * np.float32(by) + len(add)

    graph = scaled(registry, add=[1, 2], mode="odd")
    for backend in ("interpreter", "cpu"):
        program = graph.compile(registry=registry, backend=backend)
        np.testing.assert_array_equal(program(X), X * 3 + 2)
    assert seen == [("float32", (2, 2), 3.0, [1, 2], False, "odd")] * 2
    with pytest.raises(litz.Unsupported, match="mylib.scale"):
        litz.Graph("none").call("mylib.scale", 1)


def test_types_by_symbols_lists_and_several_results():
    registry = litz.Registry()

    def meta(graph, parts, other):
        rows = graph.sym.mul(parts[0].shape[0], 2)
        assert other is None and parts[0].dtype == "float32" and parts[0].shape[1] == 2
        return ("float64", [rows, 2]), ("int64", [])

    def run(parts, other):
        whole = np.concatenate([array(p) for p in parts]).astype(np.float64)
        return whole[::-1], len(parts)

    registry.register_operator("mylib::join(Tensor[] parts, Tensor? other=None) -> (Tensor, Tensor)", meta=meta, run=run)
    graph = litz.Graph("join", registry=registry)
    x = graph.input("x", "float32", [graph.symbol("rows", 1, 8), 2])
    whole, count = graph.call("mylib.join", [x, x])
    graph.output("whole", whole * 2)
    graph.output("count", count)
    whole, count = graph.compile(registry=registry, backend="interpreter")(X)
    np.testing.assert_array_equal(whole, np.concatenate([X, X])[::-1] * 2.0)
    assert int(count) == 2


def test_what_is_written_in_place():
    registry, told = litz.Registry(), []

    def add_into(x, other):
        array(x)[...] += array(other)

    registry.register_operator("mylib::add_into_(Tensor(a!) x, Tensor other) -> Tensor(a!)", run=add_into)
    registry.register_operator("mylib::tell(Tensor x) -> ()", run=lambda x: told.append(array(x).sum()), effect=True)
    graph = litz.Graph("add", registry=registry)
    x, y = graph.input("x", "float32", [2]), graph.input("y", "float32", [2])
    sum = graph.call("mylib.add_into_", x, y)
    graph.call("mylib.tell", sum)
    graph.output("z", sum * 2)
    program = graph.compile(registry=registry, backend="interpreter")
    x = np.ones(2, np.float32)
    assert program(x, np.array([1, 2], np.float32)).tolist() == [4, 6] and x.tolist() == [2, 3] and told == [5]
    # Nothing else may be written.
    registry.register_operator("mylib::scale(Tensor x, float by) -> Tensor", meta=lambda g, x, by: x, run=lambda x, by: add_into(x, x))
    program = scaled(registry).compile(registry=registry, backend="interpreter")
    with pytest.raises(litz.InvalidArgument, match="ValueError: .*read-only"):
        program(X)


def test_what_promises_the_same_results():
    schema, how = "mylib::scale(Tensor x, float by) -> Tensor", {"meta": lambda g, x, by: x}
    options = {"backend": "interpreter", "deterministic": True}
    registry = litz.Registry()
    registry.register_operator(schema, run=lambda x, by: array(x) * np.float32(by), **how)
    with pytest.raises(litz.Unsupported, match="`mylib.scale.default` does not promise the same results"):
        scaled(registry).compile(registry=registry, **options)
    registry = litz.Registry()
    registry.register_operator(schema, deterministic=True, **how)(lambda x, by: array(x) * np.float32(by))
    np.testing.assert_array_equal(scaled(registry).compile(registry=registry, **options)(X), X * 3.0)


def test_exceptions_are_told():
    registry = litz.Registry()
    how = {"meta": lambda g, x, by: x}
    schema = "mylib::scale(Tensor x, float by) -> Tensor"
    for run, expected, message in [
        (lambda x, by: 1 / 0, litz.InvalidArgument, "mylib.scale.*ZeroDivisionError: division by zero"),
        (lambda x, by: array(x).astype(float), litz.InvalidArgument, r"float64\(2, 2\), and float32\(2, 2\)"),
        (lambda x, by: (x, x), litz.InvalidArgument, "1 results, and the function gave 2"),
        (lambda x, by: litz.load("none.pt2"), litz.InputOutputError, "none.pt2"),
    ]:
        registry = litz.Registry()
        registry.register_operator(schema, run=run, **how)
        with pytest.raises(expected, match=message):
            scaled(registry).compile(registry=registry, backend="interpreter")(X)
    registry.register_operator(schema.replace("scale", "other"), meta=lambda g, x, by: {}["size"], run=lambda x, by: x)
    graph = litz.Graph("other", registry=registry)
    with pytest.raises(litz.Error, match="KeyError: 'size'"):
        graph.call("mylib.other", graph.input("x", "float32", [2]), 1.0)
    with pytest.raises(litz.InvalidArgument, match="has"):
        registry.register_operator(schema, run=lambda x, by: x, **how)
    with pytest.raises(TypeError):
        litz.Graph("g", registry={})


def test_memory_is_lent_for_the_call():
    registry, kept = litz.Registry(), []

    def keep(x, by):
        kept.append(x if by == 3 else array(x))
        return array(x)

    registry.register_operator("mylib::scale(Tensor x, float by) -> Tensor", meta=lambda g, x, by: x, run=keep)
    program = scaled(registry).compile(registry=registry, backend="interpreter")
    # The result may be an argument, and a tensor that is kept has no elements.
    np.testing.assert_array_equal(program(X), X)
    with pytest.raises(BufferError, match="lent for a call that has ended"):
        array(kept.pop())
    with pytest.raises(BufferError, match="lent for a call that has ended"):
        litz.to_list(_lent(registry))
    graph = litz.Graph("kept", registry=registry)
    graph.output("y", graph.call("mylib.scale", graph.input("x", "float32", [2]), 1.0))
    with pytest.raises(litz.InvalidArgument, match="must copy what it keeps"):
        graph.compile(registry=registry, backend="interpreter")(np.ones(2, np.float32))


def _lent(registry):
    found = []
    registry.register_operator("mylib::find(Tensor x) -> Tensor", meta=lambda g, x: x, run=lambda x: found.append(x) or x)
    graph = litz.Graph("find", registry=registry)
    graph.output("y", graph.call("mylib.find", graph.input("x", "float32", [2])))
    graph.compile(registry=registry, backend="interpreter")(np.ones(2, np.float32))
    return found[0]


def test_gradients_sources_and_expressions(tmp_path):
    registry = litz.Registry()
    registry.register_operator(
        "mylib::square(Tensor x) -> Tensor",
        meta=lambda graph, x: x,
        run=lambda x: array(x) ** 2,
        derivative=lambda graph, cotangents, x: cotangents[0] * x * 2,
    )
    registry.register_operator("mylib::hill(Tensor x, float width=1.0) -> Tensor", pointwise="x / (width + x * x)")
    source = """
    void twice(litz_tensor x, litz_tensor y, int64_t task, int64_t tasks) {
        for (int64_t i = task; i < x.count; i += tasks) ((float *)y.data)[i] = 2 * ((float *)x.data)[i];
    }"""
    registry.register_operator("mylib::twice(Tensor x) -> Tensor", meta=lambda graph, x: x, sources={"cpu": (source, "twice")})
    graph = litz.Graph("all", registry=registry)
    x = graph.input("x", "float32", [3])
    loss = graph.aten.sum(graph.call("mylib.hill", graph.call("mylib.square", x)))
    graph.output("gradient", graph.differentiate(loss, [x])[0])
    program = graph.compile(registry=registry)
    x = np.array([0.5, 1, 2], np.float32)
    np.testing.assert_allclose(program(x), (1 - x**4) / (1 + x**4) ** 2 * 2 * x, rtol=1e-5, atol=1e-7)

    graph = litz.Graph("artifact", registry=registry)
    graph.output("y", graph.call("mylib.twice", graph.call("mylib.hill", graph.input("x", "float32", [3]))))
    graph.save(tmp_path / "a.so", registry=registry)
    np.testing.assert_allclose(litz.open(tmp_path / "a.so")(x), 2 * x / (1 + x * x), rtol=1e-6)


def test_decompositions():
    registry, seen = litz.Registry(), []

    def softplus(graph, x, beta, threshold):
        seen.append((beta, threshold))
        return graph.aten.relu(x) if beta == 1 else None

    registry.register_decomposition("aten.softplus", softplus)
    assert registry.describe()["decompositions"] == ["aten.softplus.default"]
    graph = litz.Graph("plus")
    x = graph.input("x", "float32", [2])
    graph.output("y", graph.aten.softplus(x))
    graph.output("z", graph.aten.softplus(x, 2))
    y, z = graph.compile(registry=registry, backend="interpreter")(np.array([-1, 1], np.float32))
    assert y.tolist() == [0, 1] and set(seen) == {(1, 20), (2, 20)}
    np.testing.assert_allclose(z, np.log1p(np.exp(np.array([-2, 2]))) / 2, rtol=1e-6)


def test_the_graph_of_a_function_is_lent():
    registry, kept = litz.Registry(), []
    registry.register_decomposition("aten.relu", lambda graph, x: kept.append(x))
    graph = litz.Graph("g")
    graph.output("y", graph.aten.relu(graph.input("x", "float32", [2])))
    graph.compile(registry=registry, backend="interpreter")
    with pytest.raises(litz.Error):
        kept[0].graph.aten.relu(kept[0])
    with pytest.raises(litz.Error):
        kept[0].shape


def test_functions_live_as_long_as_their_programs():
    class Function:
        def __call__(self, x, by):
            return array(x) * 2

    function = Function()
    alive = weakref.ref(function)
    registry = litz.Registry()
    registry.register_operator("mylib::scale(Tensor x, float by) -> Tensor", meta=lambda g, x, by: x, run=function)
    program = scaled(registry).compile(registry=registry, backend="interpreter")
    del function, registry
    gc.collect()
    assert alive() is not None
    np.testing.assert_array_equal(program(X), X * 2)
    del program
    gc.collect()
    assert alive() is None


def test_the_default_registry():
    litz.register_operator("python_tests::third(Tensor x) -> Tensor", pointwise="x / 3")
    graph = litz.Graph("third")
    graph.output("y", graph.call("python_tests.third", graph.input("x", "float32", [1])))
    assert graph.compile(backend="interpreter")(np.array([6], np.float32)).tolist() == [2]
    with pytest.raises(litz.Unsupported, match="python_tests.third"):
        litz.Graph("none", registry=litz.Registry()).call("python_tests.third", 1)


def test_weights_from_files(data, tmp_path):
    weights = litz.Weights(data / "weights" / "blocks.gguf")
    plain = litz.Weights(data / "weights" / "blocks.safetensors")
    assert "Q4_0" in weights.names and "tensors" in repr(weights)
    (told,) = [t for t in weights.describe()["tensors"] if t["name"] == "Q4_0"]
    assert told["format"] == "Q4_0" and told["dtype"] == "float32"
    weights.alias("Q8_0", "other")
    graph = litz.Graph("weights")
    for name in ("Q4_0", "other"):
        graph.output(name, graph.weight(weights, name))
        graph.output(f"{name}.plain", graph.weight(plain, "Q8_0" if name == "other" else name, f"{name}.plain", "buffer"))
    del weights, plain
    packed, expected, packed8, expected8 = graph.compile(backend="interpreter")()
    for have, want in ((packed, expected), (packed8, expected8)):
        np.testing.assert_allclose(np.from_dlpack(have), np.from_dlpack(want), atol=1e-5)
    with pytest.raises(OSError):
        litz.Weights("none.gguf")
    with pytest.raises(litz.InvalidArgument, match="no tensor"):
        graph.weight(litz.Weights(data / "weights" / "blocks.gguf"), "none")


def test_export_json_with_weights(data, tmp_path):
    program = litz.compile(data / "mlp.pt2", backend="interpreter")
    program.save_constants(tmp_path / "w.safetensors")
    text = litz.load(data / "mlp.pt2").to_export_json()
    (tmp_path / "m.json").write_text(text)
    x = np.linspace(-1, 1, 7 * 32, dtype=np.float32).reshape(7, 32)
    weights = litz.Weights(tmp_path / "w.safetensors")
    for source, how in ((tmp_path / "m.json", {}), (text.encode(), {"format": "json"})):
        graph = litz.load(source, weights=weights, **how)
        np.testing.assert_array_equal(graph.compile(backend="interpreter")(x), program(x))
    with pytest.raises(TypeError, match="export JSON alone"):
        litz.load(data / "mlp.pt2", weights=weights)


def test_checkpoints(tmp_path):
    def step():
        graph = litz.Graph("step")
        x = graph.input("x", "float32", [2, 3])
        w = graph.parameter("w", np.arange(6, dtype=np.float32).reshape(2, 3))
        y = graph.aten.dropout(graph.aten.linear(x, w), 0.5, True)
        loss = graph.aten.sum(y * y)
        graph.optimizer_step("adam", [w], graph.differentiate(loss, [w]), lr=0.125)
        graph.output("loss", loss)
        return graph.compile(backend="interpreter")

    x = np.array([[1, -1, 2], [0.5, 3, -2]], np.float32)

    def run(program, n, seed, offset):
        losses = []
        for _ in range(n):
            (loss,), offset = program.run([x], seed=seed, offset=offset, next_offset=True)
            losses.append(float(loss))
        return losses, offset

    whole, _ = run(step(), 6, 7, 0)
    first = step()
    begin, offset = run(first, 3, 7, 0)
    assert offset > 0
    first.save_checkpoint(tmp_path / "c.safetensors", seed=7, offset=offset)
    again = step()
    assert again.load_checkpoint(tmp_path / "c.safetensors") == (7, offset)
    rest, _ = run(again, 3, 7, offset)
    assert begin + rest == whole and len(set(whole)) > 3
    with pytest.raises(OSError):
        again.load_checkpoint(tmp_path / "none.safetensors")
