"""Small random networks over images on a GPU, held to the CPU: convolutions of all kinds, windows, norms, means and gates in any
order, with other shapes than models are tried with, in float32 and in halves with channels last and not.

A network follows from its number. A failure prints the number and the text; LITZ_RANDOM_IMAGES=N in the environment runs
networks 0 to N-1.

    random_images.py LIBRARY NUMBER    prints the network of that number, and what is wrong with it
"""
import random
import numpy as np
from litz import Failure, OnDevice
from random_graphs import Host, check_all, show

USUAL = 24
LARGEST = 400_000  # elements of a value


class Network:
    """A network as it is written: its lines, its inputs (the image, then weights), and its results."""

    def __init__(self, number):
        self.random, self.lines, self.weights = random.Random(number), [], []
        draw = self.random
        self.half = draw.random() < 0.5
        self.dtype = "float16" if self.half else "float32"
        batch, channels, size = draw.choice([1, 1, 2, 3]), draw.choice([3, 8, 16, 24, 40, 72, 96]), draw.choice([7, 8, 14, 20, 28, 56])
        self.image = (batch, channels, size, draw.choice([size, size, size + 1]))
        self.calls, self.next = [], 1
        at, shape = 0, self.image
        made = []
        for _ in range(draw.randint(4, 9)):
            at, shape = self.layer(at, shape, made)
            made.append((at, shape))
        results = [made[-1]] + [draw.choice(made) for _ in range(draw.randrange(3))]
        inputs = [self.image, *self.weights]
        # Weights are numbered behind the image; calls were written with w0, w1, ... and v1, v2, ... for their results.
        names = {"v0": "%0", **{f"w{k}": f"%{k + 1}" for k in range(len(self.weights))}}
        names |= {f"v{k}": f"%{k + len(self.weights)}" for k in range(1, self.next)}
        fill = lambda call: " ".join(names.get(word, word) for word in call.replace("(", " ( ").replace(")", " ) ").replace("[", " [ ").replace("]", " ] ").replace(",", " , ").split())
        lines = [f'input %{k} "x{k}": {self.dtype}[{", ".join(map(str, shape))}]' for k, shape in enumerate(inputs)]
        lines += [fill(f"v{k} = {call}") for k, call in enumerate(self.calls, 1)]
        lines += [fill(f'output "y{k}" = v{value}') for k, (value, _) in enumerate(results)]
        self.inputs, self.results = inputs, [shape for _, shape in results]
        self.text = 'graph "images" {\n  ' + "\n  ".join(lines) + "\n}"

    def call(self, text):
        self.calls.append(text)
        self.next += 1
        return self.next - 1

    def weight(self, *shape):
        self.weights.append(shape)
        return f"w{len(self.weights) - 1}"

    def layer(self, at, shape, made):
        """Writes one layer over a value, mostly the last, and gives its result."""
        draw = self.random
        n, c, h, w = shape
        kind = draw.choice(["depthwise", "depthwise", "pointwise", "dense", "groups", "pool", "gate", "norm", "bent", "bent", "add", "scale",
                            "cat", "mean", "attend"])
        if kind in ("depthwise", "pointwise", "dense", "groups"):
            window = 1 if kind == "pointwise" else draw.choice([3, 3, 5, 7, 1])
            out = c if kind == "depthwise" else draw.choice([8, 16, 24, 33, 64, 80])
            groups = c if kind == "depthwise" else 2 if kind == "groups" and c % 2 == 0 and out % 2 == 0 else 1
            step, pad = draw.choice([1, 1, 1, 2]), window // 2
            high, wide = (h + 2 * pad - window) // step + 1, (w + 2 * pad - window) // step + 1
            if n * out * high * wide > LARGEST or high < 2 or wide < 2:
                return at, shape
            bias = self.weight(out) if draw.random() < 0.6 else "None"
            made_by = f"aten.conv2d.default(v{at}, {self.weight(out, c // groups, window, window)}, {bias}, [{step}, {step}], [{pad}, {pad}], [1, 1], {groups})"
            return self.call(made_by), (n, out, high, wide)
        if kind == "pool" and h > 4 and w > 4:
            window, step = draw.choice([(2, 2), (3, 2), (3, 1), (7, 1)])
            pad = window // 2 if window != 2 else 0
            high, wide = (h + 2 * pad - window) // step + 1, (w + 2 * pad - window) // step + 1
            name = draw.choice(["max_pool2d", "avg_pool2d"])
            return self.call(f"aten.{name}.default(v{at}, [{window}, {window}], [{step}, {step}], [{pad}, {pad}])"), (n, c, high, wide)
        if kind == "gate":
            mean = self.call(f"aten.mean.dim(v{at}, [2, 3], true)")
            few = draw.choice([4, 8, 10])
            small = self.call(f"aten.conv2d.default(v{mean}, {self.weight(few, c, 1, 1)}, {self.weight(few)}, [1, 1], [0, 0], [1, 1], 1)")
            small = self.call(f"aten.relu.default(v{small})")
            large = self.call(f"aten.conv2d.default(v{small}, {self.weight(c, few, 1, 1)}, None, [1, 1], [0, 0], [1, 1], 1)")
            gate = self.call(f"aten.{draw.choice(['sigmoid', 'hardsigmoid'])}.default(v{large})")
            return self.call(f"aten.mul.Tensor(v{at}, v{gate})"), shape
        if kind == "norm":
            turned = self.call(f"aten.permute.default(v{at}, [0, 2, 3, 1])")
            normal = self.call(f"aten.layer_norm.default(v{turned}, [{c}], {self.weight(c)}, {self.weight(c)}, 0.00001, false)")
            return self.call(f"aten.permute.default(v{normal}, [0, 3, 1, 2])"), shape
        if kind == "mean":
            mean = self.call(f"aten.mean.dim(v{at}, [{draw.choice(['1', '2', '3', '2, 3', '0'])}], true)")
            return self.call(f"aten.sub.Tensor(v{at}, v{mean})"), shape
        if kind == "scale":
            scaled = self.call(f"aten.mul.Tensor(v{at}, {self.weight(1, c, 1, 1)})")
            return self.call(f"aten.add.Tensor(v{scaled}, {self.weight(c, 1, 1)})"), shape
        if kind in ("add", "cat"):
            others = [value for value, other in made if other == shape and value != at]
            if not others:
                return at, shape
            if kind == "add" or c > 100:
                return self.call(f"aten.add.Tensor(v{at}, v{draw.choice(others)})"), shape
            return self.call(f"aten.cat.default([v{at}, v{draw.choice(others)}], 1)"), (n, 2 * c, h, w)
        if kind == "attend" and c % 8 == 0 and h * w <= 400:
            flat = self.call(f"aten.flatten.using_ints(v{at}, 2)")
            turned = self.call(f"aten.transpose.int(v{flat}, 1, 2)")
            # Among places, or among channels.
            left, right = draw.choice([(turned, flat), (flat, turned)])
            small = self.call(f"aten.mul.Scalar(v{left}, {0.1 / c ** 0.5 if left == turned else 0.1 / (h * w) ** 0.5:.5f})")
            scores = self.call(f"aten.matmul.default(v{small}, v{right})")
            weights = self.call(f"aten.softmax.int(v{scores}, -1)")
            result = self.call(f"aten.matmul.default(v{weights}, v{left})")
            if left == turned:
                result = self.call(f"aten.transpose.int(v{result}, 1, 2)")
            return self.call(f"aten.view.default(v{result}, [{n}, {c}, {h}, {w}])"), shape
        return self.call(f"aten.{draw.choice(['relu', 'silu', 'gelu', 'hardswish', 'tanh'])}.default(v{at})"), shape

    def data(self, number):
        """The image, and weights that keep values as large as they are."""
        draw, kind = np.random.default_rng(number), np.float16 if self.half else np.float32
        scale = lambda shape: 1 if shape == self.image else 1 / max(1, np.prod(shape[1:])) ** 0.5 if len(shape) == 4 and shape[0] > 1 else 0.5
        return [(draw.standard_normal(shape) * scale(shape)).astype(kind) for shape in self.inputs]


