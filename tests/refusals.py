#!/usr/bin/env python3
"""Writes tests/data/refusals.txt.gz: calls of every operator with operands that fit and that do not, and what PyTorch says.

    python3 tests/refusals.py [SEEDS]         needs PyTorch; reads the operators from src/ops/rows
    python3 tests/refusals.py unsigned        writes refusals_unsigned.txt.gz: the same of uint16, uint32 and uint64

A line is `+` (PyTorch takes the call) or `-` (it raises, whatever the data), the operands' types, ` :: `, and the call as in
Litz text. `refusals_found.txt` has more, which fuzzers found. Shapes, dtypes, dimensions and numbers are drawn at random, mostly near to what fits. `tests/refusals.rs` reads it."""
import glob, gzip, os, random, re, sys, warnings

HERE = os.path.dirname(os.path.abspath(__file__))
DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"]
UNSIGNED = {"uint16", "uint32", "uint64"}
WORDS = {"reduce": ["sum", "prod", "mean", "amax", "amin", "add", "multiply"], "approximate": ["none", "tanh"],
         "rounding_mode": ["trunc", "floor"], "mode": ["constant", "reflect", "replicate", "circular"],
         "interpolation": ["linear", "lower", "higher", "nearest", "midpoint"], "indexing": ["ij", "xy"],
         "side": ["left", "right"], "equation": ["ij,jk->ik", "i,i->", "ij->ji", "ii->i", "i,j"]}
INDICES = {"index", "indices", "offsets", "lengths", "sorter", "target", "repeats"}
LATER = {"Generator", "Layout", "Device"}


def operators():
    for path in sorted(glob.glob(os.path.join(HERE, "../src/ops/rows/*.rs"))):
        for line in open(path):
            row = re.match(r'\s+\w+ "(aten|prims)\.([^".]+)\.([^"]+)" "((?:[^"\\]|\\.)*)"', line)
            if row:
                yield row[1], row[2], row[3], row[4].replace('\\"', '"')


def arguments(schema):
    """(type, name, has a default, keyword only) of each argument."""
    inner, depth, word, words = schema[1:schema.rindex(") ->")], 0, "", []
    for c in inner + ",":
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            words.append(word.strip())
            word = ""
        else:
            word += c
    keyword = False
    for word in words:
        if word == "*":
            keyword = True
        elif word:
            head, has_default, _ = word.partition("=")
            kind, name = head.strip().rsplit(" ", 1)
            yield re.sub(r"\(\w!\)", "", kind), name, bool(has_default), keyword


class Tensor:
    def __init__(self, shape, dtype, name):
        self.shape, self.dtype, self.name = shape, dtype, name


class Word(str):
    """Printed without quotes: a dtype."""


