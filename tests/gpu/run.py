"""Programs on a real GPU, through the C ABI: what scripts/test-gpu runs. Prints a table; fails where anything is wrong.

Needs Python with numpy, and NVIDIA's driver and NVRTC. Memory on the device is handled through the driver's own interface.
"""
import ctypes as C, glob, json, os, sys, tempfile, threading, time
import numpy as np

DTYPES = {"F32": np.float32, "F64": np.float64, "I64": np.int64, "I32": np.int32, "BOOL": np.bool_, "U8": np.uint8}
CODES = {"f": 2, "i": 0, "u": 1, "b": 6}


class DLDevice(C.Structure):
    _fields_ = [("device_type", C.c_int32), ("device_id", C.c_int32)]


class DLDataType(C.Structure):
    _fields_ = [("code", C.c_uint8), ("bits", C.c_uint8), ("lanes", C.c_uint16)]


class DLTensor(C.Structure):
    _fields_ = [("data", C.c_void_p), ("device", DLDevice), ("ndim", C.c_int32), ("dtype", DLDataType),
                ("shape", C.POINTER(C.c_int64)), ("strides", C.POINTER(C.c_int64)), ("byte_offset", C.c_uint64)]


class RunOptions(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("flags", C.c_uint32), ("device_index", C.c_int32), ("stream", C.c_void_p),
                ("seed", C.c_uint64), ("offset", C.c_uint64), ("parallel_for", C.c_void_p),
                ("parallel_for_context", C.c_void_p), ("static_inputs", C.c_void_p), ("static_outputs", C.c_void_p),
                ("next_offset", C.c_void_p), ("reserved", C.c_uint64 * 2)]


HAS_STREAM, ASYNC, SHAPE, DEVICE, OUT_OF_MEMORY = 1, 2, 3, 5, 10


class Failure(Exception):
    def __init__(self, status, message):
        super().__init__(f"status {status}: {message}")
        self.status, self.message = status, message


class Device:
    """The primary context of device 0."""

    def __init__(self):
        self.cuda = C.CDLL("libcuda.so.1")
        self.check(self.cuda.cuInit(0))
        self.context, device = C.c_void_p(), C.c_int()
        self.check(self.cuda.cuDeviceGet(C.byref(device), 0))
        self.check(self.cuda.cuDevicePrimaryCtxRetain(C.byref(self.context), device))
        self.check(self.cuda.cuCtxSetCurrent(self.context))
        name, version = C.create_string_buffer(200), C.c_int()
        self.cuda.cuDeviceGetName(name, 200, device)
        self.cuda.cuDriverGetVersion(C.byref(version))
        self.name = f"{name.value.decode()}, CUDA {version.value // 1000}.{version.value % 1000 // 10}"

    def check(self, code):
        assert code == 0, f"the CUDA driver returned {code}"

    def allocate(self, size):
        memory = C.c_uint64()
        self.check(self.cuda.cuMemAlloc_v2(C.byref(memory), C.c_size_t(max(size, 1))))
        return memory.value

    def free(self, memory):
        self.check(self.cuda.cuMemFree_v2(C.c_uint64(memory)))

    def put(self, memory, array):
        self.check(self.cuda.cuMemcpyHtoD_v2(C.c_uint64(memory), array.ctypes.data_as(C.c_void_p), C.c_size_t(array.nbytes)))

    def get(self, memory, like):
        out = np.empty_like(like)
        self.check(self.cuda.cuMemcpyDtoH_v2(out.ctypes.data_as(C.c_void_p), C.c_uint64(memory), C.c_size_t(out.nbytes)))
        return out

    def stream(self):
        stream = C.c_void_p()
        self.check(self.cuda.cuStreamCreate(C.byref(stream), 1))
        return stream

    def wait(self, stream):
        self.check(self.cuda.cuStreamSynchronize(stream))


class OnDevice:
    """An array's copy on the device, as DLPack describes it."""

    def __init__(self, device, array, offset=0):
        self.device, self.like = device, np.array(array, order="C")
        self.whole = device.allocate(self.like.nbytes + offset)
        self.memory = self.whole + offset
        device.put(self.memory, self.like)
        self.dl = describe(self.like, self.memory, 2)

    def value(self):
        return self.device.get(self.memory, self.like)

    def release(self):
        self.device.free(self.whole)


class OnHost:
    def __init__(self, array):
        self.array = array
        self.dl = describe(array, array.ctypes.data, 1)

    def release(self):
        pass


