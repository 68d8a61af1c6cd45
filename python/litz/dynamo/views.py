"""Results that are views of an argument or of another result.

PyTorch's wrappers make such a result anew from the size, strides and offset of what a program returns, so it has to be a view of
that very storage. Litz does not compute it: a call makes it with `as_strided`, from sizes and offsets that are numbers or
expressions of the arguments' sizes. A view of another dtype, and one whose place depends on data, is computed as any result is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import sympy
import torch
from torch.utils._sympy.printers import PythonPrinter

from ..errors import refused

#: Gives the value of a size symbol from a call's arguments.
Source = Callable[[Sequence[Any]], int]


class Place:
    """A view's size, strides and offset within what it views."""

    def __init__(self, value: torch.Tensor, base: torch.Tensor, sources: dict[sympy.Symbol, Source]) -> None:
        self._rank = value.dim()
        offset = value.storage_offset() - base.storage_offset()
        self._numbers = _numbers([*value.shape, *value.stride(), offset], sources)

    def view(self, base: torch.Tensor, args: Sequence[Any]) -> torch.Tensor:
        """The view of `base`, in a call with these arguments."""
        numbers, rank = self._numbers(args), self._rank
        return base.as_strided(numbers[:rank], numbers[rank:-1], base.storage_offset() + numbers[-1])


def place(value: torch.Tensor, base: torch.Tensor, sources: dict[sympy.Symbol, Source]) -> Place | None:
    """How `value` lies in `base`, where it is a view of it that a call can make."""
    same = value.dtype == base.dtype and value.is_conj() == base.is_conj() and value.is_neg() == base.is_neg()
    if not same or not share_storage(value, base):
        return None
    sizes = (*value.shape, *value.stride(), value.storage_offset(), base.storage_offset())
    symbols = {s for size in sizes if isinstance(size, torch.SymInt) for s in size.node.expr.free_symbols}
    return Place(value, base, sources) if symbols <= sources.keys() else None


def starts_elsewhere(value: torch.Tensor) -> bool:
    """Whether a tensor is at a place of its storage that PyTorch takes from what a program returns, and Litz's results lack."""
    sizes = (*value.shape, *value.stride(), value.storage_offset())
    offset = value.storage_offset()
    return any(isinstance(s, torch.SymInt) for s in sizes) and not (isinstance(offset, int) and offset == 0)


def share_storage(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two of PyTorch's fake tensors stand for views of one storage."""
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata


def from_own_start(node: torch.fx.Node, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """A node's arguments, where the offset of `as_strided` counts from the first element of the argument that is looked at. PyTorch
    counts from the storage's first element, and a program gets no elements in front of an argument's first."""
    if "as_strided" not in str(node.target):
        return args, kwargs
    k = [argument.name for argument in node.target._schema.arguments].index("storage_offset")
    of = node.args[0].meta["val"]
    owners = (n.meta.get("val") for n in node.graph.nodes if n.op == "placeholder")
    start = next((v.storage_offset() for v in owners if isinstance(v, torch.Tensor) and share_storage(v, of)), 0)
    given = args[k] if k < len(args) else kwargs.get("storage_offset")
    if given is None or isinstance(start, int) and start == 0:
        return args, kwargs
    if not isinstance(start, int) or not isinstance(given, int) or given < start:
        raise refused(f"{node.target} of an argument that begins at element {start} of its storage, from element {given} on")
    kwargs = {**kwargs, "storage_offset": given - start}
    return args[:k], kwargs


def is_whole(value: torch.Tensor) -> bool:
    """Whether a tensor starts where its storage does and fills it."""
    if not isinstance(value.storage_offset(), int) or value.storage_offset() != 0:
        return False
    have, need = value.untyped_storage().nbytes(), value.numel() * value.element_size()
    return _expression(have) == _expression(need)


def _expression(size: Any) -> Any:
    return sympy.expand(size.node.expr) if isinstance(size, torch.SymInt) else size


def source_of(k: int, dim: int | None) -> Source:
    """The value of a symbol that argument `k` is, or that is one of its dimensions."""
    return (lambda args: args[k]) if dim is None else (lambda args: args[k].shape[dim])


def source_within(whole: Source, rest: sympy.Expr, factor: int, sources: dict[sympy.Symbol, Source]) -> Source:
    """The value of a symbol `s` where a size is `factor * s + rest`."""
    other = _numbers([rest], sources)
    return lambda args: (whole(args) - other(args)[0]) // factor


def _numbers(sizes: list[Any], sources: dict[sympy.Symbol, Source]) -> Callable[[Sequence[Any]], tuple[int, ...]]:
    """A function from a call's arguments to the values of sizes."""
    expressions = [sympy.sympify(size.node.expr if isinstance(size, torch.SymInt) else size) for size in sizes]
    used = sorted({s for e in expressions for s in e.free_symbols}, key=str)
    if not used:
        fixed = tuple(map(int, expressions))
        return lambda _: fixed
    # The printer writes Python of integers: `//`, `%`, `max` and the like.
    text = f"lambda {', '.join(map(str, used))}: ({', '.join(map(PythonPrinter().doprint, expressions))},)"
    function = eval(text, {"math": math, "torch": torch})
    given = [sources[symbol] for symbol in used]
    return lambda args: function(*(source(args) for source in given))
