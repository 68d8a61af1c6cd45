"""Matrix products on a GPU by the own templates, against float64: layouts, odd sizes, batches, epilogues, few rows."""
import math
import numpy as np

from litz import OnDevice, exact, rounded


class Value:
    def __init__(self, number, array):
        self.number, self.array = number, array

    def __str__(self):
        return f"%{self.number}"


class Graph:
    """A graph as it is written, and what its values are in float64."""

    def __init__(self, dtype):
        self.dtype, self.random, self.inputs, self.lines, self.given, self.wanted, self.next = dtype, np.random.default_rng(0), [], [], [], {}, 0

    def input(self, shape):
        array = rounded(self.random.standard_normal(shape), self.dtype)
        self.inputs.append(f'input %{self.next} "x{self.next}": {self.dtype}[{", ".join(map(str, shape))}]')
        self.given.append(array)
        self.next += 1
        return Value(self.next - 1, exact(array))

    def call(self, operator, arguments, array):
        self.lines.append(f"%{self.next} = aten.{operator}({', '.join(str(a) for a in arguments)})")
        self.next += 1
        return Value(self.next - 1, array)

    def t(self, x):
        return self.call("t.default", [x], x.array.T)

    def exchanged(self, x):
        return self.call("transpose.int", [x, 0, 1], x.array.swapaxes(0, 1))

    def permuted(self, x, order):
        return self.call("permute.default", [x, order], x.array.transpose(order))

    def view(self, x, shape):
        return self.call("reshape.default", [x, list(shape)], x.array.reshape(shape))

    def part(self, x, dim, begin, end):
        places = [slice(None)] * dim + [slice(begin, end)]
        return self.call("slice.Tensor", [x, dim, begin, end, 1], x.array[tuple(places)])

    def matmul(self, a, b):
        return self.call("matmul.default", [a, b], a.array @ b.array)

    def linear(self, x, w, b=None):
        return self.call("linear.default", [x, w, b], x.array @ w.array.T + (b.array if b else 0))

    def addmm(self, c, a, b, beta, alpha):
        return self.call("addmm.default", [c, a, b, f"beta={beta}", f"alpha={alpha}"], beta * c.array + alpha * (a.array @ b.array))

    def add(self, a, b):
        return self.call("add.Tensor", [a, b], a.array + b.array)

    def mul(self, a, b):
        return self.call("mul.Tensor", [a, b], a.array * b.array)

    def silu(self, x):
        return self.call("silu.default", [x], x.array / (1 + np.exp(-x.array)))

    def relu(self, x):
        return self.call("relu.default", [x], np.maximum(x.array, 0))

    def gelu(self, x, tanh=False):
        inner = np.tanh(math.sqrt(2 / math.pi) * (x.array + 0.044715 * x.array ** 3)) if tanh else np.vectorize(math.erf)(x.array / math.sqrt(2))
        return self.call("gelu.default", [x] + ['approximate="tanh"'] * tanh, x.array / 2 * (1 + inner))

    def text(self):
        outputs = [f'output "y{k}" = {value}' for k, value in enumerate(self.wanted.values())]
        return 'graph "products" {\n  ' + "\n  ".join(self.inputs + self.lines + outputs) + "\n}\n"


CASES = []


def case(name, function, *shapes):
    CASES.append((name, function, shapes))


for M, N, K in ((1000, 1304, 712), (129, 1001, 328), (64, 64, 64), (77, 72, 8), (256, 4096, 1024), (1024, 768, 768),
                (1024, 3072, 768), (1024, 768, 3072), (300, 520, 4096), (2048, 2048, 256), (16, 1024, 4096)):
    case(f"rows {M},{N},{K}", lambda g, a, b: g.matmul(a, g.t(b)), (M, K), (N, K))
    case(f"columns {M},{N},{K}", lambda g, a, b: g.matmul(a, b), (M, K), (K, N))
    case(f"both transposed {M},{N},{K}", lambda g, a, b: g.matmul(g.t(a), g.t(b)), (K, M), (N, K))
    case(f"left transposed {M},{N},{K}", lambda g, a, b: g.matmul(g.t(a), b), (K, M), (K, N))
case("linear, gelu", lambda g, x, w, b: g.gelu(g.linear(x, w, b), tanh=True), (3, 333, 512), (1024, 512), (1024,))
case("odd columns", lambda g, x, w, b: g.gelu(g.linear(x, w, b)), (333, 512), (1021, 512), (1021,))
case("residual", lambda g, x, w, b, y: g.relu(g.add(g.linear(x, w, b), y)), (700, 256), (512, 256), (512,), (700, 512))
case("scaled", lambda g, c, a, b: g.addmm(c, a, b, 0.5, 2.0), (256, 384), (256, 128), (128, 384))
# What the copy engine stores: all edges, operands that are exchanged and that are not, what is read by rows and by columns.
for M, N, K in ((600, 1032, 512), (129, 2056, 72), (2402, 4104, 136)):
    case(f"columns, gelu {M},{N},{K}", lambda g, c, a, b: g.gelu(g.addmm(c, a, b, 1, 1), tanh=True), (N,), (M, K), (K, N))
    case(f"columns, silu by rows {M},{N},{K}", lambda g, r, a, b: g.mul(g.silu(g.matmul(a, b)), r), (M, 1), (M, K), (K, N))
    case(f"rows, silu by both {M},{N},{K}", lambda g, r, c, a, b: g.mul(g.silu(g.linear(a, b, c)), r), (M, 1), (N,), (M, K), (N, K))
