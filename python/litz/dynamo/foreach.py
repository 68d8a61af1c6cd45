"""Operators on lists of tensors, `aten._foreach_…`: each element by the operator on single tensors.

Deliberately absent: lists of different lengths, which PyTorch refuses before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..errors import refused

if TYPE_CHECKING:
    from .convert import Converter

__all__ = ["each", "is_foreach"]

aten = torch.ops.aten
_PREFIX = "aten::_foreach_"
#: Operators whose single form takes other arguments, by name and overload: functions of the arguments by their names.
_OTHERS = {
    "norm.Scalar": lambda self, ord=2, dtype=None: (aten.linalg_vector_norm.default, [self, ord, None, False], {"dtype": dtype}),
    "pow.ScalarAndTensor": lambda self, exponent: (aten.pow.Scalar, [self, exponent], {}),
    "copy.default": lambda self, src, non_blocking=False: (aten.copy.default, [self, src], {}),
}
#: Names of single operators: with a number or a tensor for all elements, and with a list.
_NAMES = {"maximum": ("clamp_min", "maximum"), "minimum": ("clamp_max", "minimum")}
_NAMES |= {"clamp_min": ("clamp_min", "maximum"), "clamp_max": ("clamp_max", "minimum")}
#: Overloads of single operators that an overload on lists may stand for, the best first.
_OVERLOADS = {"List": ("Tensor", "default"), "Scalar": ("Scalar", "Tensor_Scalar", "default")}
_OVERLOADS |= {"ScalarList": _OVERLOADS["Scalar"], "Tensor": ("Tensor", "default"), "default": ("default",)}


def is_foreach(target: Any) -> bool:
    return isinstance(target, torch._ops.OpOverload) and target._schema.name.startswith(_PREFIX)


def each(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    """Adds a single operator for each element, and returns their results."""
    args, kwargs = converter._arguments(node)
    names = [argument.name for argument in node.target._schema.arguments]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    lists = {name for name, value in given.items() if isinstance(value, list)}
    count = len(given[min(lists, key=names.index)])
    results = []
    for k in range(count):
        one = {name: value[k] if name in lists else value for name, value in given.items()}
        target, own, named = _single(node.target, one)
        found = converter.graph._call(str(target), *own, **{key: v for key, v in named.items() if v is not None})
        results.append(found[0])
    return tuple(results)


def _single(target: Any, given: dict[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
    """The operator on single tensors with its positional and keyword arguments."""
    name, overload = target._schema.name.removeprefix(_PREFIX), target._overloadname
    if (other := _OTHERS.get(f"{name}.{overload}")) is not None:
        return other(**given)
    if name in _NAMES:
        name = _NAMES[name][overload == "List"]
    packet = getattr(aten, name, None)
    for candidate in _OVERLOADS.get(overload, ()):
        if packet is not None and candidate in packet.overloads():
            single = getattr(packet, candidate)
            positional = [a for a in single._schema.arguments if not a.kwarg_only]
            named = [a.name for a in single._schema.arguments if a.kwarg_only]
            values = list(given.values())
            rest = values[len(positional) :]
            return single, values[: len(positional)], dict(zip(named, rest, strict=False))
    raise refused(f"{target}")
