"""What a converted graph is to its caller: its inputs, and each result as an output, an argument, a view or a number.

A result that PyTorch's wrappers take for a view of an argument or of another result is no output: a call makes it of what it views.
"""

from __future__ import annotations

import operator
from typing import Any

import torch

from .. import _native
from ..errors import refused
from ..graph import Graph, describe_value
from .effects import Line
from .sizes import Sizes
from .views import is_whole, place, share_storage, starts_elsewhere

__all__ = ["NUMBERS", "SAVED_FROM", "Converted", "Results", "is_tensor"]

#: The key in a forward module's `meta` under which stands how many results precede those that are kept for the backward.
SAVED_FROM = "litz_saved_from"
NUMBERS = (torch.SymInt, torch.SymFloat, torch.SymBool)


class Converted:
    """A Litz graph, and what a caller of the FX graph needs beside it."""

    def __init__(self, name: str) -> None:
        self.graph = Graph(name)
        #: The FX graph's arguments that are inputs of the program, in order.
        self.inputs: list[int] = []
        #: Whether a tensor is among them, and one on a GPU.
        self.tensors = False
        self.on_gpu = False
        #: Places in `inputs` of tensors that may be lazily negated or conjugated, and of sizes that may be those of nested tensors.
        #: Of all others PyTorch has a guard that they are neither: of a forward's arguments, and so of what it keeps.
        self.lazy: list[int] = []
        #: For each result of the FX graph: ("output", k), ("argument", k), ("value", number or None), or a view, as
        #: ("view", (the result that is viewed, its place)).
        self.results: list[tuple[str, Any]] = []
        #: Results that are numbers in Python.
        self.numbers: set[int] = set()
        #: The FX graph gives one result by itself, not in a tuple.
        self.single = False
        #: The program draws random numbers.
        self.random = False
        #: What the program prints, in order.
        self.lines: list[Line] = []
        #: Strides that PyTorch expects of outputs, where they are known: the output's number to them.
        self.strides: dict[int, tuple[int, ...]] = {}
        #: The device that PyTorch expects each output on that is a tensor.
        self.devices: dict[int, torch.device] = {}


