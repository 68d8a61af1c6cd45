"""Attention on its way from PyTorch to Litz: which operators AOT autograd may make of it, and what FlashAttention's become.

Litz has one attention with a gradient for both kinds of machines. FlashAttention's operators have sizes among their results, so that
they are no rows of Litz's table: they are put together here, without the random state, which nothing reads where nothing drops out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from ..errors import refused
from ..graph import dtype

if TYPE_CHECKING:
    from .convert import Converter

__all__ = ["ATTENTION", "attention_operators"]

aten = torch.ops.aten

_FORWARD = "aten._scaled_dot_product_flash_attention_for_cpu.default"
_BACKWARD = "aten._scaled_dot_product_flash_attention_for_cpu_backward.default"


@contextlib.contextmanager
def attention_operators(gm: torch.fx.GraphModule, example_inputs: list[Any], trains: bool) -> Iterator[None]:
    """Lets PyTorch make of attention what Litz has kernels for: its fused attention of a CPU, and FlashAttention and
    memory-efficient attention of a GPU, with their gradients. What these do not take is found in its formula, which converts halves
    to float32, but not where it has dropout: other kernels round the weights there, too."""
    on_cpu = all(t.device.type == "cpu" for t in example_inputs if isinstance(t, torch.Tensor))
    found = [given for given in map(_attention, _nodes(gm)) if given is not None]
    drops_out = any(given.get("dropout_p", 0.0) != 0.0 for given in found)
    ways = [SDPBackend.MATH]
    if on_cpu:
        ways.append(SDPBackend.FLASH_ATTENTION)
    elif not drops_out and not (trains and any(map(_needs_formula, found))):
        ways += [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION]
    reduced = torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed()
    torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(reduced or not on_cpu and drops_out)
    try:
        with sdpa_kernel(ways):
            yield
    finally:
        torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(reduced)


def _nodes(gm: torch.fx.GraphModule) -> Iterator[torch.fx.Node]:
    for part in gm.modules():
        if isinstance(part, torch.fx.GraphModule):
            yield from part.graph.nodes


def _attention(node: torch.fx.Node) -> dict[str, Any] | None:
    """The arguments of a node that is attention. Dropout inside has the random numbers of a GPU's kernels, which nobody else can
    draw, so that it is found in the formula."""
    if node.target not in (torch.nn.functional.scaled_dot_product_attention, aten.scaled_dot_product_attention.default):
        return None
    names = ("query", "key", "value", "attn_mask", "dropout_p")
    return {**dict(zip(names, node.args, strict=False)), **node.kwargs}


def _needs_formula(given: dict[str, Any]) -> bool:
    """Whether its gradient is the formula's: keys and values differ in width, or a mask has a gradient."""
    key, value, mask = (_example(given.get(name)) for name in ("key", "value", "attn_mask"))
    if key is None or value is None:
        return False
    return key.shape[-1] != value.shape[-1] or mask is not None and mask.requires_grad


def _example(node: Any) -> torch.Tensor | None:
    found = node.meta.get("example_value", node.meta.get("val")) if isinstance(node, torch.fx.Node) else None
    return found if isinstance(found, torch.Tensor) else None


def _arguments(converter: Converter, node: torch.fx.Node) -> dict[str, Any]:
    args, kwargs = converter._arguments(node)
    names = [argument.name for argument in node.target._schema.arguments]
    return {**dict(zip(names, args, strict=False)), **kwargs}


def _flash(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    """`(output, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, rng_state, unused, debug_attn_mask)`; lengths of sequences are None."""
    given, call, values = _arguments(converter, node), converter.graph.call, node.meta["val"]
    if given.get("dropout_p", 0.0) != 0.0 or given.get("return_debug_mask", False):
        raise refused(f"{node.target}: dropout inside, or the mask for debugging")
    query = given["query"]
    options = {"scale": given["scale"]} if given.get("scale") is not None else {}
    out, sums = converter.graph._call(_FORWARD, query, given["key"], given["value"], 0.0, given.get("is_causal", False), **options)
    # The output has the layout of the query; the sums of a head lie beside each other.
    out = call("aten.copy.default", query, out)
    sums = call("aten.contiguous.default", call("aten.to.dtype", sums, dtype("float32")))
    state = [call("aten.zeros.default", list(v.shape), dtype=dtype(str(v.dtype).removeprefix("torch."))) for v in values[6:]]
    return (out, sums, None, None, converter.sizes.of(values[4]), converter.sizes.of(values[5]), *state)


def _flash_backward(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    """`(grad_query, grad_key, grad_value)`, each with the layout of its operand."""
    given = _arguments(converter, node)
    if given["dropout_p"] != 0.0:
        raise refused(f"{node.target}: dropout inside")
    operands = [given[name] for name in ("query", "key", "value")]
    options = {"scale": given["scale"]} if given.get("scale") is not None else {}
    gradients = converter.graph._call(
        _BACKWARD, given["grad_out"], *operands, given["out"], given["logsumexp"], 0.0, given["is_causal"], **options
    )
    return tuple(converter.graph.call("aten.copy.default", operand, g) for operand, g in zip(operands, gradients, strict=True))


#: What adds a node of these operators to a graph, and gives its results.
ATTENTION: dict[Any, Callable[[Converter, torch.fx.Node], tuple[Any, ...]]] = {
    aten._scaled_dot_product_flash_attention.default: _flash,
    aten._scaled_dot_product_flash_attention_backward.default: _flash_backward,
}
