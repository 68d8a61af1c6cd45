"""Dynamo's graphs of inference as graphs of ATen operators, in one pass.

AOT autograd runs such a graph on fake tensors twice: first to learn what it writes to and what its results are views of, then to trace it. Many
graphs write to no argument and return no views. One run shows that, and records the graph. Calls then need no wrappers.

Composite operators are recorded whole, since Litz has rows for them.

Deliberately absent: gradients, sizes that are symbols, writes, results that share memory, subgraphs. AOT autograd takes those.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode

from .program import log

__all__ = ["recorded", "runner"]


def recorded(gm: torch.fx.GraphModule) -> torch.fx.GraphModule | None:
    """The graph as ATen operators on the same arguments; None if it needs AOT autograd."""
    if not all(map(_is_plain, gm.graph.nodes)):
        return None
    try:
        return _record(gm)
    except _Unsuited as reason:
        log.debug("AOT autograd captures the graph: %s", reason)
    except Exception as error:
        # AOT autograd may succeed where this run fails; if not, it says what is wrong.
        log.debug("AOT autograd captures the graph after %s: %s", type(error).__name__, error)
    return None


#: Tags of operators whose results are numbers, or have sizes, that depend on data.
_OF_DATA = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}


class _Unsuited(Exception):
    """The graph needs AOT autograd."""


def _is_plain(node: torch.fx.Node) -> bool:
    match node.op:
        case "placeholder":
            value = node.meta.get("example_value")
            fixed = type(value) is FakeTensor and not _has_symbols(value)
            return fixed and not value.is_complex() and not value.is_neg() and value.layout == torch.strided
        case "call_function":
            return not isinstance(node.target, torch._ops.HigherOrderOperator)
        case op:
            return op in ("call_method", "output")


def _has_symbols(value: torch.Tensor) -> bool:
    return any(isinstance(s, torch.SymInt) for s in (*value.shape, *value.stride(), value.storage_offset()))


def _record(gm: torch.fx.GraphModule) -> torch.fx.GraphModule:
    recorder = _Recorder()
    values: dict[torch.fx.Node, Any] = {}
    results: Any = ()
    modes = [n.meta["example_value"].fake_mode for n in gm.graph.nodes if n.op == "placeholder"]
    if not modes:
        raise _Unsuited("it has no tensor among its arguments")
    environment = modes[0].shape_env
    # An unbacked symbol would be left over for AOT autograd's run.
    leaves_no_symbols = contextlib.nullcontext() if environment is None else environment.ignore_fresh_unbacked_symbols()
    # Below autograd, composite operators are not taken apart.
    whole = torch._C._AutoDispatchBelowAutograd()
    with torch.set_grad_enabled(torch.is_grad_enabled()), leaves_no_symbols, modes[0], recorder, whole:
        for node in gm.graph.nodes:
            if node.op == "placeholder":
                values[node] = node.meta["example_value"]
                recorder.argument(node, values[node])
                continue
            args = torch.fx.map_arg(node.args, values.__getitem__)
            kwargs = torch.fx.map_arg(node.kwargs, values.__getitem__)
            if node.op == "output":
                (results,) = args
            elif node.op == "call_method":
                values[node] = getattr(args[0], str(node.target))(*args[1:], **kwargs)
            else:
                values[node] = node.target(*args, **kwargs)
    return recorder.finished(gm, results)


class _Recorder(TorchDispatchMode):
    """Records the calls of operators as an FX graph."""

    def __init__(self) -> None:
        super().__init__()
        self.graph = torch.fx.Graph()
        #: Tensors by id, each with the node that gives it. Tensors are kept here, so that ids stay unique.
        self.nodes: dict[int, tuple[torch.Tensor, torch.fx.Node]] = {}
        self.arguments: set[int] = set()

    def argument(self, node: torch.fx.Node, value: torch.Tensor) -> None:
        own = self.graph.placeholder(str(node.target))
        own.meta["val"] = value
        self.nodes[id(value)] = (value, own)
        self.arguments.add(_storage(value))

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not isinstance(function, torch._ops.OpOverload):
            raise _Unsuited(f"it calls {function}")
        if not _OF_DATA.isdisjoint(function.tags):
            raise _Unsuited(f"the result of {function} depends on data")
        if function is torch.ops.aten.scaled_dot_product_attention.default and _drops_out(args, kwargs):
            raise _Unsuited("it has attention with dropout")
        if any(a.alias_info is not None and a.alias_info.is_write for a in function._schema.arguments):
            self._check_writes(function, args, kwargs)
        result = function(*args, **kwargs)
        if isinstance(result, (bool, int, float, torch.device, torch.dtype, torch.layout)):
            # A property of a tensor, which is fixed without symbols.
            return result
        node = self.graph.call_function(function, self._given(args), self._given(kwargs))
        node.meta["val"] = result
        if isinstance(result, torch.Tensor):
            self._gives(result, node)
        elif isinstance(result, (tuple, list)):
            for k, part in enumerate(result):
                if isinstance(part, torch.Tensor):
                    picked = self.graph.call_function(operator.getitem, (node, k))
                    picked.meta["val"] = part
                    self._gives(part, picked)
        elif result is not None:
            raise _Unsuited(f"{function} gives a number")
        return result

    def _gives(self, value: torch.Tensor, node: torch.fx.Node) -> None:
        if _has_symbols(value):
            raise _Unsuited(f"{node.target} gives a tensor of a symbolic size")
        self.nodes[id(value)] = (value, node)

    def _check_writes(self, function: Any, args: Any, kwargs: Any) -> None:
        schema = function._schema
        given = {a.name: value for a, value in zip(schema.arguments, args, strict=False)} | kwargs
        for argument in schema.arguments:
            if argument.alias_info is not None and argument.alias_info.is_write:
                for value in _tensors(given.get(argument.name)):
                    if _storage(value) in self.arguments:
                        raise _Unsuited(f"{function} writes to an argument")

    def _given(self, value: Any) -> Any:
        match value:
            case torch.Tensor():
                if id(value) not in self.nodes:
                    raise _Unsuited("it reads a tensor that is no argument")
                return self.nodes[id(value)][1]
            case tuple() | list():
                return type(value)(map(self._given, value)) if type(value) in (tuple, list) else tuple(map(self._given, value))
            case dict():
                return {key: self._given(part) for key, part in value.items()}
            case torch.SymInt() | torch.SymFloat() | torch.SymBool():
                raise _Unsuited("it computes with a symbolic size")
            case _:
                return value

    def finished(self, gm: torch.fx.GraphModule, results: Any) -> torch.fx.GraphModule:
        """The graph, if no result shares memory with an argument or with another one."""
        listed = results if isinstance(results, (tuple, list)) else (results,)
        seen = set(self.arguments)
        for result in listed:
            if not isinstance(result, torch.Tensor):
                raise _Unsuited("a result is no tensor")
            if _storage(result) in seen:
                raise _Unsuited("results share memory")
            seen.add(_storage(result))
        self.graph.output(self._given(results))
        return torch.fx.GraphModule(gm, self.graph)


def _storage(value: torch.Tensor) -> int:
    return value.untyped_storage()._cdata


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _tensors(part)


def _drops_out(args: Any, kwargs: dict[str, Any]) -> bool:
    return (args[4] if len(args) > 4 else kwargs.get("dropout_p", 0.0)) != 0.0


def runner(program: Callable[[list[Any]], list[Any]]) -> Callable[..., Any]:
    """What Dynamo's code calls."""

    def run(*args: Any) -> Any:
        return program(list(args))

    return torch._dynamo.disable(run, reason="Litz runs the graph")
