"""Convolutions on a GPU against float64: the own templates and cuDNN, each way that autotuning may choose, JIT, CUDA graphs and
artifacts; halves with their channels first and last."""
import ctypes as C, os, tempfile
import numpy as np

from litz import Executable, OnDevice, exact, rounded

# Images; filters and window; stride, padding, dilation, groups.
WIDE = [((8, 64, 56, 56), (64, 3, 3), (1, 1), (1, 1), (1, 1), 1), ((8, 3, 224, 224), (64, 7, 7), (2, 2), (3, 3), (1, 1), 1),
        ((8, 256, 28, 28), (512, 1, 1), (2, 2), (0, 0), (1, 1), 1), ((2, 48, 33, 65), (96, 5, 3), (2, 1), (0, 2), (1, 2), 1),
        ((4, 64, 30, 30), (64, 3, 3), (1, 1), (1, 1), (1, 1), 4), ((1, 32, 300, 1), (64, 9, 1), (1, 1), (4, 0), (1, 1), 1)]
HALVES = [((2, 3, 17, 19), (24, 7, 7), (2, 2), (3, 3), (1, 1), 1), ((2, 1, 12, 13), (8, 3, 4), (1, 2), (1, 1), (1, 1), 1),
          ((1, 16, 9, 11), (10, 3, 3), (1, 1), (1, 1), (1, 1), 1), ((2, 24, 13, 7), (40, 3, 3), (2, 1), (0, 2), (1, 2), 1),
          ((2, 32, 8, 8), (64, 1, 1), (1, 1), (0, 0), (1, 1), 1), ((2, 32, 9, 9), (64, 1, 1), (2, 2), (1, 1), (1, 1), 1),
          ((2, 64, 14, 14), (128, 3, 3), (1, 1), (1, 1), (1, 1), 4), ((2, 20, 10, 10), (24, 3, 3), (1, 1), (1, 1), (1, 1), 2),
          ((2, 48, 15, 12), (96, 5, 3), (1, 1), (2, 1), (1, 1), 48), ((1, 130, 6, 5), (66, 3, 3), (1, 1), (1, 1), (1, 1), 1),
          ((3, 128, 14, 14), (256, 3, 3), (1, 1), (1, 1), (1, 1), 1), ((4, 256, 7, 7), (200, 3, 3), (1, 1), (1, 1), (1, 1), 1),
          # Each channel by itself, with windows that a template takes.
          ((2, 48, 15, 12), (48, 5, 3), (1, 1), (2, 1), (1, 1), 48), ((3, 16, 17, 19), (16, 7, 7), (1, 1), (3, 3), (1, 1), 16),
          ((1, 24, 20, 33), (24, 5, 11), (1, 2), (2, 5), (2, 1), 24), ((3, 8, 7, 7), (8, 7, 7), (1, 1), (3, 3), (1, 1), 8),
          ((1, 40, 9, 41), (40, 1, 11), (1, 3), (0, 5), (1, 2), 40), ((2, 96, 56, 56), (96, 7, 7), (1, 1), (3, 3), (1, 1), 96)]
# What autotuning may choose between, beside each other in one graph.
CHOSEN = [((4, 256, 14, 14), (512, 3, 3), (1, 1), (1, 1), (1, 1), 1), ((2, 64, 15, 13), (96, 3, 3), (2, 2), (1, 1), (1, 1), 1),
          ((2, 192, 9, 9), (200, 5, 3), (1, 1), (2, 0), (1, 1), 1), ((2, 128, 14, 14), (256, 3, 3), (1, 1), (1, 1), (1, 1), 2),
          ((1, 128, 15, 17), (72, 3, 3), (1, 1), (2, 2), (2, 2), 1), ((1, 64, 16, 15), (128, 1, 1), (2, 2), (0, 0), (1, 1), 1),
          ((3, 64, 9, 9), (96, 1, 1), (1, 1), (0, 0), (1, 1), 1), ((2, 64, 1, 40), (64, 1, 5), (1, 3), (0, 2), (1, 1), 1)]


