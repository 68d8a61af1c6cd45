"""Calls: arrays in and out, numbers, mutation, threads, errors."""

import gc
import threading
import types
import weakref

import numpy as np
import pytest

import litz


def test_numpy_in_and_out(weighted):
    program = weighted.compile()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    w = np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = np.maximum(x @ w.T, 0) * 2 + 1
    for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]):
        result = program(given)
        assert isinstance(result, np.ndarray) and result.flags.writeable
        np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(program(x=x), expected)
    with pytest.raises(TypeError, match="x are asked by name"):
        program(z=x)
    with pytest.raises(TypeError, match="takes 1 inputs, and 2 were given"):
        program(x, x)


def test_a_read_only_array_is_read_and_never_written():
    graph = litz.Graph("write")
    x, y = graph.input("x", "float32", [2]), graph.input("y", "float32", [2])
    graph.aten.add_.Tensor(x, y)
    program = graph.compile()
    a, b = np.ones(2, np.float32), np.ones(2, np.float32)
    b.flags.writeable = False
    assert program(a, b) == ()
    assert a.tolist() == [2, 2]
    with pytest.raises(ValueError, match="input 0 `x` is written to by the program, and the array is read-only"):
        program(b, a)
    assert b.tolist() == [1, 1]


def test_tensors_without_a_framework(weighted):
    result = weighted.compile()(litz.tensor([[1, 2, 3]]))
    assert isinstance(result, litz.Tensor)
    assert (result.shape, result.dtype, result.device, result.strides) == ((1, 2), "float32", "cpu", (2, 1))
    assert litz.to_list(result) == [[17, 53]]
    array = np.from_dlpack(result)
    del result
    gc.collect()
    assert array.tolist() == [[17, 53]]
    with pytest.raises(TypeError):
        litz.Tensor()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8", "bool"])
def test_every_dtype_crosses(dtype):
    graph = litz.Graph("same")
    x = graph.input("x", dtype, [3])
    graph.output("y", graph.aten.clone(x))
    program = graph.compile(backend="interpreter")
    given = np.array([0, 1, 1], dtype)
    result = program(given)
    assert result.dtype == given.dtype and result.tolist() == given.tolist()
    assert litz.to_list(program(litz.tensor(given.tolist(), dtype))) == given.tolist()


def test_elements_that_numpy_lacks_come_as_tensors():
    graph = litz.Graph("half")
    x = graph.input("x", "float32", [2])
    graph.output("y", graph.aten._to_copy(x, dtype=litz.dtype("bfloat16")))
    result = graph.compile()(np.array([1.5, -2], np.float32))
    assert isinstance(result, litz.Tensor) and result.dtype == "bfloat16"
    assert litz.to_list(result) == [1.5, -2]


def test_numbers_are_given_as_numbers():
    graph = litz.Graph("numbers")
    n, scale = graph.scalar_input("n", "int64", 0, 9), graph.scalar_input("scale", "float64")
    x = graph.input("x", "float32", [2])
    graph.output("y", (x + n) * scale)
    program = graph.compile()
    assert program(2, 0.5, np.array([0, 2], np.float32)).tolist() == [1, 2]
    with pytest.raises(TypeError, match="input 0 `n` is int64"):
        program(0.5, 0.5, np.zeros(2, np.float32))
    with pytest.raises(OverflowError):
        program(1 << 64, 0.5, np.zeros(2, np.float32))
    with pytest.raises(TypeError, match="input 2 `x` is a tensor with 1 dimensions, not a number"):
        program(1, 0.5, 3)
    with pytest.raises(litz.ShapeError, match="`n`"):
        program(10, 0.5, np.zeros(2, np.float32))


def test_what_is_no_array_is_refused(weighted):
    program = weighted.compile(backend="interpreter")
    for wrong in ("text", [1, 2], object()):
        with pytest.raises(TypeError, match="input 0 `x` must be an array with __dlpack__"):
            program(wrong)
    with pytest.raises(litz.DtypeError, match="input 0 `x`"):
        program(np.zeros((1, 3)))
    with pytest.raises(litz.InvalidArgument):
        program(None)

    class Broken:
        def __dlpack__(self, **_):
            raise BufferError("not now")

    with pytest.raises(BufferError, match="not now"):
        program(Broken())


