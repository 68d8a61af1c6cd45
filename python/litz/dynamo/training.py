"""Litz's own differentiation and partition, by `options={"differentiate": "litz"}`.

PyTorch's AOT autograd makes a functional forward alone. Litz differentiates it, divides it into a forward and a backward, and both run
behind one `torch.autograd.Function`.

Deliberately absent: results that are views of arguments or of other results and need a gradient, a second backward of one forward,
gradients of gradients, and gradients that Python decides: those of `torch.autograd.Function`, of hooks, and where `torch.no_grad` cuts them
off. They are errors; PyTorch's own differentiation has them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.utils import counters

from ..errors import refused
from ..options import options as make_options
from ..training import Training
from .convert import Converter
from .effects import is_token, show
from .program import _listeners, log
from .results import Converted

__all__ = ["compile_training", "needs_gradients", "settle_gradients"]

#: Functions in Dynamo's graphs that decide gradients, by name. A forward does not show what they do.
_DECIDES = {
    "autograd_function_apply": "torch.autograd.Function, whose backward is its own",
    "register_hook": "a tensor with a hook",
}


def needs_gradients(example_inputs: list[Any]) -> bool:
    """Whether a call with such inputs is one that gradients flow through."""
    tensors = (t for t in example_inputs if isinstance(t, torch.Tensor))
    return torch.is_grad_enabled() and any(t.requires_grad for t in tensors)


def settle_gradients(module: torch.fx.GraphModule) -> None:
    """Refuses a graph of Dynamo's whose gradients its forward does not show. Parts under `torch.no_grad` that nothing with a gradient
    comes into need no mark, and lose it: AOT autograd would differentiate what follows them."""
    for part in module.modules():
        if not isinstance(part, torch.fx.GraphModule):
            continue
        enabled, switches = True, []
        for node in part.graph.nodes:
            name = getattr(node.target, "__name__", "") if node.op == "call_function" else ""
            if name in _DECIDES:
                raise refused(f"Litz's own differentiation of {_DECIDES[name]}")
            if name == "_set_grad_enabled":
                enabled = node.args[0]
                switches.append(node)
            elif not enabled and any(map(_has_gradient, node.all_input_nodes)) and _is_float(node):
                raise refused("Litz's own differentiation of a graph that turns gradients off in a part")
        for node in switches:
            part.graph.erase_node(node)
        if switches:
            part.recompile()


def _has_gradient(node: torch.fx.Node) -> bool:
    value = node.meta.get("example_value")
    return isinstance(value, torch.Tensor) and value.requires_grad


def _is_float(node: torch.fx.Node) -> bool:
    """Whether a gradient could flow through what the node gives."""
    value = node.meta.get("example_value")
    return not isinstance(value, torch.Tensor) or value.is_floating_point() or value.is_complex()


def compile_training(
    make: Callable[[Callable[..., Any]], Callable[..., Any]], example_inputs: list[Any], options: dict[str, Any]
) -> Callable[..., Any]:
    """Compiles a forward and its backward. `make` lets AOT autograd compile the forward by a compiler of FX graphs."""
    found: list[_Forward] = []

    def compiler(gm: torch.fx.GraphModule, _: list[Any]) -> _Forward:
        found.append(_Forward(gm, options))
        return found[-1]

    with torch.no_grad():
        inner = make(compiler)
    if len(found) != 1 or found[0].n_arguments != len(example_inputs):
        raise refused("Litz's own differentiation of arguments that share memory and are written to")
    forward = found[0]

    def run(*args: Any) -> Any:
        return _Step.apply(forward, inner, *args)

    return run


class _Forward:
    """A compiled training program in the place of an FX graph. Called with a list of its arguments, which is emptied."""

    def __init__(self, gm: torch.fx.GraphModule, options: dict[str, Any]) -> None:
        self._boxed_call = True
        made: Converted = Converter(gm, "forward").run()
        placeholders = [node for node in gm.graph.nodes if node.op == "placeholder"]
        #: Tokens come first, among arguments and results. PyTorch adds and drops them.
        self.n_tokens = sum(map(is_token, placeholders))
        self.n_arguments = len(placeholders) - self.n_tokens
        self._inputs = made.inputs
        self._results = made.results
        self._lines = made.lines
        self._n_outputs = len(made.graph.describe()["outputs"])
        if made.single or made.numbers or any(kind == "view" for kind, _ in made.results):
            raise refused("Litz's own differentiation where results are views of others, or numbers")
        if any(n.meta["val"].device.type == "cuda" for n in gm.graph.nodes if isinstance(n.meta.get("val"), torch.Tensor)):
            options = {"backend": "cuda", "run.host_tensors": "copy"} | options
        self._training = Training.of(made.graph, make_options(options, **_listeners()))
        # Operators that may draw do not always: with a dropout of 0 PyTorch's generator is left alone.
        self._random = made.random and self._training.describe()["forward"]["random"]
        names = {i["name"]: k for i, k in zip(self._training_inputs(made), made.inputs, strict=True)}
        #: The argument that each gradient is of, without tokens.
        self.gradients = [names[name] - self.n_tokens for name in self._training.gradients]
        #: What the last forward of a thread keeps for its backward.
        self.kept = threading.local()
        counters["litz"]["compiled"] += 1
        log.info("compiled a forward and its backward: %d inputs, %d results", len(made.inputs), len(made.results))

    @staticmethod
    def _training_inputs(made: Converted) -> list[dict[str, Any]]:
        return made.graph.describe()["inputs"]

    def __call__(self, args: list[Any]) -> list[Any]:
        inputs = [args[k] for k in self._inputs]
        seed = int(torch.randint(1 << 62, ()).item()) if self._random else None
        outputs, self.kept.saved = self._training.forward(inputs, seed=seed)
        if self._lines:
            show(self._lines, outputs)
        pick = {"output": outputs, "argument": args}
        results = [pick[kind][what] if kind in pick else what for kind, what in self._results]
        args.clear()
        return results

    def backward(self, saved: Any, cotangents: tuple[Any, ...]) -> dict[int, Any]:
        """The gradients by arguments, without tokens."""
        given = [None] * self._n_outputs
        for (kind, what), cotangent in zip(self._results[self.n_tokens :], cotangents, strict=True):
            if kind == "output" and cotangent is not None:
                given[what] = cotangent if given[what] is None else given[what] + cotangent
        return dict(zip(self.gradients, self._training.backward(saved, given), strict=True))


class _Step(torch.autograd.Function):
    """One forward, and its backward."""

    @staticmethod
    def forward(ctx: Any, forward: _Forward, inner: Callable[..., Any], *args: Any) -> Any:
        results = inner(*args)
        results = tuple(results) if isinstance(results, (tuple, list)) else (results,)
        if len(results) != len(forward._results) - forward.n_tokens:
            raise refused("Litz's own differentiation where PyTorch makes results of others")
        ctx.litz = forward, forward.kept.saved
        ctx.set_materialize_grads(False)
        tensors = [r for r in results if isinstance(r, torch.Tensor)]
        ctx.mark_non_differentiable(*(r for r in tensors if not r.is_floating_point()))
        return results

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *cotangents: Any) -> Any:
        forward, saved = ctx.litz
        gradients = forward.backward(saved, cotangents)
        wanted = range(2, 2 + forward.n_arguments)
        return (None, None, *(gradients.get(k - 2) if ctx.needs_input_grad[k] else None for k in wanted))
