"""Tensors in the host's memory as inputs and outputs (`run.host_tensors=copy`): whole models, layouts, pinned memory, graphs, views."""
import ctypes as C, json, os, tempfile, time
import numpy as np

from litz import (ASYNC, DATA, DEVICE, DLTensor, Executable, Failure, HAS_STREAM, OnDevice, OnHost, RunOptions, cases, close, describe,
                  safetensors)

COPY = {"run.host_tensors": "copy"}
MODES = ({}, {"mode": "reduce-overhead"})


class Managed(C.Structure):
    _fields_ = [("major", C.c_uint32), ("minor", C.c_uint32), ("context", C.c_void_p), ("deleter", C.c_void_p), ("flags", C.c_uint64),
                ("dl", DLTensor)]


def allocated(executable, inputs, count):
    """The results of a run that allocates them."""
    out = (C.POINTER(Managed) * count)()
    given = (C.c_void_p * len(inputs))(*[C.addressof(t) for t in inputs])
    executable.litz.call("litz_executable_run", executable.handle, given, C.c_size_t(len(inputs)), out, C.c_size_t(count), None)
    return [t.contents for t in out]


def seen(managed):
    """An array over a result in the host's memory, of float32."""
    dl = managed.dl
    assert dl.device.device_type == 1, f"the result lies on a device of type {dl.device.device_type}"
    shape, strides = [list(p[:dl.ndim]) for p in (dl.shape, dl.strides)]
    extent = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) if 0 not in shape else 0
    flat = np.ctypeslib.as_array(C.cast(dl.data, C.POINTER(C.c_float)), (max(extent, 1),))
    return np.lib.stride_tricks.as_strided(flat, shape, [4 * s for s in strides])


def free(managed):
    C.CFUNCTYPE(None, C.c_void_p)(managed.deleter)(C.addressof(managed))


class Pinned:
    """An array in pinned memory, as DLPack's kDLCUDAHost."""

    def __init__(self, device, array):
        self.device, self.memory = device, C.c_void_p()
        device.check(device.cuda.cuMemHostAlloc(C.byref(self.memory), C.c_size_t(array.nbytes), 0))
        self.array = np.ctypeslib.as_array(C.cast(self.memory, C.POINTER(C.c_float)), (array.size,)).reshape(array.shape)
        self.array[...] = array
        self.dl = describe(self.array, self.memory.value, 3)

    def release(self):
        self.array = None
        self.device.check(self.device.cuda.cuMemFreeHost(self.memory))


