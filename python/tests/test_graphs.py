"""Graphs: built by hand, loaded, described; options and callbacks."""

import contextlib
import json
import threading

import numpy as np
import pytest

import litz


def test_a_graph_by_hand(weighted):
    facts = weighted.describe()
    assert facts["operators"] == {
        "aten.linear.default": 1, "aten.relu.default": 1, "aten.mul.Scalar": 1, "aten.add.Scalar": 1,
    }  # fmt: skip
    assert litz.describe_value(weighted.find("y"))["shape"] == ["rows", 2]
    assert repr(weighted) == "<litz.Graph 'weighted': (float32[rows, 3]) -> (float32[rows, 2]), 4 nodes>"
    program = weighted.compile()
    assert repr(program).startswith("<litz.Executable (x: float32[1..64, 3]) -> (float32[1..64, 2]), cpu, ")
    (x,) = program.inputs
    assert (x.name, x.dtype, x.min_shape, x.max_shape, x.mutated, x.alias_of) == ("x", "float32", (1, 3), (64, 3), False, None)
    (w,) = program.constants
    assert (w.name, w.kind, w.device) == ("w", "parameter", "cpu")


def test_values_are_shown_with_dtype_and_sizes():
    graph = litz.Graph("shown")
    rows = graph.symbol("rows", 1, 9)
    x = graph.input("x", "float32", [rows, 2])
    shown = [repr(v) for v in (x, rows, rows + 1)]
    assert shown == ["<litz.Value float32[rows, 2]>", "<litz.Value rows>", "<litz.Value rows + 1>"]