case("columns of a batch, silu", lambda g, c, a, b: g.silu(g.add(g.matmul(a, b), c)), (264,), (3, 130, 64), (3, 64, 264))
case("larger than a machine's tiles", lambda g, a, b: g.matmul(a, b), (4098, 4096), (4096, 3208))
case("rows of exchanged dimensions", lambda g, x, w, b, y: g.add(g.exchanged(g.gelu(g.linear(g.exchanged(x), w, b))), y), (24, 50, 128), (192, 128), (192,), (24, 50, 192))
case("exchanged, its own order", lambda g, x, w: g.linear(g.exchanged(x), w), (24, 50, 128), (192, 128))
case("exchanged, a view", lambda g, x, w, b: g.part(g.part(g.view(g.relu(g.linear(g.view(g.exchanged(x), (1200, 128)), w, b)), (50, 24, 192)), 0, 1, 50), 1, 3, 24),
     (24, 50, 128), (192, 128), (192,))
case("exchanged twice", lambda g, x, w, v: g.linear(g.relu(g.linear(g.exchanged(x), w)), v), (24, 50, 128), (192, 128), (64, 192))
case("batch", lambda g, a, b: g.matmul(a, b), (5, 200, 96), (5, 96, 136))
case("heads", lambda g, q, k: g.matmul(g.permuted(g.view(q, (2, 65, 4, 64)), [0, 2, 1, 3]), g.permuted(g.view(k, (2, 77, 4, 64)), [0, 2, 3, 1])), (2, 65, 256), (2, 77, 256))
case("shared right", lambda g, a, b: g.matmul(a, b), (2, 3, 70, 64), (64, 128))
case("shared left", lambda g, a, b: g.matmul(a, b), (72, 64), (4, 64, 128))
case("slices", lambda g, a, b: g.matmul(g.part(a, 1, 64, 192), g.part(g.part(b, 0, 8, 136), 1, 16, 144)), (150, 256), (160, 160))
case("rows apart by 200 bytes", lambda g, a, b: g.matmul(a, g.t(b)), (130, 100), (70, 100))
case("odd strides", lambda g, a, b: g.matmul(a, b), (130, 101), (101, 77))
for M in (1, 2, 3, 4, 5, 8):
    case(f"few rows {M}", lambda g, a, b: g.matmul(a, g.t(b)), (M, 1240), (1011, 1240))
    case(f"few rows, by columns {M}", lambda g, a, b: g.relu(g.matmul(a, b)), (M, 1240), (1240, 1016))
    case(f"few columns {M}", lambda g, a, b: g.matmul(b, g.t(a)), (M, 512), (1000, 512))
    case(f"few columns, transposed {M}", lambda g, a, b: g.matmul(g.t(b), g.t(a)), (M, 512), (512, 1000))
case("vector", lambda g, a, b: g.matmul(a, b), (1003, 640), (640,))
case("long", lambda g, x, w, b: g.linear(x, w, b), (1, 4096), (16384, 4096), (16384,))
case("batch of vectors", lambda g, a, b: g.matmul(a, b), (6, 1, 256), (6, 256, 520))
case("short", lambda g, a, b: g.matmul(a, g.t(b)), (2, 24), (50, 24))

ALLOWED = {"bfloat16": 4e-3, "float16": 5e-4, "float32": 1e-6}


def graph_of(dtype):
    g = Graph(dtype)
    given = [(name, function, [g.input(shape) for shape in shapes]) for name, function, shapes in CASES]
    for name, function, operands in given:
        g.wanted[name] = function(g, *operands)
    return g


def check(litz, device, dtype, ways):
    g = graph_of(dtype)
    given = [OnDevice(device, a) for a in g.given]
    room = [OnDevice(device, rounded(np.zeros(v.array.shape), dtype)) for v in g.wanted.values()]
    for way in ways:
        allowed = 5e-4 if "cuda.tf32" in way else ALLOWED[dtype]  # TF32 has ten bits of each operand
        executable = litz.compile(g.text(), **{"artifact.vendor": "off"}, **way)
        for _ in range(3):  # run, recorded, replayed
            for out in room:
                device.put(out.memory, np.full(out.like.nbytes, 0xFF, np.uint8))
            executable.run_into([t.dl for t in given], [t.dl for t in room])
        for (name, value), out in zip(g.wanted.items(), room):
            error = np.nan_to_num(np.linalg.norm(exact(out.value()) - value.array) / np.linalg.norm(value.array), nan=np.inf)
            assert error <= allowed, f"{name} {way}: off by {error:.1e}"
        executable.release()
    for tensor in given + room:
        tensor.release()
    return f"{len(room)} products"


# Tiles that the model gives to large products only; where a product cannot be cut so, it is cut as usual.
LARGE = ["256x200, 3 stages, clusters of 2x1, 2 together", "128x200, 5 stages, clusters of 2x1, in turn", "256x192, 3 stages, clusters of 1x2, 2 together",
         "128x192, 5 stages, clusters of 2x1, in turn", "128x256, 4 stages, clusters of 2x1, 2 together"]


def run(tests, litz, device):
    large = [{"mode": "max-autotune", "debug.choice": f"own template: {tile}"} for tile in LARGE]
    for dtype, ways in (("bfloat16", [{}, {"mode": "reduce-overhead"}, *large]), ("float16", [{}]), ("float32", [{}, {"cuda.tf32": "true"}])):
        tests.test(f"products of {dtype} by own kernels", lambda: check(litz, device, dtype, ways))
