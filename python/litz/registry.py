"""Operators and decompositions of the caller's own, as functions of Python, C or CUDA."""

from __future__ import annotations

from . import _native
from ._native import Value
from .texts import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from .graph import Graph

__all__ = ["Registry", "default_registry", "register_decomposition", "register_operator"]


class Registry(_native.Registry):
    """Operators and decompositions that graphs and compilations know where the option `registry` names them.

    What a compilation uses is what the registry holds when it begins.
    """

    __slots__ = ("__weakref__",)

    def register_operator(
        self,
        schema: str,
        *,
        meta: Callable[..., Any] | None = None,
        run: Callable[..., Any] | None = None,
        derivative: Callable[..., Any] | None = None,
        pointwise: str | None = None,
        sources: Mapping[str, tuple[str, str]] | None = None,
        effect: bool = False,
        deterministic: bool = False,
    ) -> Any:
        """Adds an operator by its schema as PyTorch writes it: `"mylib::scale(Tensor x, float by=2.0) -> Tensor"`.

        Functions get the schema's arguments by position, in its order.

        `meta(graph, *arguments)` gives the type of each result: a `Value` that has it, or a pair of dtype and sizes, which
        are ints or symbols of the graph. Tensors among the arguments are values with `dtype` and `shape`.

        One of the following computes, and with none of them the result is a decorator for `run`:

        - `run(*arguments)` gives the results as arrays in host memory. Tensors are `litz.Tensor`s, lent for the call without
          a copy: `numpy.from_dlpack(x)`. Those that the schema marks as written, `Tensor(a!)`, are written in place.
        - `pointwise` is one C expression of the arguments' names, for each element. It fuses, runs on every backend and in
          artifacts, and has a derivative; it needs no `meta`.
        - `sources` has, by backend (`"cpu"`, `"cuda"`), a pair of source and the name of a function in it; see
          `litz_registry_add_operator_source` of `litz.h`. It is compiled with the program's kernels and is part of artifacts.

        `derivative(graph, cotangents, *arguments)` adds nodes and gives a value or None for each tensor among the arguments.
        `effect` says that the operator is called for what it does besides its results. `deterministic` says that `run` and
        `sources` give the same bits at every run and number of threads: option `deterministic` refuses others.
        """
        if run is None and pointwise is None and not sources:

            def register(function: Callable[..., Any]) -> Callable[..., Any]:
                self.register_operator(
                    schema,
                    meta=meta,
                    run=function,
                    derivative=derivative,
                    effect=effect,
                    deterministic=deterministic,
                )
                return function

            return register
        functions = (
            meta and (lambda graph, given: _types(meta(graph, *given))),
            run and (lambda given, n: _several(run(*given), n)),
            derivative and (lambda graph, given, weights: _several(derivative(graph, tuple(weights), *given))),
            "!" in schema,
        )
        self._add_operator(schema, functions, pointwise, effect, deterministic)
        name = schema.partition("(")[0].strip()
        for backend, (source, function) in (sources or {}).items():
            self._add_source(name, backend, source, function)
        return None

    def register_decomposition(self, op: str, rule: Callable[..., Any]) -> None:
        """Replaces every node of a functional operator, such as `"aten.softplus"`, by the nodes that `rule` builds.

        `rule(graph, *arguments)` gets the schema's arguments by position and gives the results' values, or None to keep the node.
        """

        def build(graph: Graph, given: list[Any], n: int) -> tuple[Any, ...]:
            results = rule(graph, *given)
            return (None,) * n if results is None else _several(results, n)

        self._add_decomposition(op, build)

    def describe(self) -> dict[str, Any]:
        """What the registry holds."""
        return loads(self._describe())


def _several(results: Any, n: int | None = None) -> tuple[Any, ...]:
    """What a function gave, as a tuple of `n`."""
    listed = tuple(results) if isinstance(results, (tuple, list)) else (results,)
    if n == 0 and listed == (None,):
        return ()
    if n is not None and len(listed) != n:
        raise ValueError(f"the operator has {n} results, and the function gave {len(listed)}")
    return listed


def _types(given: Any) -> tuple[tuple[str, tuple[int | Value, ...]], ...]:
    is_one = isinstance(given, Value) or (isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str))
    return tuple(map(_type, (given,) if is_one else given or ()))


def _type(given: Value | tuple[str, Sequence[int | Value]]) -> tuple[str, tuple[int | Value, ...]]:
    if isinstance(given, Value):
        return given.dtype, given.shape
    dtype, shape = given
    return dtype, tuple(shape)


_default: list[Registry] = []


def default_registry() -> Registry:
    """The registry of everything that names no other: of `litz.compile`, of graphs, and of torch.compile."""
    if not _default:
        _default.append(Registry())
    return _default[0]


def register_operator(schema: str, **how: Any) -> Any:
    """Adds an operator to the registry that is used where no other is named; see `Registry.register_operator`.

    >>> litz.register_operator("mylib::hill(Tensor x, float width=1.0) -> Tensor", pointwise="x / (width + x * x)")
    """
    return default_registry().register_operator(schema, **how)


def register_decomposition(op: str, rule: Callable[..., Any]) -> None:
    """Adds a decomposition to the registry that is used where no other is named; see `Registry.register_decomposition`."""
    default_registry().register_decomposition(op, rule)
