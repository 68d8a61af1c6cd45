"""Operators that run graphs: `cond`, `switch`, `while_loop`; and `map`, `scan`, `associative_scan`, which are loops over slices.

Each FX graph becomes a graph of Litz, whose inputs are the tensors among the operands. Numbers that no operand's size shows are passed
as 0-d tensors, and so are numbers that a loop carries or that branches return. Tensors that the graph holds become operands.

A loop over few slices is unrolled, so that their operators fuse. A longer one is a `while_loop` that carries the number of the slice,
the values that the graph carries, and the stacked results, into which each turn writes one slice. An `associative_scan` of a known
length is PyTorch's formula for it, with a logarithmic number of steps.

The gradient of a `while_loop` needs the results of all turns. Such a loop runs twice. The first run carries only what the condition
depends on, and counts the turns. The second makes that many turns and stacks their results.

Deliberately absent: loops that change sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._higher_order_ops.associative_scan import generic_associative_scan
from torch._higher_order_ops.base_hop import BaseHOP
from torch._higher_order_ops.flex_attention import sdpa_dense, sdpa_dense_backward
from torch._higher_order_ops.out_dtype import out_dtype_fallback
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

from .. import _native
from ..errors import refused
from ..graph import dtype, memory_format

if TYPE_CHECKING:
    from .convert import Converter

__all__ = ["attribute_at", "control"]

#: The most nodes into which slices are unrolled.
_MOST_NODES = 1024


def _tensors_inside(module: torch.fx.GraphModule) -> list[torch.Tensor]:
    """The tensors that a graph and the graphs inside it hold, each once."""
    found: dict[int, torch.Tensor] = {}
    for node in module.graph.nodes:
        if node.op == "get_attr":
            value = attribute_at(module, str(node.target))
            inner = _tensors_inside(value) if isinstance(value, torch.fx.GraphModule) else [value]
            found |= {id(t): t for t in inner if isinstance(t, torch.Tensor)}
    return list(found.values())


def attribute_at(module: Any, path: str) -> Any:
    """An attribute by a path with dots."""
    for part in path.split("."):
        module = getattr(module, part)
    return module


def _metas(module: torch.fx.GraphModule) -> list[Any]:
    return [node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder"]


def _kind(number: Any) -> str:
    """The dtype of a tensor that holds a number."""
    if isinstance(number, (bool, torch.SymBool)):
        return "bool"
    return "float64" if isinstance(number, (float, torch.SymFloat)) else "int64"


def _tensor_of(converter: Converter, value: Any, kind: str) -> Any:
    """A number as a 0-d tensor; a tensor as it is."""
    if isinstance(value, _native.Value) and not value.is_number:
        return value
    return converter.graph.call("aten.scalar_tensor", value, dtype=dtype(kind))


def _number_of(converter: Converter, value: Any, meta: Any) -> Any:
    """The number in a 0-d tensor, to which later sizes may refer. A value that stands for a tensor is returned as it is."""
    if isinstance(meta, torch.Tensor):
        return value
    number = converter.graph.call("aten.item", value)
    converter.sizes.learn(meta, number)
    return number


class _Graph:
    """A graph that an operator runs, while it is built. The first `carried` operands are all inputs, even if they are numbers."""

    def __init__(self, outer: Converter, metas: Sequence[Any], constants: list[torch.Tensor], carried: int = 0) -> None:
        self.outer, self.metas, self.constants = outer, metas, constants
        graph = torch.fx.Graph()
        nodes = [graph.placeholder(f"operand_{k}") for k in range(len(metas))]
        for node, meta in zip(nodes, metas, strict=True):
            node.meta["val"] = meta
        graph.output(())
        for meta in metas[:carried]:
            if not isinstance(meta, (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool)):
                raise refused(f"a loop that carries {meta}")
        self.inner = type(outer)(torch.fx.GraphModule({}, graph), "inner", outer)
        self.inner.carried = carried
        self.inner._declare(nodes)
        for k, tensor in enumerate(constants):
            self.inner.constants[id(tensor)] = self.inner._tensor(f"constant_{k}", tensor)
        self.values = [self.inner.values[node] for node in nodes]

    def run(self, module: torch.fx.GraphModule) -> list[Any]:
        """Adds the nodes of an FX graph, and returns its results for the operands."""
        return self.inner.inline(module, self.values)

    def give(self, results: Sequence[Any], kinds: Sequence[str]) -> Any:
        """Ends the graph."""
        for k, (result, kind) in enumerate(zip(results, kinds, strict=True)):
            self.inner.graph.output(f"result_{k}", _tensor_of(self.inner, result, kind))
        return self.inner.graph

    def operands(self, given: Sequence[Any]) -> list[Any]:
        """The values of the outer graph that are passed to the inputs."""
        used = [_tensor_of(self.outer, given[k], _kind(self.metas[k])) for k in self.inner.made.inputs]
        return used + [self.outer.constant(tensor) for tensor in self.constants]


def _cond(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    predicate, yes, no, operands = node.args
    given = _tensor_of(converter, converter._argument(predicate, node), "bool")
    return _branches(converter, node, [yes, no], operands, lambda graphs: [given, *graphs])


def _switch(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    index, branches, operands = node.args
    given = _tensor_of(converter, converter._argument(index, node), "int64")
    return _branches(converter, node, branches, operands, lambda graphs: [given, graphs])


def _branches(
    converter: Converter, node: torch.fx.Node, branches: Any, operands: Any, head: Callable[[list[Any]], list[Any]]
) -> tuple[Any, ...]:
    modules = [converter._argument(branch, node) for branch in branches]
    given = [converter._argument(operand, node) for operand in operands]
    constants = list({id(t): t for module in modules for t in _tensors_inside(module)}.values())
    graphs = [_Graph(converter, _metas(module), constants) for module in modules]
    results = [graph.run(module) for graph, module in zip(graphs, modules, strict=True)]
    expected = _listed(node.meta["val"])
    if any(len(r) != len(expected) for r in results):
        raise refused(f"{node.target}: branches that return different numbers of results")
    # Constants that all branches return alike are not results of the graphs.
    fixed = {k: r for k, r in enumerate(results[0]) if _is_plain(r) and all(_same(r, other[k]) for other in results)}
    kept = [k for k in range(len(expected)) if k not in fixed]
    kinds = [_kind(expected[k]) for k in kept]
    made = [graph.give([r[k] for k in kept], kinds) for graph, r in zip(graphs, results, strict=True)]
    if any(graph.inner.made.inputs != graphs[0].inner.made.inputs for graph in graphs):
        raise refused(f"{node.target}: branches that use different operands")
    found = iter(converter.graph._call(f"higher_order.{node.target.name()}", *head(made), graphs[0].operands(given)))
    return tuple(fixed[k] if k in fixed else _number_of(converter, next(found), m) for k, m in enumerate(expected))


def _while(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    condition, body, carried, additional = (converter._argument(a, node) for a in node.args)
    metas, count = _metas(body), len(carried)
    found = _loop(converter, metas, count, [*carried, *additional], [condition, body], lambda g: g.run(condition)[0], lambda g: g.run(body))
    return tuple(_number_of(converter, value, meta) for value, meta in zip(found, _listed(node.meta["val"]), strict=True))


def _loop(
    converter: Converter,
    metas: Sequence[Any],
    count: int,
    operands: Sequence[Any],
    modules: Sequence[torch.fx.GraphModule],
    goes_on: Callable[[_Graph], Any],
    turn: Callable[[_Graph], Sequence[Any]],
) -> tuple[Any, ...]:
    """A `while_loop` over operands like `metas`, of which the first `count` are carried; numbers among these as 0-d tensors."""
    constants = list({id(t): t for module in modules for t in _tensors_inside(module)}.values())
    condition, body = (_Graph(converter, metas, constants, count) for _ in range(2))
    first = condition.give([goes_on(condition)], ["bool"])
    results = turn(body)
    second = body.give(results, [_kind(meta) for meta in metas[:count]])
    given = body.operands(operands)
    return converter.graph._call("higher_order.while_loop", first, second, given[:count], given[count:])


def _stack_output(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    """The forward that the gradient of a `while_loop` needs: the carried values after each turn, stacked. Without a turn the only row is
    what was given."""
    condition, body, carried, additional = (converter._argument(a, node) for a in node.args)
    if any(torch.Tag.nondeterministic_seeded in getattr(n.target, "tags", ()) for n in _nodes(condition, body)):
        # PyTorch's backward computes the body again, and would draw others.
        raise refused(f"{node.target.name()}, the gradient of while_loop, where the loop draws random numbers")
    metas, count = _metas(body), len(carried)
    expected, call = _listed(node.meta["val"]), converter.graph.call
    turns = _turns(converter, condition, body, [*carried, *additional], count)
    length = call("aten.item", call("aten.clamp_min", turns, 1))
    # Sizes of later tensors are this symbol.
    converter.sizes.learn(expected[0].shape[0], length)
    stacks = []
    for x, meta in zip(carried, metas):
        rows = call("aten.expand", call("aten.unsqueeze", x, 0), [length, *([-1] * meta.dim())])
        stacks.append(call("aten.clone", rows, memory_format=memory_format("contiguous_format")))
    number = torch.empty((), dtype=torch.int64)
    examples = [number, *map(_contiguous, metas[:count]), *map(_contiguous, expected), number, *metas[count:]]

    def goes_on(graph: _Graph) -> Any:
        return graph.inner.graph.call("aten.lt.Tensor", graph.values[0], graph.values[1 + 2 * count])

    def turn(graph: _Graph) -> list[Any]:
        own, written, rest = graph.values[1 : 1 + count], graph.values[1 + count : 1 + 2 * count], graph.values[2 + 2 * count :]
        results = graph.inner.inline(body, [*own, *rest])
        return [_next(graph), *results, *_rows_written(graph, written, results)]

    zero = call("aten.scalar_tensor", 0, dtype=dtype("int64"))
    found = _loop(converter, examples, 1 + 2 * count, [zero, *carried, *stacks, turns, *additional], [body], goes_on, turn)
    return found[1 + count :]


def _turns(
    converter: Converter, condition: torch.fx.GraphModule, body: torch.fx.GraphModule, operands: list[Any], count: int
) -> Any:
    """How many turns a `while_loop` makes, as a 0-d tensor. The loop that counts them carries what the condition depends on."""
    carried = sorted(k for k in _reads(condition, [0]) if k < count)
    while more := [k for k in _reads(body, carried) if k < count and k not in carried]:
        carried = sorted([*carried, *more])
    counted = _part(body, carried)
    metas = _metas(body)
    kept = [*carried, *range(count, len(metas))]

    def given(graph: _Graph) -> list[Any]:
        own = dict(zip(kept, graph.values[1:], strict=True))
        return [own.get(k) for k in range(len(metas))]

    def turn(graph: _Graph) -> list[Any]:
        return [_next(graph), *graph.inner.inline(counted, given(graph))]

    zero = converter.graph.call("aten.scalar_tensor", 0, dtype=dtype("int64"))
    examples = [torch.empty((), dtype=torch.int64), *(_contiguous(metas[k]) if k < count else metas[k] for k in kept)]
    return _loop(
        converter, examples, 1 + len(carried), [zero, *(operands[k] for k in kept)], [condition, counted],
        lambda graph: graph.inner.inline(condition, given(graph))[0], turn,
    )[0]  # fmt: skip


def _results(module: torch.fx.GraphModule, places: Sequence[int]) -> list[Any]:
    (results,) = next(n for n in module.graph.nodes if n.op == "output").args
    return [_listed(results)[k] for k in places]


def _sources(module: torch.fx.GraphModule, places: Sequence[int]) -> set[torch.fx.Node]:
    """The nodes that these results are made of."""
    found: set[torch.fx.Node] = set()
    waiting = [r for r in _results(module, places) if isinstance(r, torch.fx.Node)]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(node.all_input_nodes)
    return found


def _reads(module: torch.fx.GraphModule, places: Sequence[int]) -> list[int]:
    """The operands that these results are made of."""
    found = _sources(module, places)
    placeholders = [n for n in module.graph.nodes if n.op == "placeholder"]
    return [k for k, n in enumerate(placeholders) if n in found]


def _part(module: torch.fx.GraphModule, places: Sequence[int]) -> torch.fx.GraphModule:
    """The part of a graph that computes these results, from all its operands."""
    kept, graph, own = _sources(module, places), torch.fx.Graph(), {}
    for node in module.graph.nodes:
        if node.op == "placeholder" or node in kept:
            own[node] = graph.node_copy(node, own.__getitem__)
    graph.output([own.get(r, r) if isinstance(r, torch.fx.Node) else r for r in _results(module, places)])
    return torch.fx.GraphModule(module, graph)


def _nodes(*modules: torch.fx.GraphModule) -> list[torch.fx.Node]:
    """The nodes of graphs, and of those inside them."""
    return [n for outer in modules for m in outer.modules() if isinstance(m, torch.fx.GraphModule) for n in m.graph.nodes]


def _next(graph: _Graph) -> Any:
    """The number of the next turn. The first value is that of this turn."""
    return graph.inner.graph.call("aten.add.Scalar", graph.values[0], 1)


def _rows_written(graph: _Graph, stacks: Sequence[Any], rows: Sequence[Any]) -> list[Any]:
    """The stacks with this turn's rows written to them."""
    call = graph.inner.graph.call
    return [call("aten.index_put", stack, [graph.values[0]], row) for stack, row in zip(stacks, rows, strict=True)]


