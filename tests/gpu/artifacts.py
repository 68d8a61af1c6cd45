"""Matrix products by NVIDIA's library and without it: chosen by timing, and as artifacts, saved and run in a process without Litz."""
import ctypes as C, os, subprocess, sys, tempfile
import numpy as np

from litz import Executable, OnDevice, describe

# Rows, columns, terms.
SHAPE = (320, 384, 512)


def text(dtype):
    rows, columns, terms = SHAPE
    return f"""graph "products" {{
  input %0 "x": {dtype}[{rows}, {terms}]
  input %1 "w": {dtype}[{columns}, {terms}]
  input %2 "b": {dtype}[{columns}]
  %3 = aten.linear.default(%0, %1, %2)
  %4 = aten.relu.default(%3)
  output "y" = %4
}}
"""


def folder_of_the_library():
    """Where this process has cuBLASLt from."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if "libcublasLt" in line:
                return os.path.dirname(line.split()[-1])
    return ""


def example(dtype):
    """Inputs, the result in float64, and room for one."""
    random = np.random.default_rng(0)
    rows, columns, terms = SHAPE
    given = [random.standard_normal((rows, terms)), random.standard_normal((columns, terms)) / np.sqrt(terms), random.standard_normal(columns)]
    given = [a.astype(dtype) for a in given]
    want = np.maximum(given[0].astype(np.float64) @ given[1].astype(np.float64).T + given[2], 0)
    empty = np.full(want.shape, np.nan, dtype)
    return given, want, empty


def tuned(litz, device):
    """A kind of product is timed in several ways; what was chosen is right, kept, and chosen again."""
    given, want, empty = example("float16")
    reports = []
    for mode in ("max-autotune", "max-autotune-no-cudagraphs"):
        executable = litz.compile(text("float16"), mode=mode)
        report = executable.describe()["autotune"]
        assert report["by"] == "timing", report
        [product] = report["products"]
        ways = {c["by"] for c in product["candidates"]}
        assert len(ways) >= 3 and product["chosen"] in ways and all(c["ms"] > 0 for c in product["candidates"]), product
        reports.append(report)
        here, room = [OnDevice(device, a) for a in given], OnDevice(device, empty)
        for _ in range(3):
            executable.run_into([t.dl for t in here], [room.dl])
        error = np.abs(room.value() - want).max() / np.abs(want).max()
        assert error <= 1e-3, f"off by {error:.1e}"
        for tensor in here + [room]:
            tensor.release()
        executable.release()
    assert reports[0] == reports[1], "the second was timed again"
    return f"{product['chosen']}, {len(ways)} ways, {report['seconds']:.1f} s"


def saved(litz, device, dtype, allowed, **options):
    given, want, empty = example(dtype)
    executable = litz.compile(text(dtype), **options)
    needs = executable.describe()["needs"]
    assert not needs or options.get("artifact.vendor") != "off", needs
    here, room = [OnDevice(device, a) for a in given], OnDevice(device, empty)
    executable.run_into([t.dl for t in here], [room.dl])
    folder = tempfile.mkdtemp()
    library, arrays, results = (os.path.join(folder, name) for name in ("products.so", "arrays.npz", "results.npz"))
    litz.call("litz_executable_save", executable.handle, library.encode())
    executable.release()
    np.savez(arrays, i0=given[0], i1=given[1], i2=given[2], o0=empty)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bare.py")
    # The system's loader looks for the library there.
    paths = [folder_of_the_library() if needs else "", os.environ.get("LD_LIBRARY_PATH", "")]
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(p for p in paths if p))
    done = subprocess.run([sys.executable, script, library, arrays, results], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit status {done.returncode}"
    for where, got in (("in the process", room.value()), ("in a process of its own", np.load(results)["o0"])):
        error = np.abs(got - want).max() / np.abs(want).max()
        assert error <= allowed, f"{where} off by {error:.1e}"
    for tensor in here + [room]:
        tensor.release()
    return f"{' '.join(needs) or 'own kernels'}, {os.path.getsize(library) >> 10} KB"


def overlapping(litz, device):
    """Inputs that share memory with one that the program writes to, in the process, from a file, and without Litz's compiler."""
    graph = """graph "shared" {
  input %0 "x": float32[2, 8]
  input %1 "y": float32[8]
  buffer %2 "count": float32[1] = [0.0]
  %3 = aten.add_.Scalar(%2, 1)
  %4 = aten.add_.Tensor(%0, %2)
  %5 = aten.mul.Tensor(%1, 3)
  output "z" = %5
}
"""
    compiled = litz.compile(graph)
    path = os.path.join(tempfile.mkdtemp(), "shared.so")
    litz.call("litz_executable_save", compiled.handle, path.encode())
    handle = C.c_void_p()
    litz.call("litz_executable_open", path.encode(), None, C.byref(handle))
    for executable in (compiled, Executable(litz, handle)):
        whole = np.arange(20, dtype=np.float32)
        for count in (1, 2, 3):
            memory, room = OnDevice(device, whole), OnDevice(device, np.zeros(8, np.float32))
            x = describe(whole[:16].reshape(2, 8), memory.memory, 2, device.index)
            start = 4 * count  # within `x`, at its end, and partly behind it
            y = describe(np.zeros(8, np.float32), memory.memory + 4 * start, 2, device.index)
            executable.run_into([x, y], [room.dl])
            whole[:16] += count
            want = whole[start:start + 8] * 3
            assert (memory.value() == whole).all(), memory.value()
            assert (room.value() == want).all(), (room.value(), want)
            memory.release(), room.release()
        executable.release()


def run(tests, litz, device):
    tests.test("inputs that share memory, compiled and from an artifact", lambda: overlapping(litz, device))
    tests.test("products chosen by timing", lambda: tuned(litz, device))
    for dtype, allowed in (("float16", 1e-3), ("float32", 1e-5)):
        for vendor in ("auto", "off"):
            options = {"artifact.vendor": vendor}
            tests.test(f"an artifact of products, {dtype}, artifact.vendor={vendor}", lambda: saved(litz, device, dtype, allowed, **options))
            if dtype == "float32":
                rounded = {"cuda.tf32": "true", **options}
                tests.test(f"an artifact of products by TF32, artifact.vendor={vendor}", lambda: saved(litz, device, dtype, 2e-3, **rounded))
