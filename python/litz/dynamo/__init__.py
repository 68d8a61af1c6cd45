"""`torch.compile(model, backend="litz")`.

PyTorch's Dynamo captures graphs. One run of a graph for inference gives its ATen operators; PyTorch's AOT autograd makes functional graphs
of all others: a forward and a backward. Each becomes a Litz graph node by node, without files, and is compiled.

An operator that Litz refuses is an error that names it. With `options={"fallback": True}` PyTorch runs these operators, which
is logged and counted in `torch._dynamo.utils.counters["litz"]`.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import operator
import threading
from collections.abc import Iterator
from typing import Any

import torch
from torch._decomp import decompositions
from torch._dynamo.backends.common import AotAutograd
from torch._functorch.partitioners import min_cut_rematerialization_partition

from .. import reset as reset_library
from ..errors import InvalidArgument, Unsupported
from .attention import attention_operators
from .effects import check
from .formulas import formulas
from .inference import recorded, runner
from .program import compile_graph
from .results import SAVED_FROM
from .training import compile_training, needs_gradients, settle_gradients

__all__ = ["backend"]

log = logging.getLogger("litz")

#: Options of this backend; all others are Litz's, by their keys or as keywords.
_OWN = {"fallback", "differentiate"}


def backend(
    gm: torch.fx.GraphModule,
    example_inputs: list[Any],
    *,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Compiles a graph of Dynamo's. `mode` is one of Litz's (and PyTorch's) modes.

    `options` has Litz's options by key (`"cpu.threads"`), `"fallback"`: whether PyTorch runs what Litz refuses, and
    `"differentiate"`: `"torch"`, or `"litz"` for Litz's own gradients and its own division into a forward and a backward.
    """
    given = dict(options or {})
    own = {key: given.pop(key) for key in _OWN & given.keys()}
    if mode is not None:
        given["mode"] = mode
    by, fallback = own.get("differentiate", "torch"), own.get("fallback", False)
    if not isinstance(fallback, bool):
        raise InvalidArgument(f"option fallback: {fallback!r} is not a bool")
    if by not in ("torch", "litz") or by == "litz" and fallback:
        raise InvalidArgument(f"option differentiate: {by!r} is not torch, or litz without fallback")
    check(gm)
    trains = needs_gradients(example_inputs)
    if trains and by == "litz":
        settle_gradients(gm)
    if not trains and (program := _inference(gm, given)) is not None:
        return program
    make = functools.partial(compile_graph, options=given, fallback=fallback)

    def aot(**inference: Any) -> Any:
        return AotAutograd(
            fw_compiler=functools.partial(make, kind="forward"),
            bw_compiler=functools.partial(make, kind="backward"),
            decompositions=formulas(trains and by == "torch"),
            partition_fn=_partition,
            keep_inference_input_mutations=True,
            **inference,
        )

    compiled = aot(inference_compiler=functools.partial(make, kind="inference"))
    with attention_operators(gm, example_inputs, trains), _recurrent_layers_as_formulas():
        if by == "litz" and trains:
            return compile_training(lambda how: aot(inference_compiler=how)(gm, example_inputs), example_inputs, given)
        return compiled(gm, example_inputs)


class _Tracing(threading.local):
    """Whether this thread traces a graph for Litz."""

    active = False


_tracing = _Tracing()


@functools.cache
def _choose_formulas() -> None:
    """Puts a choice before PyTorch's between oneDNN's operator for a layer of an LSTM and its formula: threads that trace a graph
    for Litz get the formula, all others what PyTorch chooses."""
    chosen = decompositions.select_one_layer_lstm_function

    @functools.wraps(chosen)
    def choose(*args: Any) -> Any:
        return decompositions.one_layer_lstm if _tracing.active else chosen(*args)

    decompositions.select_one_layer_lstm_function = choose


@contextlib.contextmanager
def _recurrent_layers_as_formulas() -> Iterator[None]:
    """Makes PyTorch trace recurrent layers as formulas instead of oneDNN's operators, in this thread."""
    _choose_formulas()
    before, _tracing.active = _tracing.active, True
    try:
        yield
    finally:
        _tracing.active = before


def _inference(gm: torch.fx.GraphModule, options: dict[str, Any]) -> Any:
    """The program of a graph that does not need AOT autograd. None if it does, or if Litz lacks an operator that AOT autograd may
    decompose."""
    captured = recorded(gm)
    if captured is None:
        return None
    try:
        return runner(compile_graph(captured, [], kind="inference", options=options, fallback=False))
    except Unsupported as error:
        log.debug("AOT autograd captures the graph: %s", error)
        return None


def _partition(joint: torch.fx.GraphModule, joint_inputs: Any, **kwargs: Any) -> tuple[torch.fx.GraphModule, torch.fx.GraphModule]:
    """Splits a joint graph into forward and backward. Random numbers are always kept for the backward, even inside a checkpoint: it would
    draw them again from the saved state of PyTorch's generator, which Litz does not use."""
    for node in joint.graph.nodes:
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            for own in (node, *(user for user in node.users if user.target is operator.getitem)):
                own.meta.pop("recompute", None)
    forward, backward = min_cut_rematerialization_partition(joint, joint_inputs, **kwargs)
    forward.meta[SAVED_FROM] = kwargs["num_fwd_outputs"]
    return forward, backward


def _reset() -> None:
    reset_library()


# What torch.compiler.reset() calls.
backend.reset = _reset  # type: ignore[attr-defined]