def results(litz, network, number, backend, tensor):
    given = [tensor(array) for array in network.data(number)]
    room = [tensor(np.zeros(shape, np.float16 if network.half else np.float32)) for shape in network.results]
    executable = litz.compile(network.text, backend=backend)
    try:
        for _ in range(2):
            executable.run_into([t.dl for t in given], [t.dl for t in room])
        return [np.array(t.value()).astype(np.float64) for t in room]
    finally:
        executable.release()
        for t in given + room:
            t.release()


def difference(litz, device, network, number):
    """The first difference between the device and the CPU, in words."""
    try:
        got = results(litz, network, number, "cuda", lambda array: OnDevice(device, array))
        want = results(litz, network, number, "cpu", Host)
    except Failure as failure:
        return str(failure)
    for k, (a, b) in enumerate(zip(got, want)):
        # Rounding in another order is a few units of a half in the last place, against the size of all.
        size = np.sqrt(np.mean(b * b)) + 1e-6
        off = np.max(np.abs(a - b)) if a.size else 0.0
        if not off <= size * (0.1 if network.half else 1e-3):
            return f"y{k} is off by {off}, of {size}, in {np.count_nonzero(~(np.abs(a - b) <= size * 0.1))} of {a.size} places"
    return None


def check(litz, device):
    return check_all(litz, device, "LITZ_RANDOM_IMAGES", USUAL, Network, difference)


if __name__ == "__main__":
    show(Network, difference)
