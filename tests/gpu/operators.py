"""Operators of a host's on a GPU: functions on the run's stream, expressions, and CUDA source, which artifacts keep."""
import ctypes as C, os, tempfile
import numpy as np

from litz import (ASYNC, Executable, Failure, HAS_STREAM, DLDataType, DLDevice, DLTensor, OnDevice, RunOptions, UNSUPPORTED, close)


class Arg(C.Structure):
    _fields_ = [("name", C.c_char_p), ("kind", C.c_int32), ("reserved0", C.c_int32), ("value", C.c_uint64), ("i", C.c_int64),
                ("f", C.c_double), ("f_imag", C.c_double), ("ints", C.c_void_p), ("values", C.c_void_p), ("floats", C.c_void_p),
                ("n", C.c_size_t), ("s", C.c_char_p), ("subgraph", C.c_void_p), ("subgraphs", C.c_void_p),
                ("reserved", C.c_uint64 * 3)]


class Spec(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("dtype", DLDataType), ("device", DLDevice), ("ndim", C.c_int32),
                ("requires_grad", C.c_int32), ("shape", C.POINTER(C.c_int64)), ("symbols", C.POINTER(C.c_uint64)),
                ("strides", C.POINTER(C.c_int64))]


TENSORS = C.POINTER(C.POINTER(DLTensor))
META = C.CFUNCTYPE(C.c_int32, C.c_void_p, C.c_void_p, C.POINTER(Arg), C.c_size_t, C.c_void_p, C.c_void_p)
RUN = C.CFUNCTYPE(C.c_int32, C.c_void_p, C.POINTER(Arg), C.c_size_t, TENSORS, C.c_size_t, TENSORS, C.c_size_t, C.c_void_p, C.c_void_p)


class Operator(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("context", C.c_void_p), ("release", C.c_void_p), ("meta", META), ("run_cpu", RUN),
                ("run_cuda", RUN), ("derivative", C.c_void_p), ("pointwise_source", C.c_char_p), ("flags", C.c_uint64),
                ("reserved", C.c_uint64 * 7)]


SHAPE = (5, 300)
SOURCE = b"""
__device__ float shifted(float x, double by) { return x + (float)by; }
__device__ void shift(litz_tensor x, double by, litz_tensor y, int64_t task, int64_t tasks) {
    for (int64_t k = task; k < y.count; k += tasks)
        ((float *)y.data)[k] = shifted(((const float *)x.data)[k], by) * (float)x.sizes[1];
}
"""
TEXT = """graph "own" {{
  input %0 "x": float32[5, 300]
  %1 = aten.relu.default(%0)
  %2 = {call}
  %3 = aten.neg.default(%2)
  output "y" = %3
}}"""