def describe(array, address, device_type):
    shape = (C.c_int64 * max(array.ndim, 1))(*array.shape)
    strides = (C.c_int64 * max(array.ndim, 1))(*[s // array.itemsize for s in array.strides])
    dtype = DLDataType(CODES[array.dtype.kind], array.itemsize * 8, 1)
    tensor = DLTensor(address, DLDevice(device_type, 0), array.ndim, dtype, C.cast(shape, C.POINTER(C.c_int64)),
                      C.cast(strides, C.POINTER(C.c_int64)), 0)
    tensor.keep = (shape, strides, array)
    return tensor


class Litz:
    def __init__(self, path):
        self.library = C.CDLL(path)
        self.library.litz_error_message.restype = C.c_char_p
        self.library.litz_string_data.restype = C.c_char_p
        self.library.litz_executable_num_outputs.restype = C.c_size_t
        for name in ("litz_error_message", "litz_error_release", "litz_executable_release", "litz_graph_release",
                     "litz_options_release", "litz_string_data", "litz_string_release", "litz_executable_num_outputs"):
            getattr(self.library, name).argtypes = [C.c_void_p]

    def call(self, name, *args):
        error = C.c_void_p()
        status = getattr(self.library, name)(*args, C.byref(error))
        if status:
            message = self.library.litz_error_message(error).decode()
            self.library.litz_error_release(error)
            raise Failure(status, message)

    def compile(self, path, **options):
        chosen, graph, executable = C.c_void_p(), C.c_void_p(), C.c_void_p()
        self.call("litz_options_new", C.byref(chosen))
        for key, value in dict(backend="cuda", **options).items():
            self.call("litz_options_set", chosen, key.encode(), value.encode())
        load = "litz_graph_from_pt2" if path.endswith(".pt2") else None
        if load:
            self.call(load, path.encode(), chosen, C.byref(graph))
        else:
            text = path.encode()
            self.call("litz_graph_from_text", text, C.c_size_t(len(text)), chosen, C.byref(graph))
        self.call("litz_compile", graph, chosen, C.byref(executable))
        self.library.litz_graph_release(graph)
        self.library.litz_options_release(chosen)
        return Executable(self, executable)


class Executable:
    def __init__(self, litz, handle):
        self.litz, self.handle = litz, handle

    def run_into(self, inputs, outputs, options=None):
        def pointers(tensors):
            return (C.POINTER(DLTensor) * max(len(tensors), 1))(*[C.pointer(t) for t in tensors])
        chosen = C.byref(options) if options else None
        self.litz.call("litz_executable_run_into", self.handle, pointers(inputs), C.c_size_t(len(inputs)), pointers(outputs),
                       C.c_size_t(len(outputs)), chosen)

    def describe(self):
        text = C.c_void_p()
        self.litz.call("litz_executable_describe", self.handle, C.byref(text))
        value = json.loads(self.litz.library.litz_string_data(text))
        self.litz.library.litz_string_release(text)
        return value

    def release(self):
        self.litz.library.litz_executable_release(self.handle)


def safetensors(path):
    data = open(path, "rb").read()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(data[8 + size + begin:8 + size + end], DTYPES[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"]).copy()
    return tensors


def cases(tensors):
    """The cases of a model's file: inputs and outputs by prefix."""
    prefixes = sorted({name[:-len("out0")] for name in tensors if name.endswith("out0")})
    for prefix in prefixes:
        def listed(kind):
            found, k = [], 0
            while f"{prefix}{kind}{k}" in tensors:
                found.append(tensors[f"{prefix}{kind}{k}"])
                k += 1
            return found
        yield prefix, listed("in"), listed("out")


def close(got, want):
    assert got.shape == want.shape, f"{got.shape} instead of {want.shape}"
    assert np.allclose(got.astype(np.float64), want.astype(np.float64), rtol=1e-3, atol=1e-4, equal_nan=True), \
        f"off by {np.abs(got.astype(np.float64) - want.astype(np.float64)).max()}"


class Tests:
    def __init__(self, litz, device):
        self.litz, self.device, self.rows, self.failed = litz, device, [], 0

    def test(self, name, body):
        begin = time.time()
        try:
            note = body() or ""
            outcome = "ok"
        except (AssertionError, Failure) as error:
            note, outcome = str(error)[:160], "FAILED"
            self.failed += 1
        self.rows.append((outcome, name, f"{time.time() - begin:.2f} s", note))
        print(f"{outcome:6} {name:45} {time.time() - begin:6.2f} s  {note}", flush=True)

    def model(self, path, **options):
        def body():
            tensors = safetensors(path[:-4] + ".safetensors")
            for prefix, inputs, outputs in cases(tensors):
                executable = self.litz.compile(path, **options)
                # A number is read on the host; a 0-d tensor may lie there too.
                given = [OnDevice(self.device, a) if a.ndim else OnHost(a) for a in inputs]
                room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
                # Graphs are recorded by the second run and replayed by the third; state goes on from run to run.
                stateful = any(word in path for word in ("stateful", "tied_views"))
                runs = 3 if options and not stateful else 1
                for _ in range(runs):
                    executable.run_into([t.dl for t in given], [t.dl for t in room])
                for got, want in zip(room, outputs):
                    close(got.value(), want)
                kernels = len(executable.describe()["kernels"])
                for t in given + room:
                    t.release()
                executable.release()
                if stateful:
                    break
            return f"{kernels} kernels"
        mode = f" ({options['mode']})" if "mode" in options else ""
        self.test(os.path.basename(path)[:-4] + mode, body)

    def small(self, **options):
        path = os.path.join(DATA, "mlp.pt2")
        tensors = safetensors(path[:-4] + ".safetensors")
        _, inputs, outputs = next(cases(tensors))
        return self.litz.compile(path, **options), inputs, outputs

    def artifact(self):
        executable, inputs, outputs = self.small()
        path = os.path.join(tempfile.mkdtemp(), "mlp.so")
        self.litz.call("litz_executable_save", executable.handle, path.encode())
        opened = C.c_void_p()
        self.litz.call("litz_executable_open", path.encode(), None, C.byref(opened))
        given = [OnDevice(self.device, a) for a in inputs]
        room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
        Executable(self.litz, opened).run_into([t.dl for t in given], [t.dl for t in room])
        for got, want in zip(room, outputs):
            close(got.value(), want)
        return f"{os.path.getsize(path) >> 10} KB"

    def streams(self):
        executable, inputs, outputs = self.small()
        stream = self.device.stream()
        options = RunOptions(C.sizeof(RunOptions), HAS_STREAM | ASYNC, 0, stream)
        given = [OnDevice(self.device, a) for a in inputs]
        room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
        for _ in range(50):
            executable.run_into([t.dl for t in given], [t.dl for t in room], options)
        self.litz.call("litz_executable_synchronize", executable.handle)
        self.device.wait(stream)
        for got, want in zip(room, outputs):
            close(got.value(), want)

    def misaligned(self):
        executable, inputs, outputs = self.small()
        given = [OnDevice(self.device, a, offset=4) for a in inputs]
        room = [OnDevice(self.device, np.zeros_like(a), offset=4) for a in outputs]
        executable.run_into([t.dl for t in given], [t.dl for t in room])
        for got, want in zip(room, outputs):
            close(got.value(), want)

    def threads(self):
        executable, inputs, outputs = self.small()
        wrong = []

        def work():
            self.device.check(self.device.cuda.cuCtxSetCurrent(self.device.context))
            given = [OnDevice(self.device, a) for a in inputs]
            room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
            for _ in range(50):
                executable.run_into([t.dl for t in given], [t.dl for t in room])
            try:
                for got, want in zip(room, outputs):
                    close(got.value(), want)
            except AssertionError as error:
                wrong.append(str(error))
        workers = [threading.Thread(target=work) for _ in range(16)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert not wrong, wrong[0]

    def elsewhere(self):
        executable, inputs, outputs = self.small()
        given = [describe(a, a.ctypes.data, 1) for a in inputs]
        room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
        try:
            executable.run_into(given, [t.dl for t in room])
        except Failure as failure:
            assert failure.status == DEVICE and "input 0" in failure.message, failure
            return
        raise AssertionError("a tensor of the host was taken")

    def too_large(self):
        path = os.path.join(DATA, "mlp_dynamic_batch.pt2")
        tensors = safetensors(path[:-4] + ".safetensors")
        _, inputs, outputs = next(cases(tensors))
        executable = self.litz.compile(path)
        beyond = describe(inputs[0], 1 << 40, 2)
        shape = (C.c_int64 * inputs[0].ndim)(1 << 40, *inputs[0].shape[1:])
        beyond.shape = C.cast(shape, C.POINTER(C.c_int64))
        room = [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
        try:
            executable.run_into([beyond], [t.dl for t in room])
        except Failure as failure:
            assert failure.status in (SHAPE, OUT_OF_MEMORY), failure
        else:
            raise AssertionError("a tensor larger than memory was taken")
        given = [OnDevice(self.device, a) for a in inputs]
        executable.run_into([t.dl for t in given], [t.dl for t in room])
        for got, want in zip(room, outputs):
            close(got.value(), want)


DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


def main():
    device = Device()
    print(f"{time.strftime('%Y-%m-%d')}, {device.name}\n")
    tests = Tests(Litz(os.path.abspath(sys.argv[1])), device)
    refused = ("lstm", "gru", "rnn_kinds")
    for path in sorted(glob.glob(os.path.join(DATA, "*.pt2"))):
        if os.path.exists(path[:-4] + ".safetensors") and os.path.basename(path)[:-4] not in refused:
            tests.model(path)
            tests.model(path, mode="reduce-overhead")
    tests.test("an artifact, saved and opened", tests.artifact)
    tests.test("runs on the host's stream, asynchronous", tests.streams)
    tests.test("misaligned tensors", tests.misaligned)
    tests.test("16 threads over one executable", tests.threads)
    tests.test("a tensor that is elsewhere is named", tests.elsewhere)
    tests.test("a tensor larger than memory; the next run", tests.too_large)
    print(f"\n{len(tests.rows) - tests.failed} passed, {tests.failed} failed")
    sys.exit(1 if tests.failed else 0)


main()
