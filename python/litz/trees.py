"""Trees of arguments and results: what an executable's signature says, as functions that take a call apart and put its
value together.

A signature has PyTorch's serialised trees and a list of leaves. Containers of Python are known here. Other types are those
that PyTorch knows in this process, and those of `register_tree_type`.
"""

from __future__ import annotations

import collections
import importlib
import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["register_tree_type"]

_registered: dict[str, tuple[Callable[[Any], Any], Callable[[list[Any], Any], Any]]] = {}


def register_tree_type(
    name: str, flatten: Callable[[Any], Any], unflatten: Callable[[list[Any], Any], Any]
) -> None:
    """Makes a type of trees known by the name under which the exported program has it (`serialized_type_name`).

    `flatten(value)` gives the children in order, and `unflatten(children, context)` a value; `context` is what the
    program's tree says beside the name. Types that PyTorch knows in this process need no registration.
    """
    _registered[name] = flatten, unflatten


class _Node:
    """A container of a tree, or a leaf where `type` is None."""

    __slots__ = ("absent", "children", "context", "keys", "type")

    def __init__(self, tree: dict[str, Any]) -> None:
        self.type: str | None = tree["type"]
        self.context = tree["context"]
        self.children = [_Node(c) for c in tree["children_spec"]]
        self.keys: list[Any] | None = None
        if self.type in ("builtins.dict", "collections.OrderedDict"):
            self.keys = self._decoded()
        elif self.type == "collections.defaultdict":
            self.keys = self._decoded()["dict_context"]
        # How many fields of a dataclass are None.
        self.absent = self._absent() if self.type is not None and self.keys is None else 0

    def _decoded(self) -> Any:
        return json.loads(self.context) if isinstance(self.context, str) else self.context

    def _absent(self) -> int:
        try:
            held, none = self._decoded()
        except (TypeError, ValueError):
            return 0
        if not isinstance(held, list) or not isinstance(none, list) or len(held) != len(self.children):
            return 0
        return len(none)

    # What is said of a value that does not fit.
    def _refuse(self, value: Any, path: str) -> TypeError:
        return TypeError(f"{path}: a {self.type} with {len(self.children)} items is asked, not {_short(value)}")

    def places(self) -> list[bool]:
        """For each leaf of the signature whether the tree has it: fields of dataclasses that are None are the signature's alone."""
        if self.type is None:
            return [True]
        own = [place for c in self.children for place in c.places()]
        return own + [False] * self.absent

    def flatten(self, value: Any, path: str, out: list[Any]) -> None:
        if self.type is None:
            out.append(value)
            return
        if self.keys is not None:
            if not isinstance(value, dict) or len(value) != len(self.keys) or any(k not in value for k in self.keys):
                given = f"one with {list(value)}" if isinstance(value, dict) else _short(value)
                raise TypeError(f"{path}: a dict with the keys {self.keys} is asked, not {given}")
            for key, child in zip(self.keys, self.children, strict=True):
                child.flatten(value[key], f"{path}[{key!r}]", out)
            return
        children = self._children_of(value, path)
        if len(children) != len(self.children):
            raise self._refuse(value, path)
        for k, (item, child) in enumerate(zip(children, self.children, strict=True)):
            child.flatten(item, f"{path}[{k}]", out)

    def _children_of(self, value: Any, path: str) -> list[Any]:
        kinds = {
            "builtins.tuple": tuple,
            "builtins.list": list,
            "collections.deque": collections.deque,
            "collections.namedtuple": tuple,
        }
        if self.type in kinds:
            if not isinstance(value, kinds[self.type]) or hasattr(value, "_fields") != (
                self.type == "collections.namedtuple"
            ):
                raise self._refuse(value, path)
            return list(value)
        if self.type in _registered:
            return list(_registered[self.type][0](value))
        known = _torch_type(self.type)
        if known is None:
            raise self._unknown(path)
        python_type, definition, _ = known
        if not isinstance(value, python_type):
            raise self._refuse(value, path)
        return list(definition.flatten_fn(value)[0])

    def _unknown(self, path: str) -> TypeError:
        return TypeError(f"{path}: the type {self.type} is not known here; see litz.register_tree_type")

    def unflatten(self, leaves: Iterator[tuple[str, Any]]) -> Any:
        if self.type is None:
            return next(leaves)[1]
        if self.type == "collections.namedtuple":
            return self._named_tuple(leaves)
        children = [c.unflatten(leaves) for c in self.children]
        if self.keys is not None:
            pairs = zip(self.keys, children, strict=True)
            if self.type == "collections.OrderedDict":
                return collections.OrderedDict(pairs)
            if self.type == "collections.defaultdict":
                made = self._decoded()
                factory = importlib.import_module(made["default_factory_module"])
                return collections.defaultdict(getattr(factory, made["default_factory_name"]), pairs)
            return dict(pairs)
        if self.type == "builtins.tuple":
            return tuple(children)
        if self.type == "builtins.list":
            return children
        if self.type == "collections.deque":
            return collections.deque(children)
        if self.type in _registered:
            return _registered[self.type][1](children, self._decoded())
        known = _torch_type(self.type)
        if known is None:
            raise self._unknown("output")
        return known[1].unflatten_fn(children, known[2](self.context))

    def _named_tuple(self, leaves: Iterator[tuple[str, Any]]) -> Any:
        name = self.context if isinstance(self.context, str) else ""
        if name in _registered:
            return _registered[name][1]([c.unflatten(leaves) for c in self.children], None)
        known = _torch_named_tuple(name)
        if known is not None:
            return known(*(c.unflatten(leaves) for c in self.children))
        # The program knows the fields by the paths of what stands in them.
        fields, children = [], []
        for child in self.children:
            seen: list[str] = []
            children.append(child.unflatten(_recording(leaves, seen)))
            fields.append(seen[0] if seen else "")
        names = [_field(f, fields, k) for k, f in enumerate(fields)]
        return collections.namedtuple(name.rpartition(".")[2] or "Result", names, rename=True)(*children)