def test_an_older_producer_is_read(weighted):
    class Older:
        """A framework before version 1 of DLPack."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, stream=None):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return 1, 0

    from_dlpack = Older.__module__
    assert from_dlpack
    inputs = [Older(np.array([[1, 2, 3]], np.float32))]
    # No namespace gives such arrays back, and the call says so.
    with pytest.raises(AttributeError, match="from_dlpack"):
        weighted.compile().run(inputs)
    out = np.zeros((1, 2), np.float32)
    with pytest.raises(AttributeError, match="from_dlpack"):
        weighted.compile().run_into(inputs, [out])


def test_run_and_run_into(weighted):
    program = weighted.compile()
    x = np.ones((2, 3), np.float32)
    (result,) = program.run([x])
    out = np.zeros((2, 4), np.float32)[:, ::2]
    program.run_into([x], [out])
    assert out.tolist() == result.tolist() == [[7, 25], [7, 25]]
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        program.run_into([x], [out])
    with pytest.raises(TypeError, match="gives 1 outputs, and 0"):
        program.run_into([x], [])


def test_random_numbers_follow_the_seed():
    graph = litz.Graph("random")
    x = graph.input("x", "float32", [64])
    graph.output("y", graph.aten.rand_like(x))
    program = graph.compile(backend="interpreter")
    x = np.zeros(64, np.float32)
    first, again, other = (program.run([x], seed=seed)[0] for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()


def test_results_outlive_the_program_and_inputs_are_let_go(weighted):
    class Array(np.ndarray):
        pass

    program = weighted.compile()
    x = np.ones((1, 3), np.float32).view(Array)
    seen = weakref.ref(x)
    result = program(x)
    del x, program
    gc.collect()
    assert seen() is None
    assert result.tolist() == [[7, 25]]


def test_the_gil_is_free_while_a_program_runs():
    graph = litz.Graph("long")
    x = graph.input("x", "float32", [512, 512])
    y = x
    for _ in range(20):
        y = graph.aten.matmul(y, x)
    graph.output("y", y)
    program = graph.compile(cpu_threads=1)
    given, turns, done = np.zeros((512, 512), np.float32), 0, threading.Event()

    def run():
        for _ in range(5):
            program(given)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        turns += 1
    thread.join()
    # A thread that held the GIL for a run would let the loop go round a few times at most.
    assert turns > 1000


def test_many_threads_call_one_program(weighted):
    program = weighted.compile()
    wrong = []

    def run(k):
        x = np.full((k, 3), k, np.float32)
        for _ in range(200):
            if program(x).tolist() != [[6 * k + 1, 24 * k + 1]] * k:
                wrong.append(k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_state_and_constants(weighted, tmp_path):
    program = weighted.compile()
    assert litz.to_list(program.constant("w")) == [[0, 1, 2], [3, 4, 5]]
    program.update_constants({"w": np.zeros((2, 3), np.float32)})
    x = np.ones((1, 3), np.float32)
    assert program(x).tolist() == [[1, 1]]
    program.save_constants(tmp_path / "w.safetensors")
    program.update_constants({"w": np.ones((2, 3), np.float32)})
    clone = program.clone()
    program.load_constants(tmp_path / "w.safetensors")
    assert program(x).tolist() == [[1, 1]]
    assert clone(x=x).tolist() == [[7, 7]]
    with pytest.raises(litz.Error, match="nothing"):
        program.update_constants({"nothing": x})


def test_artifacts(weighted, tmp_path):
    weighted.save(tmp_path / "a.so", artifact_graph=True)
    x = np.ones((1, 3), np.float32)
    for source in (tmp_path / "a.so", (tmp_path / "a.so").read_bytes()):
        assert litz.open(source)(x).tolist() == [[7, 25]]
    weighted.compile().save(tmp_path / "b.so")
    assert litz.open(str(tmp_path / "b.so"), cpu_threads=1)(x=x).tolist() == [[7, 25]]
    with pytest.raises(OSError, match="none.so"):
        litz.open(tmp_path / "none.so")
    (tmp_path / "c.so").write_bytes(b"nothing")
    with pytest.raises(litz.ParseError):
        litz.open(tmp_path / "c.so")


def test_arrays_that_their_framework_calls_immutable_are_never_written():
    class Frozen(np.ndarray):
        """As JAX's arrays: DLPack does not tell that nobody may write to them."""

    Frozen.__module__ = "jaxlib.of_a_test"
    graph = litz.Graph("write")
    x = graph.input("x", "float32", [2])
    graph.aten.mul_.Scalar(x, 2.0)
    array = np.ones(2, np.float32).view(Frozen)
    with pytest.raises(ValueError, match="input 0 `x` is written to by the program, and the array is read-only"):
        graph.compile(backend="interpreter")(array)
    assert array.tolist() == [1, 1]


