"""FX graphs of ATen operators to Litz graphs, node by node.

`sizes` has the symbols, and `results` what a caller gets. A SymInt that no input's size shows is a number that is given to each run.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch._prims_common import suggest_memory_format
from torch.utils._python_dispatch import _disable_current_modes

from .. import _native
from ..errors import DtypeError, InvalidArgument, Unsupported, refused
from ..graph import describe_value, device, dtype, memory_format, strided, value_dtype
from .attention import ATTENTION
from .control import attribute_at, control
from .effects import effect, is_token
from .results import NUMBERS, Converted, Results
from .sizes import Sizes, range_of
from .views import from_own_start, source_of

_FORMATS = {
    torch.contiguous_format: "contiguous_format",
    torch.channels_last: "channels_last",
    torch.channels_last_3d: "channels_last_3d",
    torch.preserve_format: "preserve_format",
}
#: Names of PyTorch's that Litz has under another.
_NAMES = {"aten._local_scalar_dense.default": "aten.item"}
#: Nodes that only tell PyTorch's shape environment what it knows already.
_HINTS = {
    torch.ops.aten.sym_constrain_range.default,
    torch.ops.aten.sym_constrain_range_for_size.default,
    torch.ops.aten._assert_tensor_metadata.default,
}
#: Operators whose results have elements that nothing has written.
_EMPTY = {
    torch.ops.aten.empty.memory_format,
    torch.ops.aten.empty_like.default,
    torch.ops.aten.empty_permuted.default,
    torch.ops.aten.empty_strided.default,
    torch.ops.aten.new_empty.default,
    torch.ops.aten.new_empty_strided.default,
}
_SPLITS = {torch.ops.aten.split.Tensor, torch.ops.aten.unsafe_split.Tensor}
_RESIZE = {torch.ops.aten.resize.default, torch.ops.aten.resize_as.default}


def dtype_name(value: torch.dtype) -> str:
    """PyTorch's dtype by Litz's name."""
    return str(value).removeprefix("torch.")


class Converter:
    """Adds the nodes of one FX graph to a Litz graph."""

    def __init__(self, module: torch.fx.GraphModule, name: str, outer: Converter | None = None) -> None:
        self.module = module
        self.made = Converted(name)
        self.graph = self.made.graph
        self.outer = outer
        self.sizes = Sizes(self.graph, None if outer is None else outer.sizes)
        self.values: dict[torch.fx.Node, Any] = {}
        #: Tensors that the graph holds, by id.
        self.constants: dict[int, Any] = {}
        #: Names of these tensors.
        self.held: set[str] = set()
        #: How many of the first arguments a loop carries.
        self.carried = 0
        #: Nodes that are refused, each with the error; filled where a caller asked for all of them.
        self.stand_ins = 0
        self.refused: dict[torch.fx.Node, Unsupported] | None = None

    def run(self) -> Converted:
        """Converts the graph. A node that is refused is an error with the operator's name."""
        nodes = list(self.module.graph.nodes)
        placeholders = [n for n in nodes if n.op == "placeholder"]
        self._declare(placeholders)
        for node in nodes:
            if node.op == "get_attr":
                self.values[node] = self._attribute(node)
            elif node.op == "call_function":
                self._call(node)
            elif node.op == "output":
                Results(self.made, self.module, self.values, self.sizes, self.outer is None).add(node)
            elif node.op != "placeholder":
                raise refused(f"{node.op} of {node.target}")
        return self.made

    def _declare(self, placeholders: list[torch.fx.Node]) -> None:
        values = {node: node.meta.get("val") for node in placeholders}
        sizes = self.sizes.declare(values.values())
        # The values that a loop carries are its first inputs, in their order. Of the others, numbers come first, since the sizes of
        # tensors may need them.
        places = list(enumerate(placeholders))
        carried, others = places[: self.carried], places[self.carried :]
        numbers = [(k, n) for k, n in others if isinstance(values[n], NUMBERS)]
        tensors = [(k, n) for k, n in others if not isinstance(values[n], NUMBERS)]
        for part, may_have_sizes in ((carried, True), (numbers, False), (tensors, True)):
            if part and may_have_sizes:
                for size, source in sizes:
                    self.sizes.declare_expression(size, source)
            for k, node in part:
                self._declare_argument(node, values[node], k)

    def _declare_argument(self, node: torch.fx.Node, value: Any, k: int) -> None:
        if is_token(node):
            self.values[node] = None
        elif isinstance(value, NUMBERS):
            self._declare_number(node, value, k)
        elif isinstance(value, torch.Tensor):
            self.values[node] = self._tensor(node.name, value)
            if value.is_complex() or value.is_neg() or node.name.startswith("tangents"):
                self.made.lazy.append(len(self.made.inputs))
            self.made.inputs.append(k)
            self.made.tensors = True
            self.made.on_gpu |= value.device.type == "cuda"
        elif value is None or isinstance(value, (int, float, bool)):
            self.values[node] = value
        elif node not in self.values:
            # A generator or an opaque object: of use to nobody here, unless a node takes it.
            self.values[node] = _Opaque(node.name, value)

    def _declare_number(self, node: torch.fx.Node, value: Any, k: int) -> None:
        if not isinstance(value, torch.SymInt):
            self.values[node] = self._number(node.name, "bool" if isinstance(value, torch.SymBool) else "float64")
            self.made.inputs.append(k)
            return
        expression = value.node.expr
        if k < self.carried or not (expression.is_Symbol and expression in self.sizes.symbols):
            given = self._number(node.name, "int64", *range_of(value))
            self.made.lazy.append(len(self.made.inputs))
            self.made.inputs.append(k)
            if not expression.is_Symbol:
                self.values[node] = given
                return
            self.sizes.symbols[expression] = given
            self.sizes.sources[expression] = source_of(k, None)
        self.values[node] = self.sizes.symbols[expression]

    def _number(self, name: str, kind: str, least: int = 0, most: int | None = None) -> Any:
        """A number among the arguments. A graph that an operator runs gets it as a 0-d tensor."""
        if self.outer is None:
            return self.graph.scalar_input(name, kind, least, most)
        return self.graph.call("aten.item", self.graph.input(name, kind, []))

    def _tensor(self, name: str, value: torch.Tensor) -> Any:
        if value.layout != torch.strided or value.is_quantized:
            raise refused(f"input {name}: {value.layout} tensors")
        if isinstance(value, torch.Tensor) and value.is_mkldnn:
            raise refused(f"input {name}: tensors of oneDNN")
        shape = [self.sizes.of(s) for s in value.shape]
        strides = None
        if not any(isinstance(s, torch.SymInt) for s in (*value.shape, *value.stride())):
            strides = value.stride()
        return self.graph.input(
            name, dtype_name(value.dtype), shape, strides=strides, device=_device_name(value.device)
        )

    def _attribute(self, node: torch.fx.Node) -> Any:
        value = attribute_at(self.module, str(node.target))
        return self.constant(value, str(node.target)) if isinstance(value, torch.Tensor) else value

    def constant(self, value: torch.Tensor, name: str | None = None) -> Any:
        """A tensor that a graph holds, as a constant. In a graph that an operator runs it is an operand instead, noted before."""
        if id(value) not in self.constants:
            # PyTorch compiles under modes in which no tensor has data.
            with _disable_current_modes(), torch.no_grad():
                data = value.detach().resolve_conj().resolve_neg().cpu().contiguous()
            # Graphs inside this one may use the same name for another tensor.
            name = f"held_{len(self.constants)}" if name is None or name in self.held else name
            self.held.add(name)
            self.constants[id(value)] = self.graph.constant(name, data)
        return self.constants[id(value)]

    def inline(self, module: torch.fx.GraphModule, given: list[Any]) -> list[Any]:
        """Adds another graph's nodes, and returns its results for these arguments. A node that is refused refuses the whole call."""
        operands = iter(given)
        outer, self.module = self.module, module
        all_of_them, self.refused = self.refused, None
        try:
            for node in module.graph.nodes:
                if node.op == "placeholder":
                    self.values[node] = next(operands)
                elif node.op == "get_attr":
                    self.values[node] = self._attribute(node)
                elif node.op == "call_function":
                    self._call(node)
                elif node.op == "output":
                    (results,) = node.args
                    listed = results if isinstance(results, (list, tuple)) else [results]
                    return [self.values[r] if isinstance(r, torch.fx.Node) else r for r in listed]
                else:
                    raise refused(f"{node.op} of {node.target}")
        finally:
            self.module, self.refused = outer, all_of_them
        raise refused("a graph without results")

    def _call(self, node: torch.fx.Node) -> None:
        if node.target in _HINTS:
            self.values[node] = None
            return
        if node.target is operator.getitem:
            source, place = node.args
            values = self.values[source]
            self.values[node] = values[place] if isinstance(values, (tuple, list)) else values
            return
        if node.target is torch.ops.aten._assert_scalar.default and not isinstance(node.args[0], torch.fx.Node):
            # PyTorch has evaluated it: a guard sees that it holds.
            self.values[node] = None
            return
        try:
            self.values[node] = self._add(node)
        except Unsupported as error:
            if self.refused is None:
                raise
            self.refused[node] = error
            # The rest is looked at as if PyTorch had given the results.
            self.values[node] = _map(node.meta.get("val"), lambda v: self._stand_in(node, v))

    def _stand_in(self, node: torch.fx.Node, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self._tensor(self._stand_in_name(node), value)
        if isinstance(value, torch.SymInt):
            given = self.graph.scalar_input(self._stand_in_name(node))
            self.sizes.learn(value, given)
            return given
        return value

    def _stand_in_name(self, node: torch.fx.Node) -> str:
        """A name of its own for each result."""
        self.stand_ins += 1
        return f"{node.name} stand-in {self.stand_ins}"

    def _add(self, node: torch.fx.Node) -> Any:
        name = _name(node.target)
        name = _NAMES.get(name, name)
        if isinstance(node.target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in node.target.tags:
            self.made.random = True
        if node.target is torch.sym_sum:
            return self._sum(self._argument(node.args[0], node))
        if node.target is torch.ops.prims.fma.default:
            # Dynamo's form of `addcmul` and the like, which round the product, too.
            a, b, c = self._arguments(node)[0]
            return self.graph.call("aten.add.Tensor", self.graph.call("aten.mul.Tensor", a, b), c)
        results = self._added(name, node)
        if node.target in _EMPTY | _RESIZE and _fills_new_memory():
            results = (self._filled(node, results[0]),)
        value = node.meta.get("val")
        results = self._in_dtypes_of(node, results)
        if isinstance(node.target, torch._ops.OpOverload) and torch.Tag.dynamic_output_shape in node.target.tags:
            self._promised(node, results)
        if len(results) == 1:
            self.sizes.learn(value, results[0])
        if isinstance(value, (tuple, list)):
            return _nested(value, iter(results)) if any(isinstance(v, (tuple, list)) for v in value) else tuple(results)
        return results[0] if len(results) == 1 else tuple(results) or None

    def _in_dtypes_of(self, node: torch.fx.Node, results: tuple[Any, ...]) -> tuple[Any, ...]:
        """The results that are used, in the dtypes that PyTorch says: what follows was made for those. It computes some numbers
        beside a result in a wider float than Litz, as new running statistics; others may not differ."""
        value = node.meta.get("val")
        several = isinstance(value, (tuple, list))
        used = {user.args[1] for user in node.users if user.target is operator.getitem and user.users} if several else {0}
        kept = list(results)
        for k, (expected, own) in enumerate(zip(value if several else (value,), results, strict=False)):
            if k not in used or not isinstance(expected, torch.Tensor) or not isinstance(own, _native.Value) or own.is_number:
                continue
            given, wanted = value_dtype(own), dtype_name(expected.dtype)
            if given != wanted:
                if not (expected.is_floating_point() and "float" in given):
                    raise refused(f"{node.target}: a result of {wanted}, which is {given} here")
                kept[k] = self.graph.call("aten.to.dtype", own, dtype(wanted))
        return tuple(kept)

    def _promised(self, node: torch.fx.Node, results: tuple[Any, ...]) -> None:
        """Asserts the sizes of results that data give, where PyTorch knows them as numbers: from a check of the program's, which
        it then drops as always true."""
        values = node.meta.get("val")
        values = values if isinstance(values, (tuple, list)) else (values,)
        for result, value in zip(results, values):
            if not isinstance(value, torch.Tensor):
                continue
            for dim, (size, own) in enumerate(zip(value.shape, describe_value(result)["shape"])):
                # A size that a check has fixed is a SymInt with a constant expression.
                size = size.node.maybe_as_int() if isinstance(size, torch.SymInt) else size
                if size is not None and own != size:
                    given = self.graph.call("aten.sym_size.int", result, dim)
                    message = f"{node.target}: size {dim} of the result is not the {size} that the program checks"
                    self.graph.call("aten._assert_scalar.default", self.graph.call("sym.eq", given, size), message)

    def _sum(self, parts: list[Any]) -> Any:
        result = parts[0] if parts else 0
        for part in parts[1:]:
            result = self.graph.call("sym.add", result, part)
        return result

    def _filled(self, node: torch.fx.Node, result: Any) -> Any:
        """A result whose unwritten elements are what PyTorch's deterministic mode makes of them."""
        kind = node.meta["val"].dtype
        inexact = kind.is_floating_point or kind.is_complex
        fill = float("nan") if inexact else True if kind == torch.bool else torch.iinfo(kind).max
        filled = self.graph.call("aten.full_like", result, fill)
        if node.target in _EMPTY:
            return filled
        # New memory is zero: what else was zero shows that it is new.
        args, _ = self._arguments(node)
        format = memory_format(_FORMATS[suggest_memory_format(node.meta["val"])])
        ones = self.graph.call("aten.ones_like", args[0], dtype=dtype("bool"))
        written = self.graph.call(_name(node.target), ones, args[1], memory_format=format)
        return self.graph.call("aten.where.self", written, result, filled)

    def _split(self, node: torch.fx.Node) -> tuple[Any, ...]:
        """A split of a symbolic size, or into parts of one. PyTorch has guarded how many parts there are."""
        args, kwargs = self._arguments(node)
        source, size, dim = (*args, kwargs.get("dim", 0))[:3]
        full = len(node.meta["val"]) - 1
        whole = self.graph.call("aten.sym_size.int", source, dim)
        last = self.graph.call("sym.sub", whole, self.graph.call("sym.mul", size, full))
        return self.graph._call("aten.split_with_sizes.default", source, [size] * full + [last], dim)

    def _added(self, name: str, node: torch.fx.Node) -> tuple[Any, ...]:
        if node.target in _SPLITS and _is_symbolic_split(node):
            return self._split(node)
        if (own := control(node.target) or effect(node.target)) is not None:
            return own(self, node)
        if node.target in ATTENTION:
            return ATTENTION[node.target](self, node)
        args, kwargs = from_own_start(node, *self._arguments(node))
        if node.target is torch.ops.aten.resize_as.default:
            # Where strides are symbols, PyTorch alone knows in which format the template lies.
            kwargs["memory_format"] = memory_format(_FORMATS[suggest_memory_format(node.meta["val"])])
        try:
            return self.graph._call(name, *args, **kwargs)
        except DtypeError as error:
            raise _error_of_torch(node) or error from error
        except (InvalidArgument, Unsupported):
            numbers = [n for n in node.all_input_nodes if isinstance(n.meta.get("val"), (torch.SymInt, torch.SymFloat))]
            runs_graphs = isinstance(node.target, torch._ops.HigherOrderOperator)
            if runs_graphs or not numbers or not all(n.meta["val"].node.has_hint() for n in numbers):
                raise
            # An argument that has to be a constant: the size at hand is tried, and becomes a guard where it is taken.
            before = {n: self.values[n] for n in numbers}
            self.values.update({n: n.meta["val"].node.hint for n in numbers})
            try:
                args, kwargs = self._arguments(node)
                if isinstance(node.target, torch._ops.OpOverload):
                    results = self.graph._call(name, *args, **kwargs)
                else:
                    results = (node.target(*args, **kwargs),)
            finally:
                self.values.update(before)
            for n in numbers:
                value = n.meta["val"].node
                value.guard_int("", 0) if isinstance(n.meta["val"], torch.SymInt) else value.guard_float("", 0)
            return results

    def _arguments(self, node: torch.fx.Node) -> tuple[list[Any], dict[str, Any]]:
        given: dict[str, Any] = dict(node.kwargs)
        if isinstance(node.target, torch._ops.OpOverload):
            # Whether memory is pinned or the copy is asynchronous changes no result.
            for key in ("pin_memory", "non_blocking"):
                given.pop(key, None)
            if given.get("generator") is None:
                given.pop("generator", None)
        args = [self._argument(a, node) for a in node.args]
        if not isinstance(node.target, torch._ops.OperatorBase) and args[1:] == [None]:
            # Python's `round` of a size has no number of digits.
            args.pop()
        if args and isinstance(args[0], (bool, int, float)) and _takes_a_tensor(node.target):
            # PyTorch's traces may have a number where the operator takes a tensor.
            kind = "bool" if isinstance(args[0], bool) else "int64" if isinstance(args[0], int) else "float32"
            args[0] = self.graph.call("aten.scalar_tensor", args[0], dtype=dtype(kind))
        return args, {k: self._argument(v, node) for k, v in given.items()}

    def _argument(self, value: Any, node: torch.fx.Node) -> Any:
        match value:
            case torch.fx.Node():
                found = self.values[value]
                if isinstance(found, _Opaque):
                    raise refused(f"{node.target}: a {type(found.value).__name__} as an argument")
                return found
            case torch.dtype():
                return dtype(dtype_name(value))
            case torch.device():
                return device(_device_name(value))
            case torch.memory_format():
                return memory_format(_FORMATS[value])
            case torch.layout():
                if value != torch.strided:
                    raise refused(f"{value} tensors")
                return strided
            case torch.SymInt():
                return self.sizes.of(value)
            case list() | tuple():
                return [self._argument(v, node) for v in value]
            case None | bool() | int() | float() | complex() | str():
                return value
            case torch._ops.OpOverload() if _is_functionalized(node):
                raise refused(f"{value}, a custom operator that writes to its arguments")
            case torch._ops.OpOverload():
                raise refused(f"{node.target} of {value}")
            case _:
                raise refused(f"{node.target}: a {type(value).__name__} as an argument")

class _Opaque:
    """An argument that is neither a tensor nor a number."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value


def _error_of_torch(node: torch.fx.Node) -> Exception | None:
    """The error that PyTorch has for a node whose dtypes Litz refuses: what is wrong in the program is told as it tells it."""
    if any(isinstance(s, torch.SymInt) for n in node.all_input_nodes for s in getattr(n.meta.get("val"), "shape", ())):
        return None

    def real(argument: torch.fx.Node) -> Any:
        value = argument.meta.get("val")
        return torch.zeros(value.shape, dtype=value.dtype) if isinstance(value, torch.Tensor) else value

    with _disable_current_modes():
        try:
            node.target(*torch.fx.map_arg(node.args, real), **torch.fx.map_arg(node.kwargs, real))
        except RuntimeError as error:
            return error
    return None


def _fills_new_memory() -> bool:
    return torch.are_deterministic_algorithms_enabled() and torch.utils.deterministic.fill_uninitialized_memory


def _is_symbolic_split(node: torch.fx.Node) -> bool:
    """Whether the number of parts depends on a symbolic size."""
    source, size, dim = (*node.args, node.kwargs.get("dim", 0))[:3]
    return isinstance(size, torch.fx.Node) or isinstance(source.meta["val"].shape[dim], torch.SymInt)


def _takes_a_tensor(target: Any) -> bool:
    """Whether the first argument must be a tensor. In arithmetic a number may take its place."""
    if not isinstance(target, torch._ops.OpOverload) or torch.Tag.pointwise in target.tags:
        return False
    return isinstance(target._schema.arguments[0].type, torch.TensorType)


def _is_functionalized(node: torch.fx.Node) -> bool:
    """Whether the node wraps an operator that writes to its arguments."""
    return isinstance(node.target, torch._ops.HigherOrderOperator) and "auto_functionalized" in node.target.name()


def _nested(value: Any, results: Any) -> Any:
    """Results in the lists that PyTorch has them in; Litz gives them one behind another."""
    return tuple(_nested(v, results) for v in value) if isinstance(value, (tuple, list)) else next(results)


def _map(value: Any, function: Any) -> Any:
    return tuple(function(v) for v in value) if isinstance(value, (tuple, list)) else function(value)


def _device_name(value: torch.device) -> str:
    if value.type not in ("cpu", "cuda"):
        raise refused(f"tensors on {value}")
    return "cpu" if value.type == "cpu" else f"cuda:{value.index or 0}"


def _name(target: Any) -> str:
    """The name by which Litz knows what a node calls."""
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.name()}"
    module = getattr(target, "__module__", "")
    name = getattr(target, "__name__", str(target))
    if module in ("_operator", "math", "builtins") or (module.startswith("torch") and name.startswith(("sym_", "_sym_"))):
        return f"sym.{name}"
    raise refused(f"{module}.{name}" if module else name)
