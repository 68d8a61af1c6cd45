"""Products of few rows with weights of 4 and 8 bits on a GPU, against float64: each way in which a weight is made of its code, sizes that
are no whole tiles and steps, and that nothing unpacks the weights into memory."""
import base64
import numpy as np

from litz import OnDevice, exact, rounded

DTYPES = {"int8": np.int8, "uint8": np.uint8, "int32": np.int32}


class Case:
    """A graph as it is written, over `x` and constants."""

    def __init__(self, dtype, rows, depth):
        self.dtype, self.random, self.lines, self.next = dtype, np.random.default_rng(depth), [], 1
        self.x = rounded(self.random.standard_normal((rows, depth)), dtype)
        self.head = f'input %0 "x": {dtype}[{rows}, {depth}]'

    def constant(self, array, dtype):
        data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        shape = ", ".join(map(str, array.shape))
        self.lines.append(f'constant %{self.next} "c{self.next}": {dtype}[{shape}] = base64 "{data}"')
        self.next += 1
        return f"%{self.next - 1}"

    def integers(self, low, high, shape, dtype):
        array = self.random.integers(low, high, shape, endpoint=True).astype(DTYPES[dtype])
        return self.constant(array, dtype), array.astype(np.int64)

    def halves(self, shape, dtype=None):
        array = rounded(self.random.random(shape) / 8 + 0.01, dtype or self.dtype)
        return self.constant(array, dtype or self.dtype), exact(array)

    def call(self, operator, *arguments):
        self.lines.append(f"%{self.next} = aten.{operator}({', '.join(map(str, arguments))})")
        self.next += 1
        return f"%{self.next - 1}"

    def half(self, value):
        return self.call("_to_copy.default", value, f"dtype={self.dtype}")

    def round(self, array):
        return exact(rounded(array, self.dtype))

    def text(self, result):
        return 'graph "codes" {\n  ' + "\n  ".join([self.head, *self.lines, f'output "y" = {result}']) + "\n}\n"


def packed_int8(c, n, k):
    (w, weights), (s, scales) = c.integers(-128, 127, (n, k), "int8"), c.halves((n,))
    return c.call("_weight_int8pack_mm.default", "%0", w, s), weights * scales[:, None]


def packed_int4(c, n, k, group=128, inner=8):
    """Words in PyTorch's order for tensor cores: tile of rows, outer, row, pair, inner; the bits of column, tile of the pair, half."""
    w, words = c.integers(-2**31, 2**31 - 1, (n // 8, k // (16 * inner), 32, inner // 2), "int32")
    s, scales = c.halves((k // group, n, 2), "bfloat16")
    words = words.reshape(n // 8, -1, 8, 4, inner // 2, 1, 1, 1)
    column, tile, half = np.meshgrid([0, 16], [0, 8], [0, 4], indexing="ij")
    codes = (words >> (column + tile + half)) & 15
    codes = codes.transpose(0, 2, 1, 4, 6, 7, 3, 5).reshape(n, k // group, group)
    weights = (codes - 8) * scales[..., 0].T[..., None] + scales[..., 1].T[..., None]
    return c.call("_weight_int4pack_mm.default", "%0", w, group, s), c.round(weights.reshape(n, k))


def scaled(c, n, k, dtype="int8"):
    w, weights = c.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (n, k), dtype)
    s, scales = c.halves((n, 1))
    return c.call("linear.default", "%0", c.call("mul.Tensor", c.half(w), s)), c.round(weights * scales)


def nibbles(c, n, k, group=32):
    """Two codes of a byte, less a zero point of the group, rounded at each step."""
    (w, bytes_), (z, zeros), (s, scales) = c.integers(0, 255, (n, k // 2), "uint8"), c.integers(0, 15, (n, k // group, 1), "uint8"), c.halves((n, k // group, 1))
    codes = c.call("stack.default", f"[{c.call('bitwise_and.Scalar', w, 15)}, {c.call('bitwise_right_shift.Tensor_Scalar', w, 4)}]", 2)
    codes = c.half(c.call("reshape.default", codes, [n, k // group, group]))
    weights = c.call("mul.Tensor", c.call("sub.Tensor", codes, c.half(z)), s)
    codes = np.stack([bytes_ & 15, bytes_ >> 4], 2).reshape(n, k // group, group)
    return c.call("linear.default", "%0", c.call("reshape.default", weights, [n, k])), c.round((codes - zeros) * scales).reshape(n, k)


CASES = [("bfloat16", packed_int8, 1011, 4160), ("bfloat16", packed_int4, 1000, 1280), ("bfloat16", scaled, 60, 80), ("float16", scaled, 1011, 4160),
         ("bfloat16", lambda c, n, k: scaled(c, n, k, "uint8"), 100, 1040), ("float16", lambda c, n, k: scaled(c, n, k, "uint8"), 100, 1040),
         ("bfloat16", nibbles, 1011, 4128), ("float16", nibbles, 100, 96)]
ALLOWED = {"bfloat16": 4e-3, "float16": 6e-4}


def check(litz, device):
    count = 0
    for dtype, build, n, k in CASES:
        for rows in (1, 2, 3, 5, 8):
            c = Case(dtype, rows, k)
            result, weights = build(c, n, k)
            wanted = exact(c.x) @ weights.T
            executable = litz.compile(c.text(result), **{"artifact.vendor": "off"})
            kinds = [kernel["kind"] for kernel in executable.describe()["kernels"] if kernel["stage"] == "run"]
            assert kinds == ["gemv"], f"{dtype} {n} x {k}, {rows} rows: {kinds}"
            given, room = OnDevice(device, c.x), OnDevice(device, rounded(np.full((rows, n), np.nan), dtype))
            executable.run_into([given.dl], [room.dl])
            error = np.nan_to_num(np.linalg.norm(exact(room.value()) - wanted) / np.linalg.norm(wanted), nan=np.inf)
            assert error <= ALLOWED[dtype], f"{dtype} {n} x {k}, {rows} rows: off by {error:.1e}"
            count += 1
            executable.release()
            given.release()
            room.release()
    return f"{count} products"


def run(tests, litz, device):
    tests.test("products of few rows with codes of 4 and 8 bits", lambda: check(litz, device))