def draw(r, schema):
    """Operands, positional and named arguments."""
    rank = r.choice([0, 1, 1, 2, 2, 3, 3, 4, 5])
    base = [r.choice([1, 2, 3, 3, 4]) if r.random() < 0.9 else 0 for _ in range(rank)]
    common, tensors = r.choice(DTYPES), []

    def tensor(name):
        shape, chance = list(base), r.random()
        if tensors and chance < 0.2:
            shape = list(r.choice(tensors).shape)
        elif 0.6 < chance < 0.7:
            shape = [1 if r.random() < 0.4 else size for size in shape]
        elif 0.7 < chance < 0.76:
            shape = shape[r.randrange(rank + 1):]
        elif 0.76 < chance < 0.84 and shape:
            shape[r.randrange(rank)] = r.choice([0, 1, 2, 3, 4])
        elif 0.84 < chance < 0.92:
            shape = [r.choice([1, 2, 3]) for _ in range(r.choice([0, 1, 2, 3]))]
        dtype = common if r.random() < 0.85 else r.choice(DTYPES)
        if r.random() < 0.85:
            dtype = "int64" if name in INDICES else "bool" if name in ("mask", "condition") else dtype
        tensors.append(Tensor(shape, dtype, name))
        return tensors[-1]

    def integer(name):
        if name.startswith(("dim", "axis", "start_dim", "end_dim")):
            return r.randint(-rank - 1, max(rank, 1))
        return r.choice([300, -300, 1 << 40, -(1 << 63)]) if r.random() < 0.03 else r.choice([0, 1, 1, 2, 3, 4, -1, -2])

    def value(kind, name):
        if kind.endswith("?"):
            if r.random() < 0.4:
                return None
            kind = kind[:-1]
        listed = re.match(r"(\w+)\??\[(\d*)\]$", kind)
        if listed and listed[1] == "Tensor":
            return [tensor(name) for _ in range(r.choice([0, 1, 2, 2, 3]))]
        if listed:
            count = int(listed[2]) if listed[2] and r.random() < 0.9 else r.choice([0, 1, 2, 3, rank])
            if name in ("size", "shape", "normalized_shape") and r.random() < 0.6:
                return list(base)
            one = {"bool": lambda: r.random() < 0.5, "float": lambda: r.choice([0.5, 1.0, 2.0])}
            return [one.get(listed[1], lambda: r.randint(-1, 3))() for _ in range(count)]
        return {"Tensor": lambda: tensor(name), "int": lambda: integer(name), "SymInt": lambda: integer(name),
                "float": lambda: r.choice([0.0, 0.5, 1.0, 2.0, -1.0]), "bool": lambda: r.random() < 0.5,
                "Scalar": lambda: r.choice([0, 1, 2, -1, 0.5, 2.5, True, 300, -300, 70000]),
                "str": lambda: r.choice(WORDS.get(name, ["none"])), "ScalarType": lambda: Word(r.choice(DTYPES)),
                "MemoryFormat": lambda: None}[kind]()

    positional, named, skipped = [], {}, False
    for kind, name, has_default, keyword in arguments(schema):
        if kind.rstrip("?") in LATER and not has_default:
            named[name] = None
        elif kind.rstrip("?") in LATER or name in ("pin_memory", "memory_format") or has_default and r.random() < 0.5:
            skipped = True
        elif keyword or skipped:
            named[name] = value(kind, name)
        else:
            positional.append(value(kind, name))
    return tensors, positional, named


def spelt(value, tensors):
    if isinstance(value, Tensor):
        return f"%{tensors.index(value)}"
    if isinstance(value, list):
        return "[" + ", ".join(spelt(v, tensors) for v in value) + "]"
    if isinstance(value, Word) or value is None:
        return str(value)
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def takes(torch, operator, call, filled):
    tensors, positional, named = call
    made = {id(t): filled(t) for t in tensors}

    def given(value):
        if isinstance(value, Tensor):
            return made[id(value)]
        if isinstance(value, Word):
            return getattr(torch, value)
        return [given(v) for v in value] if isinstance(value, list) else value

    try:
        operator(*map(given, positional), **{name: given(v) for name, v in named.items()})
        return True
    except AssertionError:
        return None
    except (RuntimeError, IndexError, ValueError, TypeError, ZeroDivisionError) as error:
        # An assertion is a mistake of PyTorch's own, and says nothing about the call; so is what the Python code of `prims` lacks.
        mistaken = "INTERNAL ASSERT" in str(error) or operator.namespace == "prims" and isinstance(error, TypeError)
        # What depends on a matrix's numbers, or on how much memory there is, is for a run to refuse.
        later = isinstance(error, torch.linalg.LinAlgError) or "can't allocate memory" in str(error)
        return None if mistaken or later else False


def found(torch):
    """The calls that fuzzers found, which PyTorch must refuse."""
    for line in open(os.path.join(HERE, "data/refusals_found.txt")):
        types, call = line.rstrip("\n")[2:].split(" :: ")
        tensors = []
        for dtype, shape in re.findall(r"(\w+)\[([\d,]*)\]", types):
            tensors.append(torch.ones([int(n) for n in shape.split(",") if n], dtype=getattr(torch, dtype)))
        name, arguments = call.split("(", 1)
        arguments = re.sub(r"%(\d+)", r"tensors[\1]", arguments.rstrip(")"))
        words = {d: getattr(torch, d) for d in DTYPES + ["complex64"]} | {"true": True, "false": False, "nan": float("nan")}
        space, base, overload = name.split(".")
        operator = getattr(getattr(getattr(torch.ops, space), base), overload)
        try:
            eval(f"operator({arguments})", words | {"operator": operator, "tensors": tensors})
        except (RuntimeError, IndexError, ValueError):
            continue
        sys.exit("PyTorch takes " + line)


