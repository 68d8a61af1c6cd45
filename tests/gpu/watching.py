"""Profiles with the device's limits, compiling with examples, and kernels compared with the interpreter, on a real GPU."""
import ctypes as C, json, os
import numpy as np

from litz import DATA, DLTensor, Executable, Failure, OnDevice, OnHost, cases, close, safetensors

PRODUCT = """graph "product" {
  input %0 "x": bfloat16[4096, 4096]
  input %1 "w": bfloat16[4096, 4096]
  %2 = aten.mm.default(%0, %1)
  %3 = aten.tanh.default(%2)
  output "y" = %3
}"""
WIDE = """graph "wide" {
  input %0 "x": float32[64000000]
  %1 = aten.exp.default(%0)
  output "y" = %1
}"""


class Watching:
    def __init__(self, litz, device):
        self.litz, self.device = litz, device

    def compile_with(self, path, examples, static, **options):
        chosen, graph, made = C.c_void_p(), C.c_void_p(), C.c_void_p()
        self.litz.call("litz_options_new", C.byref(chosen))
        for key, value in {"backend": "cuda", **options}.items():
            self.litz.call("litz_options_set", chosen, key.encode(), value.encode())
        text = path.encode()
        if path.endswith(".pt2"):
            self.litz.call("litz_graph_from_pt2", text, chosen, C.byref(graph))
        else:
            self.litz.call("litz_graph_from_text", text, C.c_size_t(len(text)), chosen, C.byref(graph))
        tensors = (C.POINTER(DLTensor) * len(examples))(*[C.pointer(t) for t in examples])
        flags = (C.c_uint8 * len(examples))(*static) if static else None
        self.litz.call("litz_compile_with", graph, chosen, tensors, C.c_size_t(len(examples)), flags, C.byref(made))
        self.litz.library.litz_graph_release(graph)
        self.litz.library.litz_options_release(chosen)
        return Executable(self.litz, made)

    def profiles(self):
        notes = []
        for text, dtype, shapes in ((PRODUCT, np.float16, [(4096, 4096)] * 2), (WIDE, np.float32, [(64_000_000,)])):
            for what, mode in (("true", {}), ("kernels", {"mode": "reduce-overhead"}), ("true", {"mode": "reduce-overhead"})):
                executable = self.litz.compile(text, profile=what, **mode)
                given = [OnDevice(self.device, np.zeros(s, dtype)) for s in shapes]
                for t in given:
                    if text == PRODUCT:
                        t.dl.dtype.code = 4
                room = OnDevice(self.device, np.zeros(shapes[0], dtype))
                if text == PRODUCT:
                    room.dl.dtype.code = 4
                for _ in range(8):
                    executable.run_into([t.dl for t in given], [room.dl])
                profile = executable.describe()["profile"]
                limits, kernels = profile["limits"], [k for k in profile["kernels"] if k["calls"]]
                assert profile["runs"] == 8 and limits["bytes_per_second"] > 1e11 and limits["flop_per_second"] > 1e12, profile
                # Of runs that are replayed the whole alone is timed, unless kernels are asked for.
                timed = 1 if mode and what == "true" else 8
                assert profile["timed_runs"] == timed and profile["replayed_runs"] == (7 if mode else 0), profile
                longest = max(kernels, key=lambda k: k["seconds"])
                # The first run loads kernels.
                share = longest["share_of_limit"] * longest["seconds"] / longest["calls"] / longest["last_seconds"]
                assert longest["calls"] == timed and (timed == 1 or 0.2 < share < 1.3), f"{text[:16]} {what}: {share} of {limits}, {longest}"
                assert "limits:" in profile["table"], profile["table"]
                if what == "kernels":
                    notes.append(f"{share:.2f}")
                for t in given + [room]:
                    t.release()
                executable.release()
        return (f"{limits['bytes_per_second'] / 1e12:.2f} TB/s, {limits['flop_per_second'] / 1e12:.1f} TFLOP/s, tensor cores "
                f"{limits.get('tensor_flop_per_second', 0) / 1e12:.0f}; a product reaches {notes[0]}, exp {notes[1]}")

    def examples(self):
        """Autotuning on the examples' data; the program has run once when it is given, and neither they nor state change."""
        path = os.path.join(DATA, "mlp_dynamic_batch.pt2")
        tensors = safetensors(path[:-4] + ".safetensors")
        _, inputs, outputs = next(cases(tensors))
        for options in ({"mode": "reduce-overhead"}, {"mode": "max-autotune", "cache.enabled": "false"}):
            for made, more in ((lambda a: OnDevice(self.device, a), {}), (lambda a: OnHost(a.copy()), {"run.host_tensors": "copy"})):
                given = [made(a) for a in inputs]
                executable = self.compile_with(path, [t.dl for t in given], [1] * len(given), **options, **more)
                description = executable.describe()
                assert description["graphs"]["step_by_step"] >= 1, description["graphs"]
                if "autotune" in options["mode"]:
                    assert description["autotune"], "nothing was tuned"
                room = [made(np.zeros_like(a)) for a in outputs]
                for _ in range(4):
                    executable.run_into([t.dl for t in given], [t.dl for t in room])
                for t, a in zip(given, inputs):
                    assert (t.value() if isinstance(t, OnDevice) else t.array).tobytes() == a.tobytes(), "an example was changed"
                for t, want in zip(room, outputs):
                    close(t.value() if isinstance(t, OnDevice) else t.array, want)
                for t in given + room:
                    t.release()
                executable.release()
        # An example elsewhere is refused where it is not copied.
        try:
            self.compile_with(path, [OnHost(a).dl for a in inputs], None)
        except Failure as failure:
            assert "CUDA device" in failure.message, failure
        else:
            raise AssertionError("an example in the host's memory was taken")

    def static_inputs(self):
        """Declared static, an input that many kernels read is not copied, and its address is followed all the same."""
        steps = "\n".join(f"%{k} = aten.mm.default(%{k - 1}, %1)" for k in range(3, 42))
        text = f"""graph "chain" {{
          input %0 "x": float32[64, 64]
          input %1 "w": float32[64, 64]
          %2 = aten.mm.default(%0, %1)
          {steps}
          output "y" = %41
        }}"""
        w = np.eye(64, dtype=np.float32)
        for static in (None, [0, 1]):
            x, first = OnDevice(self.device, np.ones((64, 64), np.float32)), OnDevice(self.device, w)
            executable = self.compile_with(text, [x.dl, first.dl], static, mode="reduce-overhead", **{"artifact.vendor": "off"})
            room = OnDevice(self.device, np.zeros((64, 64), np.float32))
            for k in range(6):
                executable.run_into([x.dl, first.dl], [room.dl])
                assert (room.value() == 1).all(), f"run {k}"
            counts = executable.describe()["graphs"]
            assert counts["recorded"] == 1 and counts["patched"] <= 1, counts
            other = OnDevice(self.device, 2 * w)
            for k in range(3):
                executable.run_into([x.dl, other.dl], [room.dl])
                assert (room.value() == 2.0 ** 40).all(), f"run {k} with another matrix: {room.value()[0, 0]}"
            for t in (x, first, other, room):
                t.release()
            executable.release()

    def compared(self):
        """Every kernel of networks over images, whose buffers lie with their channels last and narrowed, beside the interpreter."""
        notes = []
        for name in ("resnet18_thin", "unet_thin", "gpt2_tiny"):
            path = os.path.join(DATA, f"{name}.pt2")
            _, inputs, outputs = next(cases(safetensors(path[:-4] + ".safetensors")))
            executable = self.litz.compile(path, **{"debug.compare": "interpreter"})
            given, room = [OnDevice(self.device, a) for a in inputs], [OnDevice(self.device, np.zeros_like(a)) for a in outputs]
            executable.run_into([t.dl for t in given], [t.dl for t in room])
            for t, want in zip(room, outputs):
                close(t.value(), want)
            for t in given + room:
                t.release()
            notes.append(name)
            executable.release()
        text = """graph "image" {
          input %0 "x": bfloat16[2, 16, 20, 20]
          input %1 "w": bfloat16[32, 16, 3, 3]
          input %2 "v": bfloat16[32, 32, 1, 1]
          %3 = aten.conv2d.default(%0, %1, None, [1, 1], [1, 1], [1, 1], 1)
          %4 = aten.relu.default(%3)
          %5 = aten.conv2d.default(%4, %2, None, [1, 1], [0, 0], [1, 1], 1)
          output "y" = %5
        }"""
        random = np.random.default_rng(0)
        executable = self.litz.compile(text, **{"debug.compare": "interpreter"})
        given = [OnDevice(self.device, (random.standard_normal(s).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16))
                 for s in ((2, 16, 20, 20), (32, 16, 3, 3), (32, 32, 1, 1))]
        room = OnDevice(self.device, np.zeros((2, 32, 20, 20), np.uint16))
        for t in given + [room]:
            t.dl.dtype.code = 4
        executable.run_into([t.dl for t in given], [room.dl])
        executable.release()
        return ", ".join(notes)


def run(tests, litz, device):
    watching = Watching(litz, device)
    tests.test("watching: profiles and limits", watching.profiles)
    tests.test("watching: compiled with examples", watching.examples)
    tests.test("watching: inputs declared static", watching.static_inputs)
    tests.test("watching: kernels compared with the interpreter", watching.compared)