def _recording(leaves: Iterator[tuple[str, Any]], seen: list[str]) -> Iterator[tuple[str, Any]]:
    for path, value in leaves:
        seen.append(path)
        yield path, value


def _field(path: str, paths: list[str], k: int) -> str:
    """The part of the path behind what all fields' paths begin with."""
    common = path
    for other in paths:
        while not other.startswith(common):
            common = common[:-1]
    rest = path[common.rfind(".") + 1 :] if len(paths) > 1 else path[path.rfind(".") + 1 :]
    name = "".join(c if c.isidentifier() or c.isdigit() else " " for c in rest).split()
    return name[0] if name else f"field{k}"


def _torch_pytree() -> Any:
    """PyTorch's module of trees, where the process has it already."""
    return sys.modules.get("torch.utils._pytree")


def _torch_type(name: str) -> tuple[type, Any, Callable[[Any], Any]] | None:
    pytree = _torch_pytree()
    python_type = pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE.get(name) if pytree else None
    if python_type is None:
        return None
    loads = pytree.SUPPORTED_SERIALIZED_TYPES[python_type].from_dumpable_context or json.loads
    return python_type, pytree.SUPPORTED_NODES[python_type], loads


def _torch_named_tuple(name: str) -> Any:
    pytree = _torch_pytree()
    return pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE.get(name) if pytree else None


def _short(value: Any) -> str:
    text = repr(value) if isinstance(value, (int, float, str, bool, type(None))) else f"a {type(value).__name__}"
    return text if len(text) < 80 else text[:77] + "..."


def binder(spec: dict[str, Any]) -> tuple[Any, Any, str]:
    """What `Executable._bind` takes: how calls become inputs, how results become a value, and the results' form.

    None stands where calls and results are flat lists of tensors already, which no Python code has to look at.
    """
    return (*_arguments(spec), *_results(spec))


