"""The C ABI and NVIDIA's driver for the tests of this folder, by ctypes; numpy alone is needed."""
import ctypes as C, json, os
import numpy as np

# numpy has no bfloat16: a record of its bits stands for it.
BFLOAT16 = np.dtype([("bfloat16", np.uint16)])
DTYPES = {"F32": np.float32, "F64": np.float64, "F16": np.float16, "BF16": BFLOAT16, "I64": np.int64, "I32": np.int32, "I16": np.int16,
          "I8": np.int8, "U8": np.uint8, "BOOL": np.bool_}
CODES = {"f": 2, "c": 5, "i": 0, "u": 1, "b": 6, "V": 4}


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


HAS_STREAM, ASYNC, HAS_SEED = 1, 2, 4
UNSUPPORTED, SHAPE, DTYPE, DEVICE, CUDA, OUT_OF_MEMORY, STATE = 2, 3, 4, 5, 9, 10, 12
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


class Failure(Exception):
    def __init__(self, status, message):
        super().__init__(f"status {status}: {message}")
        self.status, self.message = status, message


class Device:
    """The primary context of a device."""

    def __init__(self, index=0):
        self.index = index
        self.cuda = C.CDLL("libcuda.so.1")
        self.check(self.cuda.cuInit(0))
        self.context, device = C.c_void_p(), C.c_int()
        self.check(self.cuda.cuDeviceGet(C.byref(device), index))
        self.check(self.cuda.cuDevicePrimaryCtxRetain(C.byref(self.context), device))
        self.check(self.cuda.cuCtxSetCurrent(self.context))
        name, version = C.create_string_buffer(200), C.c_int()
        self.cuda.cuDeviceGetName(name, 200, device)
        self.cuda.cuDriverGetVersion(C.byref(version))
        attribute = lambda number: self.check(self.cuda.cuDeviceGetAttribute(C.byref(count), number, device)) or count.value
        count = C.c_int()
        self.capability = 10 * attribute(75) + attribute(76)
        self.cuda.cuDeviceGetCount(C.byref(count))
        self.count = count.value
        self.name = f"{name.value.decode()}, CUDA {version.value // 1000}.{version.value % 1000 // 10}"

    def check(self, code):
        assert code == 0, f"the CUDA driver returned {code}"

    def enter(self):
        self.check(self.cuda.cuCtxSetCurrent(self.context))

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


def rounded(array, dtype):
    """A float array in a dtype by name, to the nearest, ties to even."""
    if dtype != "bfloat16":
        return np.asarray(array).astype(dtype)
    bits = np.asarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16).view(BFLOAT16)


def exact(array):
    """The numbers of an array in float64."""
    if array.dtype == BFLOAT16:
        array = (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return np.asarray(array, np.float64)  # a shift makes a number of an array without dimensions


class OnDevice:
    """An array's copy on the device, as DLPack describes it; `order` "K": as it lies in memory."""

    def __init__(self, device, array, offset=0, order="C"):
        self.device, self.like = device, np.array(array, order=order)
        self.whole = device.allocate(self.like.nbytes + offset)
        self.memory = self.whole + offset
        device.put(self.memory, self.like)
        self.dl = describe(self.like, self.memory, 2, device.index)

    def value(self):
        return self.device.get(self.memory, self.like)

    def release(self):
        self.device.free(self.whole)


class OnHost:
    def __init__(self, array):
        self.array = array
        self.dl = describe(array, array.ctypes.data, 1)

    def value(self):
        return self.array

    def release(self):
        pass


def describe(array, address, device_type, index=0):
    shape = (C.c_int64 * max(array.ndim, 1))(*array.shape)
    strides = (C.c_int64 * max(array.ndim, 1))(*[s // array.itemsize for s in array.strides])
    dtype = DLDataType(CODES[array.dtype.kind], array.itemsize * 8, 1)
    tensor = DLTensor(address, DLDevice(device_type, index), array.ndim, dtype, C.cast(shape, C.POINTER(C.c_int64)),
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

    def compile(self, source, **options):
        """`source`: the path of a .pt2 file, an exported graph's JSON, or a graph's text."""
        chosen, graph, executable = C.c_void_p(), C.c_void_p(), C.c_void_p()
        self.call("litz_options_new", C.byref(chosen))
        for key, value in {"backend": "cuda", **options}.items():
            self.call("litz_options_set", chosen, key.encode(), value.encode())
        text = source.encode()
        if source.endswith(".pt2"):
            self.call("litz_graph_from_pt2", text, chosen, C.byref(graph))
        else:
            read = "litz_graph_from_export_json" if source.startswith("{") else "litz_graph_from_text"
            self.call(read, text, C.c_size_t(len(text)), chosen, C.byref(graph))
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


def read_safetensors(data):
    """The tensors of a file's bytes, and its metadata."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    metadata, tensors = header.pop("__metadata__", {}), {}
    for name, entry in header.items():
        if entry["dtype"] in DTYPES:
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(data[8 + size + begin:8 + size + end], DTYPES[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"]).copy()
    return tensors, metadata


def safetensors(path):
    with open(path, "rb") as file:
        return read_safetensors(file.read())[0]


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
