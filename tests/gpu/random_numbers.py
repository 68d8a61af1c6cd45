"""Random numbers on a GPU: those of the CPU and of docs/random.md, from recorded graphs too, each with its own run's seed."""
import ctypes as C, time
import numpy as np

from litz import HAS_SEED, OnDevice, OnHost, RunOptions

TYPES = {"float16": np.float16, "float32": np.float32, "float64": np.float64, "int64": np.int64, "bool": np.bool_}
# Call, shape and dtype of the result, and how far the two machines' results may be apart: logarithms and cosines are each one's own.
CALLS = [
    ("aten.rand.default([300, 70])", (300, 70), "float32", 0),
    ("aten.rand.default([300, 71])", (300, 71), "float32", 0),
    ("aten.rand.default([1001], dtype=float16)", (1001,), "float16", 0),
    ("aten.rand.default([1001], dtype=float64)", (1001,), "float64", 0),
    ("aten.randn.default([999])", (999,), "float32", 5e-6),
    ("aten.randn.default([999], dtype=float64)", (999,), "float64", 1e-13),
    ("aten.randint.low(-5, 1000, [5000])", (5000,), "int64", 0),
    ("aten.randint.low(-5, 5000000000, [5000])", (5000,), "int64", 0),
    ("aten.randperm.default(3000)", (3000,), "int64", 0),
    ("aten.uniform.default(%0, -2.0, 5.0)", (40, 50), "float32", 1e-6),
    ("aten.exponential.default(%0, 0.5)", (40, 50), "float32", 1e-4),
    ("aten.bernoulli.p(%0, 0.3)", (40, 50), "float32", 0),
    ("aten.dropout.default(%0, 0.3, true)", (40, 50), "float32", 1e-6),
    ("aten.multinomial.default(%0, 7)", (40, 7), "int64", 0),
]
LOOP = """graph "loop" {
  input %0 "x": float32[40, 50]
  %1 = aten.zeros.default([], dtype=int64)
  %2, %3 = higher_order.while_loop.default(graph "less" {
    input %0 "i": int64[]
    input %1 "x": float32[40, 50]
    %2 = aten.lt.Scalar(%0, 3)
    output "goes on" = %2
  }, graph "body" {
    input %0 "i": int64[]
    input %1 "x": float32[40, 50]
    %2 = aten.add.Scalar(%0, 1)
    %3 = aten.rand_like.default(%1)
    %4 = aten.add.Tensor(%1, %3)
    output "i" = %2
    output "x" = %4
  }, [%1, %0], [])
  %5 = aten.rand.default([40, 50])
  %6 = aten.add.Tensor(%3, %5)
  output "y" = %6
}
"""


def text(call):
    return f'graph "g" {{\n  input %0 "x": float32[40, 50]\n  %1 = {call}\n  output "y" = %1\n}}\n'


def options(seed, offset, after):
    chosen = RunOptions(C.sizeof(RunOptions), HAS_SEED)
    chosen.seed, chosen.offset, chosen.next_offset = seed, offset, C.addressof(after)
    return chosen


def words(seed, first, count):
    """The words of docs/random.md."""
    block, low, shift = np.arange(first, first + -(-count // 4), dtype=np.uint64), np.uint64(2**32 - 1), np.uint64(32)
    c, k = [block & low, block >> shift, block * 0, block * 0], [seed % 2**32, seed >> 32]
    for _ in range(10):
        p, q = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(q >> shift) ^ c[1] ^ np.uint64(k[0]), q & low, (p >> shift) ^ c[3] ^ np.uint64(k[1]), p & low]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return np.stack(c, axis=1).reshape(-1)[:count]


def same_as_cpu(litz, device):
    x = (np.arange(2000, dtype=np.float32) % 50 + 1).reshape(40, 50)
    for source, shape, dtype, apart in [(text(c), s, d, a) for c, s, d, a in CALLS] + [(LOOP, (40, 50), "float32", 1e-5)]:
        results, nexts = [], []
        for backend, place in (("cpu", OnHost), ("cuda", lambda a: OnDevice(device, a))):
            executable = litz.compile(source, backend=backend)
            given, room, after = place(x), place(np.zeros(shape, TYPES[dtype])), C.c_uint64()
            # Three runs: a graph is recorded by the second one and replayed by the third, from the state of each.
            runs = []
            offset = 2**33
            for seed in (1, 2**63 + 5, 1):
                executable.run_into([given.dl], [room.dl], options(seed, offset, after))
                runs.append(room.value().astype(np.float64).copy())
                offset = after.value
            results.append(runs)
            nexts.append(offset)
            given.release(), room.release(), executable.release()
        assert nexts[0] == nexts[1], f"{source}: the next offsets are {nexts}"
        for run, (cpu, gpu) in enumerate(zip(*results)):
            off = np.abs(cpu - gpu).max()
            assert off <= apart * max(1.0, np.abs(cpu).max()), f"{source}: run {run} is off by {off}"
        first, second, third = results[1]
        if "[5000]" in source or "rand" in source:
            assert (first != second).any() and (first != third).any(), f"{source}: a run has another one's numbers"
    return f"{len(CALLS) + 1} programs"


def recorded(litz, device):
    """A dropout in a chain: one kernel, and each replay drops by its own run's state."""
    chain = text("aten.mul.Tensor(%0, %0)").replace(
        '  output "y" = %1', '  %2 = aten.dropout.default(%1, 0.5, true)\n  %3 = aten.add.Tensor(%2, %0)\n  output "y" = %3')
    executable = litz.compile(chain, mode="reduce-overhead")
    kernels = [k for k in executable.describe()["kernels"] if k["stage"] == "run"]
    assert len(kernels) == 1, f"{len(kernels)} kernels"
    x = np.ones((40, 50), np.float32)
    given, room, after = OnDevice(device, x), OnDevice(device, np.zeros_like(x)), C.c_uint64()
    offset = 7
    for seed in (3, 3, 9, 3, 3):
        executable.run_into([given.dl], [room.dl], options(seed, offset, after))
        kept = (words(seed, offset, x.size) < 2**31).reshape(x.shape)
        assert (room.value() == np.where(kept, 3, 1)).all(), f"seed {seed}, offset {offset}"
        assert after.value == offset + 500, f"next offset {after.value}"
        offset = after.value
    given.release(), room.release(), executable.release()


def speed(litz, device):
    """`rand` alone: the share of what filling the same memory with a constant reaches."""
    size = 1 << 28
    seconds = []
    for call in (f"aten.full.default([{size}], 1.5)", f"aten.rand.default([{size}])"):
        executable = litz.compile(text(call))
        given, room, after = OnDevice(device, np.zeros((40, 50), np.float32)), OnDevice(device, np.zeros(size, np.float32)), C.c_uint64()
        best = 1e9
        for run in range(12):
            begin = time.time()
            executable.run_into([given.dl], [room.dl], options(run, 0, after))
            best = min(best, time.time() - begin)
        seconds.append(best)
        given.release(), room.release(), executable.release()
    return f"rand {4 * size / seconds[1] / 1e12:.2f} TB/s, full {4 * size / seconds[0] / 1e12:.2f} TB/s, {seconds[0] / seconds[1]:.2f} of it"


def run(tests, litz, device):
    tests.test("random numbers: those of the CPU", lambda: same_as_cpu(litz, device))
    tests.test("random numbers: recorded graphs", lambda: recorded(litz, device))
    tests.test("random numbers: speed", lambda: speed(litz, device))