class Operators:
    def __init__(self, litz, device):
        self.litz, self.device, self.streams = litz, device, []
        self.registry, self.options = C.c_void_p(), C.c_void_p()
        litz.call("litz_registry_new", C.byref(self.registry))
        sizes = (C.c_int64 * 2)(*SHAPE)
        spec = Spec(C.sizeof(Spec), DLDataType(2, 32, 1), DLDevice(0, 0), 2, 0, C.cast(sizes, C.POINTER(C.c_int64)), None, None)

        def meta(context, graph, args, n_args, outs, err):
            return litz.library.litz_meta_output(C.c_void_p(outs), C.c_size_t(0), C.byref(spec), C.c_void_p(err))

        def copy(context, args, n_args, tensors, n_tensors, outs, n_outs, stream, err):
            source, target = tensors[0].contents, outs[0].contents
            assert source.device.device_type == 2 and target.device.device_type == 2
            self.streams.append(stream)
            bytes_ = C.c_size_t(4 * SHAPE[0] * SHAPE[1])
            return device.cuda.cuMemcpyDtoDAsync_v2(C.c_uint64(target.data), C.c_uint64(source.data), bytes_, C.c_void_p(stream))

        def add_one(context, args, n_args, tensors, n_tensors, outs, n_outs, stream, err):
            words = C.c_size_t(SHAPE[0] * SHAPE[1])
            return device.cuda.cuMemsetD32Async(C.c_uint64(tensors[0].contents.data), C.c_uint32(0x3f800000), words, C.c_void_p(stream))
        self.keep = (META(meta), RUN(copy), RUN(add_one))
        self.add(b"mylib::copy(Tensor x) -> Tensor", meta=self.keep[0], run_cuda=self.keep[1])
        self.add(b"mylib::ones_(Tensor(a!) x) -> Tensor(a!)", run_cuda=self.keep[2])
        self.add(b"mylib::cube(Tensor x, float by) -> Tensor", pointwise_source=b"x * x * x * by")
        self.add(b"mylib::shift(Tensor x, float by) -> Tensor", meta=self.keep[0])
        litz.call("litz_registry_add_operator_source", self.registry, b"mylib.shift", b"cuda", SOURCE, b"shift")

    def add(self, schema, **members):
        operator = Operator(struct_size=C.sizeof(Operator), **members)
        self.litz.call("litz_registry_add_operator", self.registry, schema, C.byref(operator))

    def compile(self, call, save=None, **more):
        options, graph, executable = C.c_void_p(), C.c_void_p(), C.c_void_p()
        self.litz.call("litz_options_new", C.byref(options))
        self.litz.call("litz_options_set_registry", options, self.registry)
        for key, value in {"backend": "cuda", **more}.items():
            self.litz.call("litz_options_set", options, key.encode(), value.encode())
        text = TEXT.format(call=call).encode()
        self.litz.call("litz_graph_from_text", text, C.c_size_t(len(text)), options, C.byref(graph))
        if save:
            self.litz.call("litz_compile_artifact", graph, options, save.encode())
        else:
            self.litz.call("litz_compile", graph, options, C.byref(executable))
        self.litz.library.litz_graph_release(graph)
        self.litz.library.litz_options_release(options)
        return Executable(self.litz, executable)

    def run(self, executable, options=None):
        array = np.random.default_rng(1).standard_normal(SHAPE).astype(np.float32)
        given, room = OnDevice(self.device, array), OnDevice(self.device, np.zeros_like(array))
        executable.run_into([given.dl], [room.dl], options)
        self.litz.call("litz_executable_synchronize", executable.handle)
        got = room.value()
        given.release(), room.release()
        return np.maximum(array, 0), got

    def functions(self):
        executable = self.compile("mylib.copy(%1)", mode="reduce-overhead")
        for _ in range(3):
            x, got = self.run(executable)
            close(got, -x)
        assert len(self.streams) == 3
        reason = executable.describe()["graphs"]["not_recorded_because"]
        assert "operators of the host's" in reason, reason
        stream = self.device.stream()
        options = RunOptions(struct_size=C.sizeof(RunOptions), flags=HAS_STREAM | ASYNC, stream=stream)
        x, got = self.run(executable, options)
        close(got, -x)
        assert self.streams[-1] == stream.value
        assert executable.describe()["needs"] == ["mylib.copy.default"]
        executable.release()

    def writes(self):
        executable = self.compile("mylib.ones_(%1)")
        x, got = self.run(executable)
        close(got, -np.ones_like(x))
        executable.release()

    def expressions(self):
        executable = self.compile("mylib.cube(%1, 2.0)")
        x, got = self.run(executable)
        close(got, -2 * x ** 3)
        assert len(executable.describe()["kernels"]) == 1
        executable.release()

    def sources(self):
        executable = self.compile("mylib.shift(%1, 0.5)", mode="reduce-overhead")
        for _ in range(3):
            x, got = self.run(executable)
            close(got, -(x + 0.5) * SHAPE[1])
        assert executable.describe()["graphs"]["replayed"] > 0
        executable.release()
        path = os.path.join(tempfile.mkdtemp(), "shift.so")
        self.compile("mylib.shift(%1, 0.5)", save=path)
        opened = C.c_void_p()
        self.litz.call("litz_executable_open", path.encode(), None, C.byref(opened))
        executable = Executable(self.litz, opened)
        x, got = self.run(executable)
        close(got, -(x + 0.5) * SHAPE[1])
        executable.release()

    def mistakes(self):
        self.add(b"mylib::only_cpu(Tensor x) -> Tensor", meta=self.keep[0], run_cpu=self.keep[1])
        try:
            self.compile("mylib.only_cpu(%1)")
        except Failure as failure:
            assert failure.status == UNSUPPORTED and "`run_cuda`" in failure.message, failure
        else:
            raise AssertionError("it was compiled")


def run(tests, litz, device):
    operators = Operators(litz, device)
    for name in ("functions", "writes", "expressions", "sources", "mistakes"):
        tests.test(f"operators of a host: {name}", getattr(operators, name))
