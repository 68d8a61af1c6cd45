"""Runs an artifact for a GPU as a host without Litz does: `dlopen`, its one function, the driver.

    python3 tests/gpu/bare.py artifact.so arrays.npz results.npz

`arrays.npz` has the inputs as i0, i1, … and arrays like the outputs as o0, o1, …; the results are written likewise.
"""
import ctypes as C, sys
import numpy as np

from litz import DLTensor, Device, OnDevice

CREATE = C.CFUNCTYPE(C.c_int32, C.c_char_p, C.c_int32, C.POINTER(C.c_void_p), C.c_char_p, C.c_size_t)
TENSORS = C.POINTER(C.POINTER(DLTensor))
RUN = C.CFUNCTYPE(C.c_int32, C.c_void_p, TENSORS, C.c_size_t, TENSORS, C.c_size_t, C.c_void_p, C.c_char_p, C.c_size_t)
ANY = C.CFUNCTYPE(C.c_int32)
SYNCHRONIZE = C.CFUNCTYPE(C.c_int32, C.c_void_p, C.c_char_p, C.c_size_t)
DESTROY = C.CFUNCTYPE(None, C.c_void_p)


class Api(C.Structure):
    """`litz_artifact_api` of `litz/artifact.h`, up to what is used here."""
    _fields_ = [("struct_size", C.c_size_t), ("magic", C.c_uint32), ("abi_version", C.c_uint32), ("metadata", C.c_char_p),
                ("create", CREATE), ("infer_outputs", ANY), ("run", RUN), ("constant", ANY), ("update_constants", ANY),
                ("synchronize", SYNCHRONIZE), ("destroy", DESTROY)]


def main():
    library = C.CDLL(sys.argv[1])
    library.litz_artifact_entry_v1.restype = C.POINTER(Api)
    api = library.litz_artifact_entry_v1().contents
    error = C.create_string_buffer(512)

    def check(status):
        assert status == 0, f"status {status}: {error.value.decode()}"
    device, instance = Device(), C.c_void_p()
    check(api.create(None, 0, C.byref(instance), error, len(error)))
    arrays = np.load(sys.argv[2])
    given = [OnDevice(device, arrays[f"i{k}"]) for k in range(sum(n[0] == "i" for n in arrays))]
    room = [OnDevice(device, arrays[f"o{k}"]) for k in range(sum(n[0] == "o" for n in arrays))]

    def pointers(tensors):
        return (C.POINTER(DLTensor) * max(len(tensors), 1))(*[C.pointer(t.dl) for t in tensors])
    # The second run meets what the first one kept.
    for _ in range(2):
        check(api.run(instance, pointers(given), len(given), pointers(room), len(room), None, error, len(error)))
    check(api.synchronize(instance, error, len(error)))
    np.savez(sys.argv[3], **{f"o{k}": t.value() for k, t in enumerate(room)})
    api.destroy(instance)


main()