def shapes(case):
    images, (filters, *window), stride, padding, dilation, groups = case
    out = [(images[2 + d] + 2 * padding[d] - dilation[d] * (window[d] - 1) - 1) // stride[d] + 1 for d in (0, 1)]
    return images, (filters, images[1] // groups, *window), (filters,), (images[0], filters, *out)


def strides(shape):
    _, channels, height, width = shape
    return channels * height * width, 1, width * channels, channels


def convolved(x, w, case):
    """The convolution in float64."""
    _, _, stride, padding, dilation, groups = case
    out = shapes(case)[3]
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    taps = []
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            y, z = i * dilation[0], j * dilation[1]
            taps.append(x[:, :, y:y + (out[2] - 1) * stride[0] + 1:stride[0], z:z + (out[3] - 1) * stride[1] + 1:stride[1]])
    patches = np.stack(taps, 2).reshape(x.shape[0], groups, -1, out[2] * out[3])
    return (w.reshape(groups, w.shape[0] // groups, -1) @ patches).reshape(out)


def text(cases, dtype, last, bias):
    """relu(convolution) of each."""
    lines, outputs, value = [], [], 0
    of = lambda shape: f"{dtype}[{', '.join(map(str, shape))}]"
    for k, case in enumerate(cases):
        x, w, b, _ = shapes(case)
        lies = f" strides {list(strides(x))}" if last else ""
        lines += [f'input %{value} "x{k}": {of(x)}{lies}', f'input %{value + 1} "w{k}": {of(w)}']
        lines += [f'input %{value + 2} "b{k}": {of(b)}'] if bias else []
        value += 2 + bias
    for k, case in enumerate(cases):
        at, pair = k * (2 + bias), [f"[{p[0]}, {p[1]}]" for p in case[2:5]]
        added = f"%{at + 2}" if bias else "None"
        lines += [f"%{value} = aten.conv2d.default(%{at}, %{at + 1}, {added}, {', '.join(pair)}, {case[5]})", f"%{value + 1} = aten.relu.default(%{value})"]
        outputs.append(f'output "y{k}" = %{value + 1}')
        value += 2
    return 'graph "convolution" {\n  ' + "\n  ".join(lines + outputs) + "\n}\n"


class Example:
    """Inputs on the device, exact results, and room for results."""

    def __init__(self, device, cases, dtype, last=False, bias=True):
        random = np.random.default_rng(7)
        self.text, self.given, self.wanted, self.room = text(cases, dtype, last, bias), [], [], []
        for case in cases:
            x, w, b, out = shapes(case)
            arrays = [random.standard_normal(x), random.standard_normal(w) / np.sqrt(np.prod(w[1:])), random.standard_normal(b)][:2 + bias]
            arrays = [rounded(a, dtype) for a in arrays]
            if last:
                arrays[0] = np.ascontiguousarray(arrays[0].transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
            wide = [exact(a) for a in arrays]
            added = wide[2][:, None, None] if bias else 0
            self.wanted.append(np.maximum(convolved(wide[0], wide[1], case) + added, 0))
            self.given += [OnDevice(device, a, order="K") for a in arrays]
            self.room.append(OnDevice(device, rounded(np.zeros(out), dtype)))

    def off(self, executable, runs=3):
        """How far the results of the last run are off; what was there before is none."""
        for _ in range(runs):
            for room in self.room:
                room.device.put(room.memory, np.full(room.like.nbytes, 0xFF, np.uint8))
            executable.run_into([t.dl for t in self.given], [t.dl for t in self.room])
        errors = [np.linalg.norm(exact(r.value()) - w) / np.linalg.norm(w) for r, w in zip(self.room, self.wanted)]
        return max(np.nan_to_num(errors, nan=np.inf))

    def release(self):
        for tensor in self.given + self.room:
            tensor.release()


def saved(litz, graph):
    executable = litz.compile(graph)
    path = os.path.join(tempfile.mkdtemp(), "convolution.so")
    litz.call("litz_executable_save", executable.handle, path.encode())
    executable.release()
    opened = C.c_void_p()
    litz.call("litz_executable_open", path.encode(), None, C.byref(opened))
    return Executable(litz, opened)


def by_library(executable):
    return any(k["name"] == "cuDNN" for k in executable.describe()["kernels"])


ALLOWED = {"float64": 1e-14, "float32": 1e-6, "bfloat16": 2.5e-3, "float16": 3e-4}


def wide(litz, device, dtype):
    """float32 and float64, of which cuDNN takes large ones of float32."""
    library = 0
    ways = [{}, {"mode": "reduce-overhead"}, {"artifact.vendor": "off"}, None] + ([{"cuda.tf32": "true"}] if dtype == "float32" else [])
    for case in WIDE:
        example = Example(device, [case], dtype)
        for way in ways:
            executable = saved(litz, example.text) if way is None else litz.compile(example.text, **way)
            library += way is not None and by_library(executable)
            allowed = 2e-3 if way and "cuda.tf32" in way else ALLOWED[dtype]
            error = example.off(executable)
            executable.release()
            assert error <= allowed, f"{case} {way or 'artifact'}: off by {error:.1e}"
        example.release()
    return f"{len(WIDE) * len(ways)} programs, {library} by cuDNN"


def halves(litz, device, dtype):
    for k, case in enumerate(HALVES):
        for last in (False, True):
            example = Example(device, [case], dtype, last, bias=k % 3 > 0)
            executable = litz.compile(example.text)
            error = example.off(executable, runs=1)
            executable.release()
            example.release()
            assert error <= ALLOWED[dtype], f"{case}, channels last {last}: off by {error:.1e}"
    return f"{len(HALVES)} shapes"


def chosen(litz, device, dtype, last):
    """Each way that autotuning may choose gives the results, and it chooses one of them."""
    example = Example(device, CHOSEN, dtype, last, bias=False)
    tuned = litz.compile(example.text, mode="max-autotune", **{"cache.enabled": "false"})
    report = tuned.describe()["autotune"]
    assert report["by"] == "timing", report
    ways = sorted({c["by"] for p in report["products"] for c in p["candidates"]})
    for way in [None] + ways:
        executable = tuned if way is None else litz.compile(example.text, mode="max-autotune", **{"debug.choice": way})
        error = example.off(executable)
        if way == "library":
            assert by_library(executable)
        executable.release()
        assert error <= ALLOWED[dtype], f"{way or 'as chosen'}: off by {error:.1e}"
    example.release()
    return f"{len(ways)} ways, {', '.join(sorted({p['chosen'] for p in report['products']}))}"


def run(tests, litz, device):
    for dtype in ("float32", "float64"):
        tests.test(f"convolutions of {dtype}", lambda: wide(litz, device, dtype))
    for dtype in ("bfloat16", "float16"):
        tests.test(f"convolutions of {dtype}", lambda: halves(litz, device, dtype))
    for dtype, last in (("bfloat16", True), ("float32", False), ("float64", False)):
        tests.test(f"convolutions of {dtype} chosen by timing", lambda: chosen(litz, device, dtype, last))
