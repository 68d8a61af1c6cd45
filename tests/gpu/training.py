"""Training programs on a GPU whose backwards need numbers of their forwards: sizes of a run, places of random numbers, counts of data."""
import ctypes as C
import numpy as np

from host import Managed
from litz import OnDevice, describe

DROPPED = """graph "dropped" {
  symbol s0 in [1, 64]
  input %0 "x": float32[s0, 300]
  %1 = aten.dropout.default(%0, 0.5, true)
  %2 = aten.mul.Tensor(%1, %1)
  output "y" = %2
}"""

PICKED = """graph "picked" {
  input %0 "x": float32[40, 30]
  %1 = aten.gt.Scalar(%0, 0.5)
  %2 = aten.masked_select.default(%0, %1)
  %3 = aten.mul.Tensor(%2, %2)
  %4 = aten.sum.default(%3)
  output "loss" = %4
}"""


class Training:
    def __init__(self, litz, device, text):
        self.litz, self.device = litz, device
        options, graph, self.handle = C.c_void_p(), C.c_void_p(), C.c_void_p()
        litz.call("litz_options_new", C.byref(options))
        litz.call("litz_options_set", options, b"backend", b"cuda")
        text = text.encode()
        litz.call("litz_graph_from_text", text, C.c_size_t(len(text)), options, C.byref(graph))
        litz.call("litz_compile_training", graph, options, C.byref(self.handle))
        litz.library.litz_graph_release(graph)
        litz.library.litz_options_release(options)

    def value(self, managed):
        """A contiguous result on the device, which is freed."""
        dl = managed.contents.dl
        assert dl.device.device_type == 2, f"the result lies on a device of type {dl.device.device_type}"
        value = self.device.get(dl.data, np.empty([dl.shape[k] for k in range(dl.ndim)], np.float32))
        C.CFUNCTYPE(None, C.c_void_p)(managed.contents.deleter)(C.addressof(managed.contents))
        return value

    def step(self, x, cotangent=None):
        """The output and the gradient of the input."""
        given = [OnDevice(self.device, x)] + ([OnDevice(self.device, cotangent)] if cotangent is not None else [])
        outputs, gradients, saved = (C.POINTER(Managed) * 1)(), (C.POINTER(Managed) * 1)(), C.c_void_p()
        inputs = (C.c_void_p * 1)(C.addressof(given[0].dl))
        self.litz.call("litz_training_forward", self.handle, inputs, C.c_size_t(1), outputs, C.c_size_t(1), C.byref(saved), None)
        weights = (C.c_void_p * 1)(C.addressof(given[1].dl) if cotangent is not None else None)
        self.litz.call("litz_training_backward", self.handle, saved, weights, C.c_size_t(1), gradients, C.c_size_t(1), None)
        self.litz.library.litz_saved_release(saved)
        results = self.value(outputs[0]), self.value(gradients[0])
        for t in given:
            t.release()
        return results


def dropped(litz, device):
    training = Training(litz, device, DROPPED)
    random = np.random.default_rng(7)
    for rows in (3, 64, 1):
        x = random.uniform(1, 2, (rows, 300)).astype(np.float32)
        y, gradient = training.step(x, np.ones_like(x))
        kept = y != 0
        assert 0.3 < kept.mean() < 0.7, f"{kept.mean()} of the elements are kept"
        np.testing.assert_allclose(y, np.where(kept, 4 * x * x, 0), rtol=1e-5)
        np.testing.assert_allclose(gradient, np.where(kept, 8 * x, 0), rtol=1e-5)
    litz.library.litz_training_release(training.handle)


def picked(litz, device):
    training = Training(litz, device, PICKED)
    random = np.random.default_rng(8)
    for least in (0, 0.4):
        x = random.uniform(least, 1, (40, 30)).astype(np.float32)
        loss, gradient = training.step(x)
        np.testing.assert_allclose(loss, (x[x > 0.5].astype(np.float64) ** 2).sum(), rtol=1e-5)
        np.testing.assert_allclose(gradient, np.where(x > 0.5, 2 * x, 0), rtol=1e-5)
    litz.library.litz_training_release(training.handle)


SHARED = """graph "shared" {
  input %0 "x": float32[4, 3]
  input %1 "y": float32[5]
  %2 = aten.mul.Tensor(%1, %1)
  %3 = aten.slice.Tensor(%0, 0, 1, 3, 1)
  %4 = aten.mul_.Scalar(%3, 2.0)
  %5 = aten.mul.Tensor(%1, %2)
  %6 = aten.sum.default(%5)
  output "loss" = %6
  output "square" = %2
}"""


def shared(litz, device):
    """An input that shows elements of one that the forward writes to, in strides of its own, and apart from it."""
    training = Training(litz, device, SHARED)
    for start, step in ((1, 2), (2, 1), (20, 1), (30, 1)):
        before = np.arange(1, 41, dtype=np.float32)
        memory = OnDevice(device, before)
        x = describe(before[:24].reshape(4, 6)[:, :3], memory.memory, 2, device.index)
        y = describe(before[:1 + 4 * step][::step], memory.memory + 4 * start, 2, device.index)
        inputs, outputs, gradients = (C.c_void_p * 2)(C.addressof(x), C.addressof(y)), (C.POINTER(Managed) * 2)(), (C.POINTER(Managed) * 2)()
        saved, after = C.c_void_p(), before.copy()
        litz.call("litz_training_forward", training.handle, inputs, C.c_size_t(2), outputs, C.c_size_t(2), C.byref(saved), None)
        after[:24].reshape(4, 6)[1:3, :3] *= 2
        np.testing.assert_array_equal(memory.value(), after)
        old, new = before[start:start + 4 * step + 1:step], after[start:start + 4 * step + 1:step]
        np.testing.assert_allclose(training.value(outputs[0]), (new * old * old).sum(), rtol=1e-6)
        np.testing.assert_allclose(training.value(outputs[1]), old * old, rtol=1e-6)
        weight = OnDevice(device, np.array(1, np.float32))
        weights = (C.c_void_p * 2)(C.addressof(weight.dl), None)
        litz.call("litz_training_backward", training.handle, saved, weights, C.c_size_t(2), gradients, C.c_size_t(2), None)
        # y^2 of before, times y of after, which is twice that where the forward wrote.
        np.testing.assert_allclose(training.value(gradients[1]), 3 * old * old * (new / old), rtol=1e-6)
        if gradients[0]:  # Apart from `x`, nothing depends on it.
            shown = np.isin(np.arange(40), np.arange(start, start + 4 * step + 1, step))[:24].reshape(4, 6)[:, :3]
            np.testing.assert_array_equal(training.value(gradients[0])[shown], 0)
        litz.library.litz_saved_release(saved)
        memory.release(), weight.release()
    litz.library.litz_training_release(training.handle)


def run(tests, litz, device):
    for name, of in (("litz_saved_release", None), ("litz_training_release", None)):
        getattr(litz.library, name).argtypes, getattr(litz.library, name).restype = [C.c_void_p], of
    tests.test("training: dropout of a batch of any size", lambda: dropped(litz, device))
    tests.test("training: elements that a mask picks", lambda: picked(litz, device))
    tests.test("training: inputs that share memory", lambda: shared(litz, device))