def _row_read(graph: _Graph, x: Any) -> Any:
    """This turn's row of a tensor."""
    call = graph.inner.graph.call
    row = call("aten.index_select", x, 0, call("aten.unsqueeze", graph.values[0], 0))
    return call("aten.squeeze.dim", row, 0)


def _map(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    body, xs, additional = node.args
    return _slices(converter, node, body, (), xs, additional)


def _scan(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    return _slices(converter, node, *node.args)


def _slices(converter: Converter, node: torch.fx.Node, body: Any, first: Any, xs: Any, additional: Any) -> tuple[Any, ...]:
    """The carried values after the last slice, and the other results of all slices, stacked."""
    sizes = {str(x.meta["val"].shape[0]) for x in xs}
    if len(sizes) != 1:
        raise refused(f"{node.target} over {' and '.join(sorted(sizes)) or 'no'} slices")
    length = converter.sizes.of(xs[0].meta["val"].shape[0])
    module = converter._argument(body, node)
    carried, slices, others = (converter._argument(list(a), node) for a in (first, xs, additional))
    count, metas, expected = len(carried), _metas(module), _listed(node.meta["val"])
    if isinstance(length, int) and 0 < length and length * _size(module) <= _MOST_NODES:
        call = converter.graph.call
        rows: list[list[Any]] = []
        for k in range(length):
            own = [call("aten.select.int", x, 0, k) for x in slices]
            results = converter.inline(module, [*carried, *own, *others])
            carried, row = results[:count], results[count:]
            rows.append(row)
        return (*carried, *(None if of_one[0] is None else call("aten.stack", list(of_one)) for of_one in zip(*rows)))
    kept = [k for k, meta in enumerate(expected) if k >= count and meta is not None]
    stacks = [expected[k] for k in kept]
    zeros = [
        converter.graph.call("aten.zeros", [converter.sizes.of(s) for s in meta.shape], dtype=dtype(str(meta.dtype).removeprefix("torch.")))
        for meta in stacks
    ]
    found = _over_rows(
        converter, module, 0, length, (carried, list(map(_contiguous, metas[:count]))), (zeros, stacks),
        (slices, [x.meta["val"] for x in xs]), (others, metas[count + len(slices) :]),
        lambda results: (results[:count], [results[k] for k in kept]),
    )  # fmt: skip
    rest = iter(found[count:])
    return (*found[:count], *(next(rest) if k in kept else None for k in range(count, len(expected))))


def _over_rows(
    converter: Converter,
    module: torch.fx.GraphModule,
    begin: int,
    length: Any,
    carried: tuple[list[Any], list[Any]],
    stacks: tuple[list[Any], list[Any]],
    xs: tuple[list[Any], list[Any]],
    others: tuple[list[Any], list[Any]],
    divide: Callable[[list[Any]], tuple[list[Any], list[Any]]],
) -> tuple[Any, ...]:
    """A loop over rows. Each pair is a list of values and of examples of them. `divide` splits the results of a turn into carried values
    and rows of the stacks."""
    count, n_stacks, n_xs = len(carried[0]), len(stacks[0]), len(xs[0])
    ends = [1, 1 + count, 1 + count + n_stacks, 1 + count + n_stacks + n_xs]
    metas = [torch.empty((), dtype=torch.int64), *carried[1], *map(_contiguous, stacks[1]), *xs[1], *others[1]]
    sliced = [x.shape[0] for x in xs[1]][:1]

    def goes_on(graph: _Graph) -> Any:
        most = graph.inner.sizes.of(sliced[0])
        return graph.inner.graph.call("aten.lt.Scalar", graph.values[0], most)

    def turn(graph: _Graph) -> list[Any]:
        own, written, slices, rest = (graph.values[a:b] for a, b in zip(ends, [*ends[1:], None], strict=True))
        results = graph.inner.inline(module, [*own, *(_row_read(graph, x) for x in slices), *rest])
        carry, rows = divide(results)
        return [_next(graph), *carry, *_rows_written(graph, written, rows)]

    zero = converter.graph.call("aten.scalar_tensor", begin, dtype=dtype("int64"))
    operands = [zero, *carried[0], *stacks[0], *xs[0], *others[0]]
    return _loop(converter, metas, ends[2], operands, [module], goes_on, turn)[1:]


def _associative_scan(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    body, xs, additional = node.args
    examples = [x.meta["val"] for x in xs]
    if all(isinstance(size, int) for x in examples for size in x.shape):
        return _formula(converter, node, lambda f, xs, more: generic_associative_scan(f, list(xs), additional_inputs=tuple(more)))
    module = converter._argument(body, node)
    slices, others = (converter._argument(list(a), node) for a in (xs, additional))
    call, metas = converter.graph.call, _metas(module)
    first = [call("aten.select.int", x, 0, 0) for x in slices]
    # The first row of the result is the input's.
    stacks = [call("aten.clone", x, memory_format=memory_format("contiguous_format")) for x in slices]
    length = converter.sizes.of(examples[0].shape[0])
    found = _over_rows(
        converter, module, 1, length, (first, list(map(_contiguous, metas[: len(first)]))), (stacks, examples),
        (slices, examples), (others, metas[2 * len(first) :]), lambda results: (results, results),
    )  # fmt: skip
    return found[len(first) :]


def _formula(converter: Converter, node: torch.fx.Node, function: Callable[..., Any]) -> tuple[Any, ...]:
    """Replaces an operator by PyTorch's own formula, traced into ATen operators."""
    flat, tree = pytree.tree_flatten((list(node.args), dict(node.kwargs)))
    nodes = [a for a in flat if isinstance(a, torch.fx.Node) and isinstance(a.meta.get("val"), torch.Tensor)]

    def example(argument: Any) -> Any:
        if not isinstance(argument, torch.fx.Node):
            return argument
        return argument.meta["val"] if "val" in argument.meta else converter._argument(argument, node)

    def with_tensors(*tensors: torch.Tensor) -> Any:
        given = iter(tensors)
        args, kwargs = pytree.tree_unflatten([next(given) if a in nodes else example(a) for a in flat], tree)
        return function(*args, **kwargs)

    tensors = [n.meta["val"] for n in nodes]
    with tensors[0].fake_mode, torch.no_grad():
        traced = make_fx(with_tensors)(*tensors)
    return tuple(converter.inline(traced, [converter._argument(n, node) for n in nodes]))


def _inlined(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    """The results of a graph that is called by name. Equal calls become equal kernels, which are compiled once."""
    body, _, *operands = node.args
    return tuple(converter.inline(converter._argument(body, node), [converter._argument(o, node) for o in operands]))


def _called(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    """The results of a graph that is called once."""
    body, *operands = (converter._argument(a, node) for a in node.args)
    return tuple(converter.inline(body, operands))


def _hinted(converter: Converter, node: torch.fx.Node) -> tuple[Any, ...]:
    """The results of a graph with hints for another compiler, which are dropped."""
    body, operands, named = node.args
    if named:
        raise refused(f"{node.target} with keyword arguments")
    return tuple(converter.inline(converter._argument(body, node), [converter._argument(o, node) for o in operands]))


def _contiguous(meta: torch.Tensor) -> torch.Tensor:
    """A contiguous example of the same sizes."""
    mode = getattr(meta, "fake_mode", None)
    if mode is None or meta.is_contiguous():
        return meta
    with mode:
        return torch.empty(meta.shape, dtype=meta.dtype, device=meta.device)


def _size(module: torch.fx.GraphModule) -> int:
    """How many nodes a graph has, including those of graphs inside it."""
    return sum(len(m.graph.nodes) for m in module.modules() if isinstance(m, torch.fx.GraphModule))


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _is_plain(value: Any) -> bool:
    return not isinstance(value, _native.Value)


def _same(a: Any, b: Any) -> bool:
    return _is_plain(b) and type(a) is type(b) and a == b


def control(target: Any) -> Callable[[Converter, torch.fx.Node], tuple[Any, ...]] | None:
    """The function that adds a node of this operator to a graph and returns its results. None: the operator runs no graphs."""
    if not isinstance(target, torch._ops.HigherOrderOperator):
        return None
    return _CONTROL.get(target.name(), _called if isinstance(target, BaseHOP) else None)


_CONTROL: dict[str, Callable[[Converter, torch.fx.Node], tuple[Any, ...]]] = {
    "cond": _cond,
    "switch": _switch,
    "while_loop": _while,
    "while_loop_stack_output": _stack_output,
    "map_impl": _map,
    "scan": _scan,
    "associative_scan": _associative_scan,
    "invoke_subgraph": _inlined,
    "hints_wrapper": _hinted,
    "out_dtype": lambda converter, node: _formula(converter, node, out_dtype_fallback),
    "flex_attention": lambda converter, node: _formula(converter, node, sdpa_dense),
    "flex_attention_backward": lambda converter, node: _formula(converter, node, sdpa_dense_backward),
}
