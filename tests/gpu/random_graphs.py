"""Small random graphs on a GPU, held to the interpreter: as tests/random_graphs.rs does for the CPU, at a GPU's sizes.

A graph follows from its number. Its results and its inputs after each of two runs must be the interpreter's. A failure prints
the graph's number and text; LITZ_RANDOM_GRAPHS=N in the environment runs graphs 0 to N-1.

    random_graphs.py LIBRARY NUMBER    prints the graph of that number, and what is wrong with it

Every operator is continuous, so that rounding in another order cannot turn into another choice.
"""
import os, random, sys
import numpy as np
from litz import Device, Failure, Litz, OnDevice, OnHost

USUAL = 40
LARGEST = 300_000  # elements of a value: the interpreter takes long for more
# Below, at and above a warp; prime; rows beyond a block; many rows; one; none.
SIZES = [(5, 8), (67, 96), (1, 40), (33, 7), (16, 64), (3, 130), (1, 1), (0, 5), (6, 0), (4, 9000), (9000, 4), (64, 2048), (1, 70000)]


def broadcast(a, b):
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


class Writer:
    """A graph as it is written: its lines, the shapes of its inputs, and number and shape of all values so far."""

    def __init__(self, number):
        self.random, self.lines, self.values = random.Random(number), [], []
        rows, columns = self.random.choice(SIZES)
        self.inputs = [(rows, columns)]
        for _ in range(self.random.randint(1, 3)):
            shapes = [(rows, columns), (rows, columns), (rows, 1), (columns,), (1, columns)]
            self.inputs.append(self.random.choice(shapes))
        for k, shape in enumerate(self.inputs):
            self.lines.append(f'input %{k} "x{k}": float32[{", ".join(map(str, shape))}]')
            self.values.append((k, shape))
        self.next = len(self.inputs)
        for _ in range(self.random.randint(5, 12)):
            self.operator()
        self.value("aten.add.Tensor(%0, %1)", broadcast(*self.inputs[:2]))
        made = self.values[len(self.inputs):]
        results = (made[:-4:-1] + [self.random.choice(made)])[:self.random.randint(2, 4)]
        self.lines += [f'output "y{k}" = %{value}' for k, (value, _) in enumerate(results)]
        self.results = [shape for _, shape in results]
        self.text = 'graph "random" {\n  ' + "\n  ".join(self.lines) + "\n}"

    def line(self, call):
        self.lines.append(f"%{self.next} = {call}")
        self.next += 1
        return self.next - 1

    def value(self, call, shape):
        """Writes a call, unless its result is large: rows and columns that meet, and concatenations, multiply."""
        if np.prod(shape) <= LARGEST:
            self.values.append((self.line(call), tuple(shape)))

    def operator(self):
        """Writes one operator, or nothing where what was drawn does not fit."""
        draw = self.random
        kind = draw.choice(["one", "two", "two", "write", "write", "reduce", "reduce", "softmax", "cumsum", "t", "cat", "slice",
                            "smaller", "flip", "pad", "select"])
        # One of the last values mostly, so that chains are long.
        a, shape = draw.choice(self.values[-3:] if draw.randrange(3) else self.values)
        b, other = draw.choice(self.values)
        if kind == "one":
            return self.value(f"aten.{draw.choice(['tanh', 'relu', 'sigmoid', 'neg', 'abs'])}.default(%{a})", shape)
        if kind == "two":
            name = draw.choice(["add.Tensor", "sub.Tensor", "mul.Tensor", "maximum.default"])
            both = broadcast(shape, other)
            return self.value(f"aten.{name}(%{a}, %{b})", both) if both is not None else None
        if kind == "write":
            k = draw.randrange(1, len(self.inputs))
            name = draw.choice(["add_.Tensor", "mul_.Tensor", "sub_.Tensor", "copy_.default"])
            if broadcast(self.inputs[k], other) == self.inputs[k]:
                self.value(f"aten.{name}(%{k}, %{b})", self.inputs[k])
            return None
        if not shape:
            return None
        dim = draw.randrange(len(shape))
        size, sizes = shape[dim], list(shape)
        if kind == "reduce":
            name, keep = draw.choice(["sum.dim_IntList", "mean.dim", "amax.default"]), draw.random() < 0.7
            sizes[dim:dim + 1] = [1] if keep else []
            # The largest of none is no number.
            if name != "amax.default" or size:
                self.value(f"aten.{name}(%{a}, [{dim}], {str(keep).lower()})", sizes)
        elif kind in ("softmax", "cumsum"):
            self.value(f"aten.{'softmax.int' if kind == 'softmax' else 'cumsum.default'}(%{a}, {dim})", shape)
        elif kind == "flip":
            self.value(f"aten.flip.default(%{a}, [{dim}])", shape)
        elif kind == "t" and len(shape) == 2:
            self.value(f"aten.t.default(%{a})", shape[::-1])
        elif kind == "cat" and shape == other:
            sizes[dim] *= 2
            self.value(f"aten.cat.default([%{a}, %{b}], {dim})", sizes)
        elif kind == "slice" and size > 2:
            begin = draw.randrange(size - 1)
            end, step = draw.randrange(begin + 1, size + 1), draw.choice([1, 1, 2])
            sizes[dim] = (end - begin + step - 1) // step
            self.value(f"aten.slice.Tensor(%{a}, {dim}, {begin}, {end}, {step})", sizes)
        elif kind == "smaller" and shape == other:
            larger = self.line(f"aten.gt.Tensor(%{a}, %{b})")
            self.value(f"aten.where.self(%{larger}, %{b}, %{a})", shape)
        elif kind == "pad":
            before, after = draw.randrange(3), draw.randrange(3)
            sizes[-1] += before + after
            self.value(f"aten.constant_pad_nd.default(%{a}, [{before}, {after}], 0.5)", sizes)
        elif kind == "select" and size:
            del sizes[dim]
            self.value(f"aten.select.int(%{a}, {dim}, {draw.randrange(size)})", sizes)