def test_arithmetic_on_values():
    graph = litz.Graph("arithmetic")
    n = graph.symbol("n", 2, 8)
    x, y = graph.input("x", "float32", [n]), graph.input("y", "float32", [n])
    z = (x + y) * 2 - y / 4 + (1 - x) + 8 / (y + 1) - (-x) + x // y
    graph.output("z", z)
    graph.output("m", graph.aten.full([n * 2 + 1], 1.0))
    program = graph.compile(backend="interpreter")
    a, b = np.array([1, 5], np.float32), np.array([2, 3], np.float32)
    got, ones = program(a, b)
    np.testing.assert_allclose(got, (a + b) * 2 - b / 4 + (1 - a) + 8 / (b + 1) + a + a // b)
    assert ones.shape == (5,)
    with pytest.raises(TypeError):
        x + "text"
    assert x == graph.find("x") and x != y


def test_arguments_of_every_kind():
    graph = litz.Graph("arguments")
    x = graph.input("x", "float32", [2, 6])
    parts = graph.aten.split_with_sizes(x, [2, 4], 1)
    assert len(parts) == 2
    both = graph.aten.cat([parts[1], parts[0]], dim=1)
    whole = graph.aten._to_copy(both, dtype=litz.dtype("int64"), device=litz.device("cpu"))
    values, places = graph.aten.topk(whole, 2)
    graph.output("values", values)
    graph.output("mean", graph.aten.mean.dim(x, [0, 1], True))
    graph.output("gelu", graph.aten.gelu(x, approximate="tanh"))
    program = graph.compile(backend="interpreter")
    values, mean, _ = program(np.arange(12, dtype=np.float32).reshape(2, 6))
    assert values.tolist() == [[5, 4], [11, 10]] and mean.tolist() == [[5.5]]
    with pytest.raises(TypeError, match="cannot be an argument"):
        graph.aten.relu(object())
    with pytest.raises(litz.InvalidArgument, match="another graph"):
        graph.aten.relu(litz.Graph("other").input("x", "float32", [1]))
    with pytest.raises(litz.Unsupported, match="aten.relu"):
        graph.aten.reluu(x)


def test_branches():
    def branch(op):
        inner = litz.Graph(op)
        v = inner.input("x", "float32", [2])
        inner.output("y", inner.call(f"aten.{op}", v))
        return inner

    graph = litz.Graph("branches")
    x, which = graph.input("x", "float32", [2]), graph.input("which", "bool", [])
    graph.output("y", graph.call("higher_order.cond", which, branch("neg"), branch("clone"), [x]))
    program = graph.compile(backend="interpreter")
    x = np.array([1, 2], np.float32)
    assert program(x, True).tolist() == [-1, -2] and program(x, False).tolist() == [1, 2]


def test_a_region_runs_one_operator_at_a_time():
    def kernels(region):
        graph = litz.Graph("region")
        x = graph.aten.sin(graph.input("x", "float32", [64]))
        with graph.unfused() if region else contextlib.nullcontext():
            y = graph.aten.exp(graph.aten.relu(x))
        graph.output("y", graph.aten.neg(graph.aten.tanh(y)))
        program = graph.compile(backend="cpu")
        given = np.linspace(-1, 1, 64, dtype=np.float32)
        assert np.allclose(program(given), -np.tanh(np.exp(np.maximum(np.sin(given), 0))), atol=1e-6)
        return sorted(len(k["operators"]) for k in program.describe()["kernels"])

    assert kernels(False) == [5]
    assert kernels(True) == [1, 1, 1, 2]


def test_errors_are_exceptions_with_the_message():
    graph = litz.Graph("wrong")
    x, y = graph.input("x", "float32", [2]), graph.input("y", "float32", [3])
    with pytest.raises(litz.ShapeError) as caught:
        graph.aten.add.Tensor(x, y)
    error = caught.value
    assert isinstance(error, ValueError) and isinstance(error, litz.Error)
    assert error.code == 3 and error.detail["operator"] == "aten.add.Tensor" and error.detail["message"] == str(error)
    # The graph is as it was.
    graph.output("z", graph.aten.neg(x))
    graph.compile(backend="interpreter")


def test_listeners_are_functions(weighted):
    for name in ("log", "trace"):
        with pytest.raises(TypeError, match=f"{name} is called with each message; it cannot be 3"):
            weighted.compile(**{name: 3})


def test_options_are_keywords(weighted):
    keys = {o["key"] for o in litz.describe_options()}
    assert {"backend", "cpu.threads", "run.host_tensors"} <= keys
    made = litz.options({"cpu.threads": 3}, deterministic=True, artifact_graph=False, cpu_isa=["scalar", "avx2"])
    effective = json.loads(made.json())
    assert {k: v["value"] for k, v in effective.items() if v["from"] == "set"} == {
        "cpu.threads": "3", "deterministic": "true", "artifact.graph": "false", "cpu.isa": "scalar,avx2",
    }  # fmt: skip
    with pytest.raises(litz.InvalidArgument, match="cpu_thread"):
        weighted.compile(cpu_thread=1)
    with pytest.raises(litz.InvalidArgument):
        weighted.compile(backend="abacus")


def test_messages_and_events(weighted):
    messages, events = [], []
    program = weighted.compile(log=lambda *m: messages.append(m), log_level=3, trace=events.append, cache_enabled=False)
    assert messages and all(isinstance(level, int) and text for level, text in messages)
    assert all(json.loads(line) for line in events) and events
    # The program keeps the functions alive.
    program(np.ones((1, 3), np.float32))


def test_what_a_callback_raises_ends_nothing(weighted, monkeypatch):
    seen = []
    monkeypatch.setattr("sys.unraisablehook", seen.append)
    weighted.compile(trace=lambda line: 1 / 0, cache_enabled=False)
    assert seen and seen[0].exc_type is ZeroDivisionError


def test_a_graph_is_for_one_thread_at_a_time(weighted):
    caught = []

    def log(level, text):
        # The graph is being compiled: this call comes meanwhile.
        try:
            weighted.describe()
        except RuntimeError as error:
            caught.append(str(error))

    weighted.compile(log=log, log_level=3, cache_enabled=False)
    assert caught and set(caught) == {"the graph is in use: it is for one thread at a time"}
    threads = [threading.Thread(target=weighted.compile) for _ in range(2)]
    weighted.describe()
    for thread in threads:
        thread.start()
        thread.join()


def test_text_json_and_pt2(weighted, data, tmp_path):
    text = weighted.to_text()
    (tmp_path / "g.litz").write_text(text)
    assert litz.load(tmp_path / "g.litz").to_text() == text
    graph = litz.load(data / "mlp.pt2")
    again = litz.load((data / "mlp.pt2").read_bytes())
    assert litz.load(text.encode()).to_text() == text
    assert litz.load((data / "reshape_to_64_unknown_sizes.onnx").read_bytes()).describe()["inputs"]
    assert graph.describe() == again.describe()
    (tmp_path / "m.json").write_text(graph.to_export_json())
    assert litz.load(tmp_path / "m.json").describe()["operators"] == graph.describe()["operators"]
    assert litz.load((tmp_path / "m.json").read_bytes()).describe()["operators"] == graph.describe()["operators"]
    with pytest.raises(OSError):
        litz.load("none.pt2")
    with pytest.raises(TypeError, match="a path, bytes or an ExportedProgram"):
        litz.load(3)
    with pytest.raises(litz.ParseError):
        litz.load(b"nothing")


def test_pictures_and_notebooks(weighted, tmp_path):
    program = weighted.compile()
    assert "<svg" in weighted._repr_html_() and "aten.linear" in weighted._repr_html_()
    shown = program._repr_html_()
    assert "<svg" in shown and "kernels</summary><table>" in shown and "<?xml" not in shown
    assert program.report().startswith("<!DOCTYPE html>") and weighted.draw("dot").startswith("digraph")
    program.save(tmp_path / "a.so")
    assert "<svg" not in litz.open(tmp_path / "a.so")._repr_html_()


def test_gradients_and_training():
    def model():
        graph = litz.Graph("model")
        x, y = graph.input("x", "float32", [4, 2]), graph.input("y", "float32", [4, 1])
        w = graph.parameter("w", litz.tensor([[0, 0]]))
        error = graph.aten.linear(x, w) - y
        return graph, graph.aten.mean(error * error), w

    x = np.array([[1, 0], [0, 1], [1, 1], [2, 1]], np.float32)
    y = np.array([[3], [-1], [2], [5]], np.float32)
    graph, loss, w = model()
    graph.output("g", graph.differentiate(loss, [w])[0])
    np.testing.assert_allclose(graph.compile()(x, y), [[-7.5, -3]])

    graph, loss, w = model()
    along = graph.input("along", "float32", [1, 2])
    assert graph.differentiate_forward(loss, [w], [None]) == (None,)
    graph.output("moved", graph.differentiate_forward(loss, [w], [along])[0])
    np.testing.assert_allclose(graph.compile()(x, y, np.array([[1, 2]], np.float32)), -13.5)
    with pytest.raises(ValueError, match="tangent"):
        graph.differentiate_forward(loss, [w], [])

    graph, loss, w = model()
    graph.optimizer_step("sgd", [w], graph.differentiate(loss, [w]), lr=0.25, momentum=0.5)
    graph.output("loss", loss)
    step = graph.compile()
    losses = [float(step(x, y)) for _ in range(60)]
    assert losses[0] == 9.75 and losses[-1] < 1e-3
    assert np.round(litz.to_list(step.constant("w")), 1).tolist() == [[3, -1]]

    graph, loss, w = model()
    graph.output("loss", loss)
    training = graph.compile_training()
    assert training.gradients[-1] == "w"
    (value,), saved = training.forward([x, y])
    gradients = training.backward(saved)
    assert float(value) == 9.75 and isinstance(gradients[-1], np.ndarray)
    np.testing.assert_allclose(gradients[-1], [[-7.5, -3]])
    with pytest.raises(litz.StateError, match="backward has run"):
        training.backward(saved)
    (_,), saved = training.forward([x, y])
    np.testing.assert_allclose(training.backward(saved, [np.float32(2).reshape(())])[-1], [[-15, -6]])
    training.update_constants({"w": np.ones((1, 2), np.float32)})
    assert litz.to_list(training.constant("w")) == [[1, 1]]


def test_complex_inputs_have_gradients():
    graph = litz.Graph("complex")
    z, scale = graph.input("z", "complex64", [2]), graph.input("scale", "float32", [2])
    graph.output("y", graph.aten.mul.Tensor(z, scale))
    training = graph.compile_training(backend="interpreter")
    assert training.gradients == ["z", "scale"]
    _, saved = training.forward([np.array([1 + 2j, 3j], np.complex64), np.array([2, 5], np.float32)])
    of_z, of_scale = training.backward(saved, [np.array([1, 1j], np.complex64)])
    assert of_z.tolist() == [2, 5j] and of_scale.tolist() == [1, 3]


def test_onnx_models_that_cannot_be_read():
    with pytest.raises(OSError):
        litz.load("none.onnx")
    with pytest.raises(litz.ParseError):
        litz.load(b"nothing at all", format="onnx")


def test_the_second_library_comes_with_the_package():
    graph = litz.Graph("factor")
    a = graph.input("a", "float64", [2, 2])
    factor, info = graph.aten.linalg_cholesky_ex(a)
    graph.output("factor", factor)
    graph.output("info", info)
    got, info = graph.compile(backend="interpreter")(np.array([[4.0, 2.0], [2.0, 5.0]]))
    np.testing.assert_allclose(got, [[2, 0], [1, 2]])
    assert int(info) == 0
