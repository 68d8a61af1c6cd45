"""Litz from Python by ctypes alone: as much of litz.h as loading, compiling and running a program takes.

Nothing here is special to Python: any language that can call C does the same with the same declarations.
"""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", c_int32), ("device_id", c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device", DLDevice),
        ("ndim", c_int32),
        ("dtype", DLDataType),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class Managed(ctypes.Structure):
    """DLManagedTensorVersioned: a tensor with the function that frees it, which litz_tensor_release calls."""

    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("manager", c_void_p),
        ("deleter", c_void_p),
        ("flags", c_uint64),
        ("tensor", DLTensor),
    ]


CPU, FLOAT = 1, 2
ABI_VERSION = 1


class Error(Exception):
    """A failed call: `status` is the number of LITZ_ERROR_…"""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.litz_error_message.restype = c_char_p
        self.c.litz_string_data.restype = c_char_p
        for name in ["litz_error_message", "litz_error_release", "litz_string_data", "litz_string_release"]:
            getattr(self.c, name).argtypes = [c_void_p]
        for name in ["litz_graph_release", "litz_executable_release", "litz_tensor_release"]:
            getattr(self.c, name).argtypes = [c_void_p]
            getattr(self.c, name).restype = None
        self.c.litz_executable_num_outputs.argtypes = [c_void_p]
        self.c.litz_executable_num_outputs.restype = c_size_t
        self.call("litz_check_abi", c_uint32(ABI_VERSION))

    def call(self, name, *arguments):
        """Calls a function that returns a status and takes `litz_error **err` last."""
        error = c_void_p()
        status = getattr(self.c, name)(*arguments, byref(error))
        if status != 0:
            message = self.c.litz_error_message(error).decode()
            self.c.litz_error_release(error)
            raise Error(status, message)

    def compile_pt2(self, path):
        """Loads what torch.export.save wrote, and compiles it."""
        graph, program = c_void_p(), c_void_p()
        self.call("litz_graph_from_pt2", path.encode(), None, byref(graph))
        try:
            self.call("litz_compile", graph, None, byref(program))
        finally:
            self.c.litz_graph_release(graph)
        return Program(self, program)


class Program:
    def __init__(self, library, handle):
        self.library, self.handle = library, handle

    def __del__(self):
        self.library.c.litz_executable_release(self.handle)

    def describe(self):
        """What was compiled, as JSON."""
        text = c_void_p()
        self.library.call("litz_executable_describe", self.handle, byref(text))
        described = self.library.c.litz_string_data(text).decode()
        self.library.c.litz_string_release(text)
        return described

    def run(self, inputs):
        """Runs once. An input is (array of floats, shape), and so is an output."""
        tensors = [host_tensor(data, shape) for data, shape in inputs]
        pointers = (POINTER(DLTensor) * len(tensors))(*(ctypes.pointer(t) for t in tensors))
        n = self.library.c.litz_executable_num_outputs(self.handle)
        outputs = (POINTER(Managed) * n)()
        self.library.call(
            "litz_executable_run", self.handle, pointers, c_size_t(len(tensors)), outputs, c_size_t(n), None
        )
        return [self.take(managed) for managed in outputs]

    def take(self, managed):
        """An output's elements and shape; its memory is given back."""
        tensor = managed.contents.tensor
        shape = tensor.shape[: tensor.ndim]
        count = 1
        for size in shape:
            count *= size
        elements = ctypes.cast(tensor.data + tensor.byte_offset, POINTER(ctypes.c_float))[:count]
        self.library.c.litz_tensor_release(managed)
        return elements, shape


def host_tensor(data, shape):
    """A DLTensor over the array's own memory; contiguous float32."""
    memory = (ctypes.c_float * len(data)).from_buffer(data)
    sizes = (c_int64 * len(shape))(*shape)
    address = ctypes.cast(memory, c_void_p)
    tensor = DLTensor(address, DLDevice(CPU, 0), len(shape), DLDataType(FLOAT, 32, 1), sizes, None, 0)
    tensor.keep = memory, sizes
    return tensor
