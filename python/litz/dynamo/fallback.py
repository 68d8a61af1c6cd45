"""Graphs in which PyTorch runs the operators that Litz refuses.

The graph is cut where such operators stand. Each stretch between them is a Litz program; the cuts are told by the log and
counted, so that nobody takes the result for a compiled graph.
"""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.utils import counters
from torch.fx.passes.split_module import split_module

from ..errors import Unsupported
from .convert import Converter

log = logging.getLogger("litz")


def _kept(node: torch.fx.Node, name: str | None) -> bool:
    return name is not None and str(node.target) in (name, f"{name}.default")


def compile_in_parts(gm: torch.fx.GraphModule, error: Unsupported, compile: Callable[[torch.fx.GraphModule], Any]) -> Any:
    """Compiles what Litz takes of a graph. `error` is why the whole of it was refused."""
    refused = _refused(gm, error)
    while True:
        parts = _Parts(gm, refused)
        try:
            return parts.compile(compile)
        except Unsupported as other:
            # A stage behind the graph's construction refused an operator: it goes to PyTorch, too.
            more = {n: other for n in gm.graph.nodes if _kept(n, _operator(other)) and n not in refused}
            if not more:
                raise
            refused |= more


def _operator(error: Unsupported) -> str | None:
    name = error.detail.get("operator")
    return name if isinstance(name, str) else None


def _refused(gm: torch.fx.GraphModule, error: Unsupported) -> dict[torch.fx.Node, Unsupported]:
    """The nodes that are refused when the graph is built, or those that the error names."""
    converter = Converter(gm, "fallback")
    converter.refused = {}
    converter.run()
    if converter.refused:
        return converter.refused
    named = {n: error for n in gm.graph.nodes if _kept(n, _operator(error))}
    if not named:
        raise error
    return named


def _name(node: torch.fx.Node) -> str:
    """The operator's name; of one that PyTorch made functional, its own."""
    made_functional = isinstance(node.target, torch._ops.HigherOrderOperator) and "auto_functionalized" in node.target.name()
    return str(node.args[0] if made_functional else node.target)


class _Parts:
    """A graph cut at the refused nodes. Called with a list of its arguments, which is emptied."""

    def __init__(self, gm: torch.fx.GraphModule, refused: dict[torch.fx.Node, Unsupported]) -> None:
        self._boxed_call = True
        self._refused = refused
        part, place = 0, {}
        for node in gm.graph.nodes:
            if node.op in ("placeholder", "output"):
                continue
            if node in refused:
                place[node], part = part + 1, part + 2
            elif node.target is operator.getitem and node.args[0] in refused:
                # Only tensors and numbers go from part to part.
                place[node] = place[node.args[0]]
            else:
                place[node] = part
        # What PyTorch runs has odd numbers.
        self._split = split_module(gm, gm, lambda node: place.get(node, 0), keep_original_order=True)

    def compile(self, compile: Callable[[torch.fx.GraphModule], Any]) -> _Parts:
        """Compiles the parts that are Litz's."""
        for name, inner in list(self._split.named_children()):
            if int(name.rpartition("_")[2]) % 2 == 0:
                setattr(self._split, name, _Module(compile(inner)))
        for node, error in self._refused.items():
            counters["litz"][f"fallback {_name(node)}"] += 1
            log.warning("PyTorch runs %s (%s): %s", _name(node), node.name, error)
        return self

    def __call__(self, args: list[Any]) -> Any:
        given = list(args)
        args.clear()
        with torch.no_grad():
            return self._split(*given)


class _Module(torch.nn.Module):
    """A program in the place of a part."""

    def __init__(self, program: Any) -> None:
        super().__init__()
        self._program = program

    def forward(self, *args: Any) -> Any:
        results = self._program(list(args))
        return results[0] if self._program.single else results
