"""Operators that PyTorch calls for their effects, in the order of the program: `with_effects` around an operator, and `print`.

What `print` shows becomes outputs of the program. They are written when a run has ended, in the program's order, so a run that fails
writes nothing.

Deliberately absent: `print` in a graph that an operator runs, such as a loop's body. PyTorch's AOT autograd would drop it, so it is
refused before.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._higher_order_ops.effects import with_effects
from torch.utils import _pytree as pytree

from .. import _native
from ..errors import refused

if TYPE_CHECKING:
    from .convert import Converter

try:
    from torch._higher_order_ops.print import print as printing
except ImportError:
    # An older PyTorch has none.
    printing = None

__all__ = ["Line", "check", "effect", "is_token", "show"]


class Line:
    """What one call of `print` writes. Tensors and numbers of the program are outputs by number, once the graph is made."""

    def __init__(self, form: str, values: Any, metas: Any) -> None:
        self._form = form
        leaves, self._tree = pytree.tree_flatten(values)
        #: The values that become outputs, each with PyTorch's example of it.
        self.values = [(v, m) for v, m in zip(leaves, pytree.tree_leaves(metas), strict=True) if isinstance(v, _native.Value)]
        self._leaves = [None if isinstance(v, _native.Value) else (v,) for v in leaves]
        #: The numbers of their outputs.
        self.outputs: list[int] = []

    def text(self, outputs: Sequence[Any]) -> str:
        found = (outputs[k] for k in self.outputs)
        given = iter([o if isinstance(m, torch.Tensor) else o.item() for o, (_, m) in zip(found, self.values, strict=True)])
        args, kwargs = pytree.tree_unflatten([leaf[0] if leaf else next(given) for leaf in self._leaves], self._tree)
        return self._form.format(*args, **kwargs)


def show(lines: Sequence[Line], outputs: Sequence[Any]) -> None:
    """Writes the lines of a run."""
    for line in lines:
        builtins.print(line.text(outputs))


def check(module: torch.fx.GraphModule) -> None:
    """Refuses `print` in graphs inside of one of Dynamo's."""
    inner = (m for m in module.modules() if m is not module and isinstance(m, torch.fx.GraphModule))
    if printing is not None and any(node.target is printing for m in inner for node in m.graph.nodes):
        raise refused("higher_order.print in a graph that an operator runs")


def effect(target: Any) -> Callable[[Converter, torch.fx.Node], tuple[Any, ...]] | None:
    """The function that adds a node of this operator to a graph and returns its results. None: it is no such operator."""
    if target is with_effects:
        return _with_effects
    return _printed if printing is not None and target is printing else None


def _with_effects(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    """The token stands for nothing: nodes are added in the program's order, and so run in it."""
    _, target, *args = node.args
    if target is printing:
        _print(converter, node, args)
        return (None, None)
    if not isinstance(target, torch._ops.OpOverload):
        raise refused(f"{node.target} of {target}")
    given = [converter._argument(a, node) for a in args], {k: converter._argument(v, node) for k, v in node.kwargs.items()}
    return (None, *converter.graph._call(str(target), *given[0], **given[1]))


def is_token(node: torch.fx.Node) -> bool:
    """Whether an argument is a token, in whose place PyTorch passes None to a program."""
    return bool(node.users) and all(user.target is with_effects and user.args[0] is node for user in node.users)


def _printed(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    _print(converter, node, node.args)
    return ()


def _print(converter: Converter, node: torch.fx.Node, args: Sequence[Any]) -> None:
    form, *rest = args
    given = (tuple(rest), dict(node.kwargs))
    values = pytree.tree_map_only(torch.fx.Node, lambda a: converter._argument(a, node), given)
    metas = pytree.tree_map_only(torch.fx.Node, lambda a: a.meta["val"], given)
    converter.made.lines.append(Line(form, values, metas))
