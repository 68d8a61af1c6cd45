"""Sizes of PyTorch's shape environment as symbols and numbers of a graph.

A symbol that is a whole dimension of an input becomes a symbol of the graph, with its range. One that a dimension shows together with
known ones, as `s1` in `s0 + 3*s1`, is computed from that dimension. Other expressions are computed from symbols.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._sympy.numbers import int_oo

from .. import _native
from ..errors import refused
from ..graph import Graph, describe_value
from .views import Source, source_of, source_within

__all__ = ["Sizes", "range_of"]

#: Functions of PyTorch's expressions, and operators that fold their arguments from the left.
_FUNCTIONS = {
    "Add": "sym.add", "Mul": "sym.mul", "Max": "sym.max", "Min": "sym.min", "Abs": "sym.abs", "Where": "sym.ite",
    "FloorDiv": "sym.floordiv", "CleanDiv": "sym.floordiv", "Mod": "sym.mod", "PythonMod": "sym.mod",
    "IntTrueDiv": "sym.truediv", "FloatTrueDiv": "sym.truediv", "PowByNatural": "sym.pow", "FloatPow": "sym.pow",
    "ToFloat": "sym.float", "TruncToInt": "sym.trunc", "FloorToInt": "sym.floor", "CeilToInt": "sym.ceil", "RoundToInt": "sym.round",
    "Equality": "sym.eq", "Unequality": "sym.ne", "StrictLessThan": "sym.lt", "LessThan": "sym.le",
    "StrictGreaterThan": "sym.gt", "GreaterThan": "sym.ge", "And": "sym.and", "Or": "sym.or", "Not": "sym.not",
}  # fmt: skip
_FOLDED = {"Add", "Mul", "Max", "Min", "And", "Or"}
#: The prefix of the names of unary functions such as `sqrt` and `log`.
_NAMED = "OpaqueUnaryFn_"


class Sizes:
    """The sizes that one graph knows. `outer` are those of the graph around it."""

    def __init__(self, graph: Graph, outer: Sizes | None = None) -> None:
        self._graph = graph
        self._outer = outer
        #: The number of graphs around this one.
        self._depth: int = 0 if outer is None else outer._depth + 1
        self.symbols: dict[sympy.Symbol, Any] = {}
        #: Sizes of inputs that are symbols of the graph, though they are expressions to PyTorch.
        self._dimensions: dict[sympy.Expr, Any] = {}
        #: How a call finds the value of a symbol.
        self.sources: dict[sympy.Symbol, Source] = {}

    def declare(self, values: Iterable[Any]) -> list[tuple[torch.SymInt, Source]]:
        """Declares the symbols that are dimensions of these arguments. Returns all their symbolic dimensions, for
        `declare_expression`."""
        dimensions = [
            (size, source_of(k, dim))
            for k, value in enumerate(values)
            if isinstance(value, torch.Tensor)
            for dim, size in enumerate(value.shape)
            if isinstance(size, torch.SymInt)
        ]
        for size, source in dimensions:
            if size.node.expr.is_Symbol and size.node.expr not in self.symbols:
                self.symbols[size.node.expr] = self._symbol(size)
                self.sources[size.node.expr] = source
        return dimensions

    def declare_expression(self, size: torch.SymInt, source: Source) -> None:
        """A size that alone shows a symbol, as `s0 + 3*s1` does where `s1` is known: the symbol is computed from the size."""
        expression = size.node.expr
        hidden = [s for s in expression.free_symbols if s not in self.symbols]
        if len(hidden) != 1 or expression in self._dimensions:
            return
        factor = sympy.expand(expression).coeff(hidden[0])
        rest = sympy.expand(expression - factor * hidden[0])
        if not factor.is_Integer or factor == 0 or hidden[0] in rest.free_symbols:
            return
        whole = self._dimensions[expression] = self._symbol(size)
        self.sources[hidden[0]] = source_within(source, rest, int(factor), self.sources)
        left = self._graph.call("sym.sub", whole, self.expression(rest))
        self.symbols[hidden[0]] = left if factor == 1 else self._graph.call("sym.floordiv", left, int(factor))

    def learn(self, size: Any, value: Any) -> None:
        """Takes a value for a symbol that is not known yet: sizes of later tensors may be this symbol."""
        if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
            self.symbols.setdefault(size.node.expr, value)

    def of(self, size: Any) -> Any:
        """A size of PyTorch's as a number or a value of the graph."""
        return self.expression(size.node.expr) if isinstance(size, torch.SymInt) else size

    def expression(self, expression: sympy.Expr) -> Any:
        """A symbolic size as a number or a value of the graph."""
        if expression.is_Integer:
            return int(expression)
        if expression.is_Float:
            return float(expression)
        if expression in (sympy.true, sympy.false):
            return bool(expression)
        if expression in self.symbols:
            return self.symbols[expression]
        if expression in self._dimensions:
            return self._dimensions[expression]
        name = type(expression).__name__
        if name == "Pow" and expression.args[1].is_Integer and 0 < int(expression.args[1]) < 8:
            return self._folded("sym.mul", [self.expression(expression.args[0])] * int(expression.args[1]))
        operator = f"sym.{name.removeprefix(_NAMED)}" if name.startswith(_NAMED) else _FUNCTIONS.get(name)
        if operator is None:
            raise refused(f"a size that is {expression}")
        parts = [self.expression(part) for part in expression.args]
        return self._folded(operator, parts) if name in _FOLDED else self._graph.call(operator, *parts)

    def _folded(self, operator: str, parts: list[Any]) -> Any:
        """`a + b + c` and the like, from the left."""
        return functools.reduce(lambda a, b: self._graph.call(operator, a, b), parts)

    def _symbol(self, size: torch.SymInt) -> Any:
        hint = size.node.hint if size.node.has_hint() else None
        expression = size.node.expr
        name = str(expression) if expression.is_Symbol else f"size{len(self._dimensions)}"
        return self._graph.symbol(self._name_inside(name, expression), *range_of(size), hint)

    def _name_inside(self, name: str, expression: sympy.Expr) -> str:
        """A symbol's name. Graphs that an operator runs share symbols with the graph around them by name."""
        if self._outer is None:
            return name
        found = self._outer.symbols.get(expression, self._outer._dimensions.get(expression))
        known = describe_value(found).get("symbol", "") if isinstance(found, _native.Value) else ""
        return known if known.isidentifier() else f"inner{self._depth}_{name}"


def range_of(size: torch.SymInt) -> tuple[int, int | None]:
    """The least and the largest value of a size; None: no largest is known."""
    environment: ShapeEnv = size.node.shape_env
    bounds = environment.bound_sympy(size.node.expr)
    if bounds is None:
        # The length of a ragged dimension, which PyTorch compares with itself alone.
        return 0, None
    least = 0 if bounds.lower in (-int_oo, -sympy.oo) else int(bounds.lower)
    most = None if bounds.upper in (int_oo, sympy.oo) or int(bounds.upper) >= 1 << 62 else int(bounds.upper)
    return least, most