def answered(torch, operator, call):
    """What PyTorch says whatever the data; None where that differs."""
    fillings = [lambda t: torch.zeros(t.shape, dtype=getattr(torch, t.dtype)),
                lambda t: torch.ones(t.shape, dtype=getattr(torch, t.dtype)),
                lambda t: torch.rand(t.shape).mul(2).to(getattr(torch, t.dtype))]
    answers = {takes(torch, operator, call, filled) for filled in fillings}
    return answers.pop() if len(answers) == 1 else None


def signed(call):
    """The call with int32 in the place of unsigned dtypes."""
    def other(value):
        if isinstance(value, Tensor):
            return of[id(value)]
        if isinstance(value, list):
            return [other(v) for v in value]
        return Word("int32") if isinstance(value, Word) and value in UNSIGNED else value

    tensors, positional, named = call
    of = {id(t): Tensor(t.shape, "int32" if t.dtype in UNSIGNED else t.dtype, t.name) for t in tensors}
    return [of[id(t)] for t in tensors], other(positional), {name: other(v) for name, v in named.items()}


def drawn(torch, space, base, overload, schema, seeds, seed_of):
    """Lines of an operator. Calls with unsigned dtypes are those that are right but for these."""
    operator = getattr(getattr(getattr(torch.ops, space), base, None), overload, None)
    for seed in range(seeds if operator else 0):
        call = draw(random.Random(seed_of(seed)), schema)
        tensors, positional, named = call
        answer = answered(torch, operator, call)
        is_unsigned = any(t.dtype in UNSIGNED for t in tensors) or set(map(str, named.values())) & UNSIGNED
        if answer is False and is_unsigned and not answered(torch, operator, signed(call)):
            answer = None
        if answer is not None:
            words = [spelt(v, tensors) for v in positional] + [f"{n}={spelt(v, tensors)}" for n, v in named.items()]
            types = " ".join(f"{t.dtype}{t.shape}".replace(" ", "") for t in tensors)
            yield f"{'+' if answer else '-'} {types} :: {space}.{base}.{overload}({', '.join(words)})"


def beside(work):
    """The lines that another process gives: PyTorch's kernels end the process for some of these dtypes."""
    ours, theirs = os.pipe()
    if (child := os.fork()) == 0:
        os.close(ours)
        with open(theirs, "w") as out:
            for line in work():
                out.write(line + "\n")
        os._exit(0)
    os.close(theirs)
    with open(ours) as lines:
        found = lines.read().splitlines()
    return found if os.waitpid(child, 0)[1] == 0 else []


def main():
    import torch
    warnings.simplefilter("ignore")
    lines, name = [], "refusals.txt.gz"
    if sys.argv[1:] == ["unsigned"]:
        name = "refusals_unsigned.txt.gz"
        torch.set_num_threads(1)
        for space, base, overload, schema in operators():
            def work():
                global DTYPES
                for DTYPES in (["uint16"], ["uint32"], ["uint64"], ["uint32", "uint32", "int64", "float32"]):
                    def seed_of(seed):
                        return f"{base}.{overload} {seed} {DTYPES}"
                    yield from drawn(torch, space, base, overload, schema, 6, seed_of)
            lines += [line for line in beside(work) if "uint" in line.replace("uint8", "")]
    else:
        found(torch)
        for space, base, overload, schema in operators():
            def seed_of(seed):
                return f"{base}.{overload} {seed}"
            lines += drawn(torch, space, base, overload, schema, int(sys.argv[1]) if len(sys.argv) > 1 else 12, seed_of)
    with gzip.GzipFile(os.path.join(HERE, "data", name), "wb", mtime=0) as out:
        out.write("\n".join(lines).encode())
    print(len(lines), "calls,", sum(line[0] == "-" for line in lines), "refused")


if __name__ == "__main__":
    main()