class Host:
    def __init__(self, litz, device):
        self.litz, self.device = litz, device

    def models(self):
        notes = []
        for name in ("mlp", "mlp_dynamic_batch", "gpt2_tiny", "resnet18_thin", "control_flow", "data_dependent_sizes", "dlrm_thin"):
            path = os.path.join(DATA, f"{name}.pt2")
            for mode in MODES:
                for prefix, inputs, outputs in cases(safetensors(path[:-4] + ".safetensors")):
                    executable = self.litz.compile(path, **COPY, **mode)
                    for _ in range(4):
                        room = [OnHost(np.zeros_like(a)) for a in outputs]
                        executable.run_into([OnHost(a.copy()).dl for a in inputs], [t.dl for t in room])
                        for got, want in zip(room, outputs):
                            close(got.array, want)
                    counts = executable.describe()["graphs"]
                    if mode and not counts["not_recorded_because"]:
                        assert counts["recorded"] == 1 and counts["patched"] == 0, f"{name}: {counts}"
                        notes.append(name)
                    executable.release()
        return f"replayed: {', '.join(sorted(set(notes)))}"

    def large(self):
        """Many pieces, in both directions, of every layout, pinned or not, in every mix with tensors on the GPU."""
        random = np.random.default_rng(0)
        n = 3001
        text = f"""graph "large" {{
          input %0 "x": float32[{n}, {n}]
          input %1 "y": float32[{n}, {n}]
          %2 = aten.add.Tensor(%0, %1)
          %3 = aten.sum.dim_IntList(%2, [1])
          %4 = aten.mul.Tensor(%0, %1)
          output "sum" = %2
          output "rows" = %3
          output "product" = %4
        }}"""
        for mode in MODES:
            executable = self.litz.compile(text, **COPY, **mode)
            for round in range(8):
                x, y = (random.integers(-50, 50, (n, n)).astype(np.float32) for _ in range(2))
                if round % 4 == 1:
                    x = np.asfortranarray(x)
                if round % 4 == 2:
                    wide = np.zeros((n, 2 * n), np.float32)
                    wide[:, ::2] = y
                    y = wide[:, ::2]
                made = {3: lambda a: Pinned(self.device, a), 5: lambda a: OnDevice(self.device, a)}
                given = [made.get(round, OnHost)(x), OnHost(y)]
                shapes = [np.full((n, n), -1, np.float32), np.full(n, -1, np.float32), np.full((n, n), -1, np.float32, order="F")]
                room = [OnHost(a) for a in shapes]
                if round == 6:
                    room[0] = OnDevice(self.device, shapes[0])
                if round in (3, 7):
                    room[2] = Pinned(self.device, np.full((n, n), -1, np.float32))
                executable.run_into([t.dl for t in given], [t.dl for t in room])
                for got, want in zip(room, (x + y, (x + y).sum(1), x * y)):
                    value = got.value() if isinstance(got, OnDevice) else got.array
                    wrong = np.count_nonzero(value != want)
                    assert wrong == 0, f"round {round}, {mode}: {wrong} of {want.size} differ"
                for t in given + room:
                    t.release()
            executable.release()

    def early(self):
        """A result that is final long before the run ends travels while the rest is computed, and is that of its own run."""
        n = 2048
        products = "\n".join(f"%{k} = aten.mm.default(%{k - 1 if k > 3 else 1}, %1)" for k in range(3, 40))
        text = f"""graph "early" {{
          input %0 "x": float32[{4 * n}, {n}]
          input %1 "w": float32[{n}, {n}]
          %2 = aten.add.Tensor(%0, %0)
          {products}
          output "y" = %2
          output "z" = %39
        }}"""
        w = np.eye(n, dtype=np.float32)
        for mode in MODES:
            executable = self.litz.compile(text, **COPY, **mode)
            y, z = np.zeros((4 * n, n), np.float32), np.zeros((n, n), np.float32)
            for k in range(8):
                x = np.full((4 * n, n), k, np.float32)
                executable.run_into([OnHost(x).dl, OnHost(w * np.float32(1 + (k == 3))).dl],
                                    [OnHost(y).dl, OnHost(z).dl])
                assert (y == 2 * k).all(), f"run {k} {mode}: y is {np.unique(y)}, and should be {2 * k}"
                assert (z == w * (2.0 ** 38 if k == 3 else 1)).all(), f"run {k} {mode}: z is wrong"
            executable.release()

    def written(self):
        text = """graph "written" {
          symbol s0 in [1, 10000000]
          input %0 "x": float32[s0]
          input %1 "y": float32[s0]
          %2 = aten.add_.Tensor(%0, %1)
          %3 = aten.mul.Tensor(%2, %1)
          output "z" = %3
        }"""
        for mode in MODES:
            executable = self.litz.compile(text, **COPY, **mode)
            for n in (5, 3_000_000):
                x, y, z = np.arange(n, dtype=np.float32), np.full(n, 2, np.float32), np.zeros(n, np.float32)
                for k in range(1, 5):
                    executable.run_into([OnHost(x).dl, OnHost(y).dl], [OnHost(z).dl])
                    assert (x == np.arange(n, dtype=np.float32) + 2 * k).all() and (z == 2 * x).all(), f"{n}, run {k}"
                # Every other element, and a result in the memory of an input.
                wide = np.arange(2 * n, dtype=np.float32)
                executable.run_into([OnHost(wide[::2]).dl, OnHost(y).dl], [OnHost(y).dl])
                assert (wide[::2] == 2 * np.arange(n, dtype=np.float32) + 2).all() and (y == 2 * wide[::2]).all()
                assert (wide[1::2] == 2 * np.arange(n, dtype=np.float32) + 1).all(), "what lies between was written"
            executable.release()

    def views(self):
        """Results that a run allocates lie in the host's memory, and share it where they are views."""
        text = """graph "views" {
          input %0 "x": float32[300, 700]
          %1 = aten.add.Tensor(%0, %0)
          %2 = aten.view.default(%1, [700, 300])
          %3 = aten.t.default(%1)
          output "y" = %1
          output "view" = %2
          output "turned" = %3
        }"""
        x = np.arange(210_000, dtype=np.float32).reshape(300, 700)
        for mode in MODES:
            executable = self.litz.compile(text, **COPY, **mode)
            for _ in range(4):
                results = allocated(executable, [OnHost(x).dl], 3)
                y, view, turned = map(seen, results)
                assert (y == 2 * x).all() and (view == (2 * x).reshape(700, 300)).all() and (turned == 2 * x.T).all()
                assert len({t.dl.data for t in results}) == 1, "they share no memory"
                for t in results:
                    free(t)
            there = OnDevice(self.device, x)
            results = allocated(executable, [there.dl], 3)
            assert all(t.dl.device.device_type == 2 for t in results), "results of inputs on the GPU lie there"
            for t in results:
                free(t)
            there.release(), executable.release()

    def unread(self):
        """An input of which only the size is read says where results lie, too."""
        text = """graph "like" {
          input %0 "x": float32[6, 7]
          %1 = aten.full_like.default(%0, 3)
          output "y" = %1
        }"""
        executable = self.litz.compile(text, **COPY)
        there = OnDevice(self.device, np.zeros((6, 7), np.float32))
        for given, kind in (OnHost(np.zeros((6, 7), np.float32)), 1), (there, 2):
            (result,) = allocated(executable, [given.dl], 1)
            assert result.dl.device.device_type == kind, f"the result lies on a device of type {result.dl.device.device_type}"
            free(result)
        there.release(), executable.release()

    def asynchronous(self):
        text = """graph "square" {
          input %0 "x": float32[4000000]
          %1 = aten.mul.Tensor(%0, %0)
          output "y" = %1
        }"""
        for mode in MODES:
            executable = self.litz.compile(text, **COPY, **mode)
            stream = self.device.stream()
            options = RunOptions(C.sizeof(RunOptions), HAS_STREAM | ASYNC, 0, stream)
            x = np.zeros(4_000_000, np.float32)
            results = [Pinned(self.device, x) for _ in range(6)]
            for k, y in enumerate(results):
                x[...] = k
                executable.run_into([OnHost(x).dl], [y.dl], options)
                x[...] = -1  # ordinary memory was read when the call returns
            self.device.wait(stream)
            for k, y in enumerate(results):
                assert (y.array == k * k).all(), f"run {k}, {mode}: {np.unique(y.array)}"
            self.litz.call("litz_executable_synchronize", executable.handle)
            for y in results:
                y.release()
            executable.release()

    def opened(self):
        path = os.path.join(DATA, "mlp.pt2")
        _, inputs, outputs = next(cases(safetensors(path[:-4] + ".safetensors")))
        executable = self.litz.compile(path)
        file = os.path.join(tempfile.mkdtemp(), "mlp.so")
        self.litz.call("litz_executable_save", executable.handle, file.encode())
        executable.release()
        room = [OnHost(np.zeros_like(a)) for a in outputs]
        for options in (None, COPY):
            chosen, handle = C.c_void_p(), C.c_void_p()
            self.litz.call("litz_options_new", C.byref(chosen))
            for key, value in (options or {}).items():
                self.litz.call("litz_options_set", chosen, key.encode(), value.encode())
            self.litz.call("litz_executable_open", file.encode(), chosen, C.byref(handle))
            self.litz.library.litz_options_release(chosen)
            opened = Executable(self.litz, handle)
            try:
                opened.run_into([OnHost(a).dl for a in inputs], [t.dl for t in room])
                assert options, "a tensor of the host was taken"
            except Failure as failure:
                assert not options and failure.status == DEVICE and "copy it there first" in failure.message, failure
            opened.release()
        for got, want in zip(room, outputs):
            close(got.array, want)

    def memory(self):
        def stats():
            text = C.c_void_p()
            self.litz.call("litz_memory_stats", 2, 0, C.byref(text))
            value = json.loads(self.litz.library.litz_string_data(text))
            self.litz.library.litz_string_release(text)
            return value["pinned"]
        executable = self.litz.compile('graph "g" {\n input %0 "x": float32[20000000]\n %1 = aten.neg.default(%0)\n output "y" = %1\n}',
                                       **COPY)
        x, y = np.ones(20_000_000, np.float32), np.zeros(20_000_000, np.float32)
        for _ in range(3):
            executable.run_into([OnHost(x).dl], [OnHost(y).dl])
        during = stats()
        self.litz.call("litz_memory_release", 2, 0)
        assert 0 < during <= 64 << 20 and stats() == 0, (during, stats())
        executable.run_into([OnHost(x).dl], [OnHost(y).dl])
        assert (y == -1).all()
        # Both ways, beside the driver's own copies of such memory.
        begin = time.perf_counter()
        for _ in range(5):
            executable.run_into([OnHost(x).dl], [OnHost(y).dl])
        took = (time.perf_counter() - begin) / 5
        there = self.device.allocate(x.nbytes)
        begin = time.perf_counter()
        for _ in range(5):
            self.device.put(there, x)
            self.device.check(self.device.cuda.cuMemcpyDtoH_v2(y.ctypes.data_as(C.c_void_p), C.c_uint64(there), C.c_size_t(y.nbytes)))
        plain = (time.perf_counter() - begin) / 5
        self.device.free(there)
        small = self.litz.compile('graph "g" {\n input %0 "x": float32[64]\n %1 = aten.neg.default(%0)\n output "y" = %1\n}', **COPY,
                                  mode="reduce-overhead")
        a, b = OnHost(np.ones(64, np.float32)), OnHost(np.zeros(64, np.float32))
        for _ in range(20):
            small.run_into([a.dl], [b.dl])
        begin = time.perf_counter()
        for _ in range(200):
            small.run_into([a.dl], [b.dl])
        each = (time.perf_counter() - begin) / 200
        small.release(), executable.release()
        return (f"{during >> 20} MiB pinned; 80 MB there and back {took * 1e3:.1f} ms, by the driver {plain * 1e3:.1f}; "
                f"256 bytes {each * 1e6:.0f} us")


def run(tests, litz, device):
    host = Host(litz, device)
    tests.test("host tensors: models", host.models)
    tests.test("host tensors: large, of every layout", host.large)
    tests.test("host tensors: results that are final early", host.early)
    tests.test("host tensors: inputs that are written", host.written)
    tests.test("host tensors: results that are views", host.views)
    tests.test("host tensors: an input that is not read", host.unread)
    tests.test("host tensors: asynchronous runs", host.asynchronous)
    tests.test("host tensors: an opened artifact", host.opened)
    tests.test("host tensors: pinned memory", host.memory)