def test_a_framework_with_bfloat16_gets_its_own_array():
    class Brain:
        """As JAX's arrays of bfloat16."""

        def __init__(self, tensor):
            self.tensor = tensor

        def __array_namespace__(self):
            return types.SimpleNamespace(from_dlpack=Brain)

        def __dlpack__(self, **given):
            return self.tensor.__dlpack__(**given)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    halves = litz.Tensor.from_bytes(np.array([1, 2], np.uint16).tobytes(), "bfloat16", (2,))
    result = copier("bfloat16")(Brain(halves))
    assert isinstance(result, Brain) and result.tensor.tobytes() == halves.tobytes()


def test_arrays_of_jax(data):
    jax = pytest.importorskip("jax")
    program = litz.compile(data / "mlp_dynamic_batch.pt2", backend="interpreter")
    x = jax.numpy.linspace(-1, 1, 64).reshape(2, 32)
    y = program(x)
    assert isinstance(y, jax.Array)
    np.testing.assert_allclose(np.asarray(y), program(np.asarray(x)), rtol=1e-6)
    # Nobody may change an array of JAX's.
    with pytest.raises(ValueError, match="read-only"):
        program.run_into([x], [jax.numpy.zeros((2, 10))])


def copier(dtype):
    graph = litz.Graph("copy")
    graph.output("y", graph.aten.clone(graph.input("x", dtype, [2])))
    return graph.compile(backend="interpreter")


class Halves(np.ndarray):
    """As NumPy's arrays of the package ml_dtypes, whose elements DLPack does not know."""

    class dtype:
        name = "bfloat16"

    def __dlpack__(self, **_):
        raise BufferError("DLPack only supports others")

    def view(self, kind):
        return np.asarray(self).view(kind)


def test_floats_that_only_ml_dtypes_has():
    bits = np.array([0x3F80, 0xC000], np.uint16)
    assert copier("bfloat16")(bits.view(Halves)).tobytes() == bits.tobytes()
    with pytest.raises(litz.DtypeError, match="input 0 `x`: the tensor's dtype is bfloat16"):
        copier("uint16")(bits.view(Halves))
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"):
        x = np.array([1.5, -0.25]).astype(getattr(ml_dtypes, name))
        assert copier(name)(x).tobytes() == x.tobytes()


def test_arrays_that_are_refused_name_the_input():
    program = copier("float32")
    for array in (np.zeros(2, ">f4"), np.zeros(2, object), np.zeros(2, "M8[s]"), np.zeros(2, "U3")):
        with pytest.raises(BufferError, match="input 0 `x`: DLPack only supports"):
            program(array)
    with pytest.raises(litz.InvalidArgument, match="input 0 `x`: the stride of dimension 0 is -1"):
        program(np.zeros(2, np.float32)[::-1])
    graph = litz.Graph("copy")
    graph.output("y", graph.aten.clone(graph.input("x", "float32", [2])))
    with pytest.raises(TypeError, match="tensor 0 must be an array, not the number 3"):
        graph.compile(examples=[3])
