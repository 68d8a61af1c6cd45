"""Makes tests/data/trees: exported programs with every kind of tree among their arguments and results, each with what
PyTorch says of its signature. Run with a Python that has PyTorch 2.10 or later; the tests need no Python."""

import collections
import dataclasses
import json
import pathlib
import zipfile

import torch
from torch.utils import _pytree as pytree

FOLDER = pathlib.Path(__file__).parent / "data" / "trees"

Pair = collections.namedtuple("Pair", "first second")
pytree._register_namedtuple(Pair, serialized_type_name="trees.Pair")


@dataclasses.dataclass
class Settings:
    scale: float
    weight: torch.Tensor
    bias: torch.Tensor | None = None


torch.export.register_dataclass(Settings, serialized_type_name="trees.Settings")


class Cache:
    """A type of a user's own, which names its children."""

    def __init__(self, keys, values):
        self.keys, self.values = keys, values


pytree.register_pytree_node(
    Cache,
    lambda c: ([c.keys, c.values], ["keys", "values"]),
    lambda children, _: Cache(*children),
    serialized_type_name="trees.Cache",
    flatten_with_keys_fn=lambda c: ([(pytree.MappingKey("keys"), c.keys), (pytree.MappingKey("values"), c.values)], ["keys", "values"]),
)


class Plain(torch.nn.Module):
    """Built-in containers, None and fixed values among them, and results that are views of one another."""

    def forward(self, batch, rest, *, scale, mode, mask=None, flag=True, steps=3):
        x = batch["x"] * scale + rest[0]["deep"][1]
        if mask is not None:
            x = x * mask
        y = x.relu() if mode == "relu" else x
        return {
            "y": y,
            "views": [y.view(-1), y.t(), (y[0],)],
            "nothing": None,
            "number": steps,
            "ratio": 0.5,
            "mode": mode,
            "flag": flag,
            3: batch["z"][0] + 1,
        }, collections.OrderedDict(b=x.sum(), a=x.size(0))


class Classes(torch.nn.Module):
    """Named tuples, dataclasses and a type of a user's own."""

    def forward(self, pair, settings, cache):
        x = pair.first + pair.second * settings.scale
        out = Settings(2.5, x @ settings.weight)
        return Pair(x, out), Cache(cache.keys + 1, cache.values[:, 0])


class Single(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)

    def forward(self, x):
        return self.linear(x)


class Dynamic(torch.nn.Module):
    """Sizes and numbers that are known at run time."""

    def forward(self, x, more, n: int):
        rows = torch.cat([x, more["rows"]])
        return rows * n, [rows.size(0), n + 1], more["queue"][0].transpose(0, 1) + 1


class Mutated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, state, x):
        state["total"].add_(x)
        self.count.add_(1)
        return state["total"].view(3, 1), self.count, x[1:]


def path_of(keys, root):
    """The path in Litz's words."""
    text = root
    for key in keys:
        match key:
            case pytree.SequenceKey():
                text += f"[{key.idx}]"
            case pytree.MappingKey():
                text += f"[{json.dumps(key.key)}]"
            case pytree.GetAttrKey():
                text += f".{key.name}"
            case _:
                raise TypeError(key)
    return text


def flatten(tree):
    """The leaves by their keys, with the fields of dataclasses that are None, which PyTorch leaves out."""
    for keys, value in pytree.tree_flatten_with_path(tree, is_leaf=lambda v: isinstance(v, Settings))[0]:
        if not isinstance(value, Settings):
            yield keys, value
            continue
        yield from ((keys + inner, v) for inner, v in pytree.tree_flatten_with_path(value)[0])
        fields = (f.name for f in dataclasses.fields(value))
        yield from ((keys + (pytree.GetAttrKey(f),), None) for f in fields if getattr(value, f) is None)


def leaf(path, value, aliases):
    entry = {"path": path}
    if value is None:
        return entry | {"kind": "none"}
    if not isinstance(value, torch.Tensor):
        return entry | {"kind": "fixed", "value": value}
    entry |= {"kind": "tensor", "dtype": str(value.dtype).removeprefix("torch."), "shape": list(value.shape)}
    return entry | {"strides": list(value.stride())} | aliases


def make(name, module, args, kwargs=None, dynamic=None, extra=None):
    kwargs = kwargs or {}
    program = torch.export.export(module, args, kwargs, dynamic_shapes=dynamic, strict=False)
    path = FOLDER / f"{name}.pt2"
    torch.export.save(program, path, extra_files=extra)
    # Written again: without PyTorch's sample inputs, and small.
    with zipfile.ZipFile(path) as archive:
        entries = [(i, archive.read(i)) for i in archive.infolist() if "sample_inputs" not in i.filename]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, content in entries:
            archive.writestr(zipfile.ZipInfo(info.filename), content, zipfile.ZIP_DEFLATED)
    before = [(k, v.clone() if isinstance(v, torch.Tensor) else v) for k, v in flatten((args, kwargs))]
    inputs = []
    for keys, value in before:
        half, first, *rest = keys
        root = f"args[{first.idx}]" if half.idx == 0 else f"kwargs.{first.key}"
        inputs.append(leaf(path_of(rest, root), value, {}))
    # What shares memory is seen on the module itself: an exported program copies nothing either.
    given = [(e["path"], v) for e, (_, v) in zip(inputs, flatten((args, kwargs))) if isinstance(v, torch.Tensor)]
    result = module(*args, **kwargs)
    known = [("input", p, v) for p, v in given] + [("constant", n, b) for n, b in module.named_buffers()]
    outputs = []
    for keys, value in flatten(result):
        path_here, alias = path_of(keys, "output"), None
        if isinstance(value, torch.Tensor):
            same = [(k, p) for k, p, v in known if v.untyped_storage().data_ptr() == value.untyped_storage().data_ptr()]
            alias = dict([same[0]]) if same else None
            known.append(("output", path_here, value))
        outputs.append(leaf(path_here, value, {"alias_of": alias}))
    signature = program.module_call_graph[0].signature
    expected = {
        "in_tree": pytree.treespec_dumps(signature.in_spec),
        "out_tree": pytree.treespec_dumps(signature.out_spec),
        "metadata": extra or {},
        "inputs": inputs,
        "outputs": outputs,
    }
    (FOLDER / f"{name}.json").write_text(json.dumps(expected, indent=1) + "\n")


def main():
    torch.manual_seed(0)
    FOLDER.mkdir(exist_ok=True)
    t = torch.randn
    make(
        "plain",
        Plain(),
        ({"z": collections.deque([t(2)]), "x": t(2, 3)}, [collections.defaultdict(list, deep=(None, t(2, 3)))]),
        {"scale": 2.0, "mode": "relu", "mask": t(2, 3), "flag": False, "steps": 7},
        extra={"notes.txt": "made by a test\n\"quoted\", Ωmega", "config/labels.json": "[1, 2]"},
    )
    make("classes", Classes(), (Pair(t(2, 3), t(2, 3)), Settings(0.25, t(3, 4)), Cache(t(2), t(2, 5))))
    make("single", Single(), (t(2, 4),))
    rows, more = torch.export.Dim("rows", min=2, max=64), torch.export.Dim("more", min=2, max=64)
    make(
        "dynamic",
        Dynamic(),
        (t(5, 3), {"rows": t(4, 3), "queue": (t(2, 3),)}, 6),
        dynamic=({0: rows}, {"rows": {0: more}, "queue": (None,)}, torch.export.Dim.DYNAMIC),
    )
    make("mutated", Mutated(), ({"total": t(3)}, t(3)))


main()