def results(litz, graph, number, backend, tensor):
    """What two runs give, each followed by what it leaves in the inputs."""
    # Few digits, so that sums of inputs are exact in any order.
    draw = np.random.default_rng(number)
    given = [tensor((draw.integers(-8, 9, shape) / 8).astype(np.float32)) for shape in graph.inputs]
    room = [tensor(np.zeros(shape, np.float32)) for shape in graph.results]
    executable = litz.compile(graph.text, backend=backend)
    try:
        seen = []
        for _ in range(2):
            executable.run_into([t.dl for t in given], [t.dl for t in room])
            seen += [np.array(t.value()) for t in room + given]
        return seen
    finally:
        executable.release()
        for t in given + room:
            t.release()


class Host(OnHost):
    def value(self):
        return self.array


def difference(litz, device, graph, number):
    """The first difference between the device and the interpreter, in words."""
    try:
        got = results(litz, graph, number, "cuda", lambda array: OnDevice(device, array))
        want = results(litz, graph, number, "interpreter", Host)
    except Failure as failure:
        return str(failure)
    names = [f"y{k}" for k in range(len(graph.results))] + [f"x{k}, an input," for k in range(len(graph.inputs))]
    for k, (a, b) in enumerate(zip(got, want)):
        if not np.allclose(a, b, rtol=1e-4, atol=1e-4, equal_nan=True):
            return f"{names[k % len(names)]} of run {k // len(names)} is off by {np.nanmax(np.abs(a - b))}"
    return None


def check_all(litz, device, variable, usual, make, difference):
    """Programs 0 to N-1 of those that follow from a number; N is the environment's, or the usual one."""
    count, wrong = int(os.environ.get(variable, usual)), []
    for number in range(count):
        program = make(number)
        said = difference(litz, device, program, number)
        if said:
            wrong.append(number)
            print(f"number {number}: {said}\n{program.text}", flush=True)
    assert not wrong, f"{len(wrong)} of {count} differ: {wrong}"
    return f"{count} of them"


def show(make, difference):
    """Prints the program whose number the command line gives, and what is wrong with it."""
    chosen = int(sys.argv[2])
    program = make(chosen)
    print(program.text)
    print(difference(Litz(os.path.abspath(sys.argv[1])), Device(), program, chosen) or "right")


def check(litz, device):
    return check_all(litz, device, "LITZ_RANDOM_GRAPHS", USUAL, Writer, difference)


if __name__ == "__main__":
    show(Writer, difference)