def _arguments(spec: dict[str, Any]) -> tuple[Any]:
    leaves = spec["inputs"]
    tree = _tree(spec.get("in_tree"))
    if tree is None:
        return (_by_name(leaves),)
    positional, keyword = tree.children
    flat = not keyword.children and all(c.type is None for c in positional.children)
    if flat and all(leaf["kind"] in ("tensor", "scalar") for leaf in leaves):
        return (None,)
    n, keys = len(positional.children), keyword.keys or []
    held = _held(leaves, tree)

    def flatten(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        if len(args) != n or len(kwargs) != len(keys) or any(k not in kwargs for k in keys):
            asked = f"{n} positional arguments" + (f" and the keywords {', '.join(keys)}" if keys else "")
            raise TypeError(f"{asked} are asked, not {len(args)} and {', '.join(kwargs) or 'none'}")
        values: list[Any] = []
        for k, (value, child) in enumerate(zip(args, positional.children, strict=True)):
            child.flatten(value, f"args[{k}]", values)
        for key, child in zip(keys, keyword.children, strict=True):
            child.flatten(kwargs[key], f"kwargs.{key}", values)
        return tuple(v for v, leaf in zip(values, held, strict=True) if _is_input(v, leaf))

    return (flatten,)


def _held(leaves: list[dict[str, Any]], tree: _Node) -> list[dict[str, Any]]:
    """The leaves that a tree has."""
    places = tree.places()
    if sum(places) == len(leaves):
        return leaves
    if len(places) != len(leaves):
        raise TypeError(f"the program's tree has {sum(places)} leaves, and its signature {len(leaves)}")
    return [leaf for leaf, place in zip(leaves, places, strict=True) if place]


def _is_input(value: Any, leaf: dict[str, Any]) -> bool:
    """Whether a leaf is an input of the program; one that is not must be what the export fixed."""
    if leaf["kind"] in ("tensor", "scalar"):
        if value is None and not leaf.get("optional"):
            raise TypeError(f"{leaf['path']}: a tensor is asked, not None")
        return True
    expected = leaf.get("value")
    if value is expected or (type(value) is type(expected) and value == expected):
        return False
    if isinstance(value, float) and isinstance(expected, float) and value != value and expected != expected:
        return False
    raise ValueError(f"{leaf['path']}: the program was exported for {_short(expected)}, not {_short(value)}")


def _by_name(leaves: list[dict[str, Any]]) -> Any:
    """For graphs without a tree: inputs by their places, and by their names as keywords."""
    inputs = [leaf for leaf in leaves if leaf["kind"] in ("tensor", "scalar")]
    names = [leaf.get("name", "") for leaf in inputs]

    def flatten(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        if not kwargs:
            return args
        rest = names[len(args) :]
        if sorted(rest) != sorted(kwargs):
            raise TypeError(f"the inputs {', '.join(rest)} are asked by name, not {', '.join(kwargs)}")
        return (*args, *(kwargs[name] for name in rest))

    return flatten


def _results(spec: dict[str, Any]) -> tuple[Any, str]:
    leaves = spec["outputs"]
    tree = _tree(spec.get("out_tree"))
    tensors = all(leaf["kind"] in ("tensor", "scalar") for leaf in leaves)
    if tree is None:
        return None, "single" if len(leaves) == 1 and tensors else "tuple"
    if tensors and all(leaf["kind"] == "tensor" for leaf in leaves):
        if tree.type is None:
            return None, "single"
        if tree.type in ("builtins.tuple", "builtins.list") and all(c.type is None for c in tree.children):
            return None, tree.type.removeprefix("builtins.")

    shown = _held(leaves, tree)

    def unflatten(results: tuple[Any, ...]) -> Any:
        place = iter(results)
        values = []
        for leaf in shown:
            if leaf["kind"] == "tensor":
                values.append((leaf["path"], next(place)))
            elif leaf["kind"] == "scalar":
                values.append((leaf["path"], _number(next(place))))
            else:
                values.append((leaf["path"], leaf.get("value")))
        return tree.unflatten(iter(values))

    return unflatten, "tree"


def _number(array: Any) -> Any:
    """The number of a result without dimensions."""
    if hasattr(array, "item"):
        return array.item()
    from .tensors import to_list

    return to_list(array)


def _tree(serialised: Any) -> _Node | None:
    if serialised is None:
        return None
    if isinstance(serialised, str):
        serialised = json.loads(serialised)
    return _Node(serialised[1])