class Results:
    """Finds how each result of a functional FX graph reaches its caller, and names the outputs of the Litz graph."""

    def __init__(
        self, made: Converted, module: torch.fx.GraphModule, values: dict[torch.fx.Node, Any], sizes: Sizes, is_outermost: bool
    ) -> None:
        self._made, self._module, self._values, self._sizes = made, module, values, sizes
        #: In a graph that an operator runs, each result is an output.
        self._is_outermost = is_outermost
        self._placeholders = [n for n in module.graph.nodes if n.op == "placeholder"]
        self._roots = _roots(module)
        written = _written(module)
        #: What results may be or be views of: arguments that nothing writes to.
        self._kept = {n: k for k, n in enumerate(self._placeholders) if n not in written} if is_outermost else {}
        #: The results that are tensors.
        self._tensors: dict[torch.fx.Node, torch.Tensor] = {}
        #: Results that the caller gets, without those that are kept for the backward, which gets them as they are.
        self._for_caller: set[torch.fx.Node] = set()
        #: The outputs so far.
        self._outputs: dict[torch.fx.Node, int] = {}

    def add(self, node: torch.fx.Node) -> None:
        """Adds the results of the node `output`, and what the program prints."""
        (results,) = node.args
        self._made.single = not isinstance(results, (list, tuple))
        listed = [results] if self._made.single else results
        self._tensors = {n: n.meta["val"] for n in listed if isinstance(n, torch.fx.Node) and is_tensor(n)}
        self._for_caller = {n for n in listed[: self._module.meta.get(SAVED_FROM)] if isinstance(n, torch.fx.Node)}
        self._made.results = [self._one(result) for result in listed]
        n_outputs = len(self._outputs)
        for line in self._made.lines:
            for value, meta in line.values:
                self._made.graph.output(f"printed {n_outputs}", value)
                if isinstance(meta, torch.Tensor):
                    self._made.devices[n_outputs] = meta.device
                line.outputs.append(n_outputs)
                n_outputs += 1

    def _one(self, result: Any) -> tuple[str, Any]:
        if not isinstance(result, torch.fx.Node):
            return ("value", result)
        if result in self._kept:
            return ("argument", self._kept[result])
        if not isinstance(self._values[result], _native.Value):
            return ("value", self._values[result])
        if self._is_outermost and result in self._tensors and result not in self._placeholders:
            view = self._view(result)
            if view is not None:
                return ("view", view)
        return ("output", self._output(result))

    def _view(self, result: torch.fx.Node) -> Any:
        """What a result is a view of, and its place there. None: it is computed."""
        own, arguments = self._tensors[result], [n for n in self._kept if is_tensor(n)]
        for base in arguments:
            if (found := self._place(result, base)) is not None:
                return ("argument", self._kept[base]), found
        # Results that are all of their storage.
        for base in (n for n, value in self._tensors.items() if n not in self._placeholders and is_whole(value)):
            if base is result:
                break
            if (found := self._place(result, base)) is not None:
                return ("output", self._output(base)), found
        others = [n.meta["val"] for n in (*arguments, *self._tensors) if n is not result and self._share_root(n, result)]
        if result in self._for_caller and starts_elsewhere(own) and any(share_storage(own, other) for other in others):
            raise refused(f"result {result}: a view of another dtype, or at a place that data give, of what is returned too")
        return None

    def _place(self, own: torch.fx.Node, base: torch.fx.Node) -> Any:
        return place(own.meta["val"], base.meta["val"], self._sizes.sources) if self._share_root(own, base) else None

    def _share_root(self, a: torch.fx.Node, b: torch.fx.Node) -> bool:
        return self._roots.get(a) is self._roots.get(b)

    def _output(self, node: torch.fx.Node) -> int:
        """The number of the output that a node's result is."""
        if node not in self._outputs:
            k = self._outputs[node] = len(self._outputs)
            value = self._values[node]
            self._made.graph.output(f"{node.name}_{k}" if node.op == "placeholder" else node.name, value)
            self._describe(node, value, k)
        return self._outputs[node]

    def _describe(self, node: torch.fx.Node, value: Any, k: int) -> None:
        expected = node.meta.get("val")
        if isinstance(expected, NUMBERS):
            self._made.numbers.add(k)
        elif isinstance(expected, torch.Tensor):
            self._made.devices[k] = expected.device
            # Some operators of PyTorch have results whose shapes depend on the device.
            shape = tuple(expected.shape) if value.is_number else tuple(describe_value(value)["shape"])
            known = [(own, size) for own, size in zip(shape, expected.shape) if isinstance(own, int) and isinstance(size, int)]
            if len(shape) != expected.dim() or any(own != size for own, size in known):
                what = node.args[0].target if node.target is operator.getitem else node.target
                raise refused(f"{what}: a result of shape {tuple(expected.shape)}, which is {shape} on a CPU")
            strides = expected.stride()
            if not any(isinstance(s, torch.SymInt) for s in (*expected.shape, *strides)):
                self._made.strides[k] = tuple(strides)


def is_tensor(node: torch.fx.Node) -> bool:
    """Whether a node's result is a tensor."""
    return isinstance(node.meta.get("val"), torch.Tensor)


def _written(module: torch.fx.GraphModule) -> set[torch.fx.Node]:
    """The placeholders that a node writes to."""
    written = set()
    for node in module.graph.nodes:
        if node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload):
            for argument, value in zip(node.target._schema.arguments, node.args, strict=False):
                if argument.alias_info is not None and argument.alias_info.is_write and isinstance(value, torch.fx.Node):
                    written.add(value)
    return written


def _roots(module: torch.fx.GraphModule) -> dict[torch.fx.Node, torch.fx.Node]:
    """For each node with a tensor, the node that made its storage. The fake results of operators that run graphs do not tell: PyTorch
    may reuse those of one call for the next, so that they seem to be views of the first call's operands."""
    roots: dict[torch.fx.Node, torch.fx.Node] = {}
    for node in module.graph.nodes:
        if not is_tensor(node):
            continue
        picked = node.target is operator.getitem
        maker = node.args[0] if picked else node
        roots[node] = node
        if isinstance(maker.target, torch._ops.HigherOrderOperator):
            continue
        for source in maker.all_input_nodes:
            if source in roots and share_storage(node.meta["val"], source.meta["val"]):
                roots[node] = roots[source]
                break
    return roots
