"""Graphs: loaded, or built node by node with ATen's operators."""

from __future__ import annotations

from contextlib import contextmanager

from . import _native
from ._native import Attribute, Value
from .options import options as make_options
from .texts import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from .executable import Executable
    from .training import Training
    from .weights import Weights

__all__ = ["Graph", "Value", "device", "dtype", "load", "memory_format", "strided"]

_KINDS = {"parameter": 0, "buffer": 1, "constant": 2}
# The numbers of PyTorch's export schema, which the C ABI shares: LITZ_DTYPE_….
_DTYPES = {
    "uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "float16": 6, "float32": 7, "float64": 8, "complex32": 9,
    "complex64": 10, "complex128": 11, "bool": 12, "bfloat16": 13, "uint16": 28, "float8_e4m3fn": 29, "float8_e5m2": 30,
    "float8_e4m3fnuz": 31, "float8_e5m2fnuz": 32, "uint32": 36, "uint64": 37,
}  # fmt: skip
_FORMATS = {"contiguous_format": 1, "channels_last": 2, "channels_last_3d": 3, "preserve_format": 4}

#: The layout of tensors with strides, as an argument of an operator.
strided = Attribute(15, 7)


def dtype(name: str) -> Attribute:
    """A dtype as an argument of an operator: `litz.dtype("int64")`."""
    if name not in _DTYPES:
        raise ValueError(f"no dtype is called {name!r}; there are {', '.join(_DTYPES)}")
    return Attribute(9, _DTYPES[name])


def device(name: str) -> Attribute:
    """A device as an argument of an operator: `litz.device("cuda:0")`."""
    kind, index = _device(name)
    return Attribute(13, kind << 32 | index)


def _device(name: str) -> tuple[int, int]:
    kind, _, index = name.partition(":")
    if kind not in ("cpu", "cuda"):
        raise ValueError(f"the device {name!r} is neither cpu nor cuda")
    return 1 if kind == "cpu" else 2, int(index or 0)


def memory_format(name: str) -> Attribute:
    """A memory format as an argument of an operator: `litz.memory_format("channels_last")`."""
    if name not in _FORMATS:
        raise ValueError(f"no memory format is called {name!r}; there are {', '.join(_FORMATS)}")
    return Attribute(14, _FORMATS[name])


class _Operators:
    """Operators by attributes: `graph.aten.add.Tensor(a, b)`; `graph.aten.relu(x)` is the overload `default`."""

    __slots__ = ("_graph", "_name")

    def __init__(self, graph: Graph, name: str) -> None:
        self._graph, self._name = graph, name

    def __getattr__(self, name: str) -> _Operators:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Operators(self._graph, f"{self._name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._graph.call(self._name, *args, **kwargs)


class Graph(_native.Graph):
    """A tensor program that is built or was loaded. One thread at a time may use it.

    >>> graph = litz.Graph("double")
    >>> x = graph.input("x", "float32", [2, 3])
    >>> graph.output("y", graph.aten.relu(x) * 2)
    >>> program = graph.compile()
    """

    __slots__ = ("__weakref__",)

    def __new__(cls, name: str = "graph", **options: Any) -> Graph:
        return cls._new(name, make_options(**options))

    def symbol(self, name: str, min: int = 0, max: int | None = None, hint: int | None = None) -> Value:
        """A size that is known at run time only, from `min` to `max`; `hint` is a typical one."""
        return self._symbol(name, min, -1 if max is None else max, -1 if hint is None else hint)

    def scalar_input(self, name: str, dtype: str = "int64", min: int = 0, max: int | None = None) -> Value:
        """A number that is given to each run: int64, bool or float64. Integers and bools may stand wherever a symbol may, and
        a float wherever a tensor may."""
        return self._scalar_input(name, _DTYPES[dtype], min, -1 if max is None else max)

    def input(
        self,
        name: str,
        dtype: str,
        shape: Sequence[int | Value],
        *,
        strides: Sequence[int] | None = None,
        device: str = "cpu",
        requires_grad: bool = False,
    ) -> Value:
        """A tensor that is given to each run. Sizes may be symbols."""
        given = None if strides is None else tuple(strides)
        return self._input(name, dtype, tuple(shape), given, *_device(device), requires_grad)

    def constant(self, name: str, data: Any, kind: str = "constant", *, borrow: bool = False) -> Value:
        """A tensor with its data: an array in host memory. `kind` is parameter, buffer or constant.

        With `borrow` the data is not copied: it is contiguous, and nobody changes it as long as the graph or one of its
        programs lives.
        """
        return self._constant(name, _KINDS[kind], data, borrow)

    def parameter(self, name: str, data: Any) -> Value:
        """A constant that training changes."""
        return self.constant(name, data, "parameter")

    def buffer(self, name: str, data: Any) -> Value:
        """A constant that runs may write to: the program's state."""
        return self.constant(name, data, "buffer")

    def weight(self, weights: Weights, tensor: str, name: str | None = None, kind: str = "parameter") -> Value:
        """A tensor of a file of weights, whose data stay in the file. `name` is the constant's where it differs from the tensor's.

        A tensor in one of GGUF's block formats is unpacked to float32 by the program.
        """
        return self._weight(weights, tensor, name, _KINDS[kind])

    def call(self, op: str, *args: Any, **kwargs: Any) -> Any:
        """Adds an operator by its name, `"aten.add.Tensor"` or `"sym.mul"`, and gives its result: a tuple of several.

        Arguments are values, numbers, strings, None, lists of them, graphs (for operators that run one), and what `dtype`,
        `device` and `memory_format` give. Those that are left out have the schema's default.
        """
        results = self._call(op, *args, **kwargs)
        return results[0] if len(results) == 1 else results

    @property
    def aten(self) -> Any:
        """ATen's operators by attributes: `graph.aten.add.Tensor(a, b, alpha=2)`."""
        return _Operators(self, "aten")

    @property
    def sym(self) -> Any:
        """Operators on symbols: `graph.sym.mul(rows, 2)`."""
        return _Operators(self, "sym")

    @contextmanager
    def unfused(self) -> Iterator[None]:
        """Operators that are added inside run one at a time: no kernel computes one of them together with another operator.

        >>> with graph.unfused():
        ...     y = graph.aten.exp(graph.aten.relu(x))
        """
        first = self._node_count()
        yield
        self._disable_fusion(first)

    def differentiate(
        self, outputs: Value | Sequence[Value], wrt: Sequence[Value], cotangents: Sequence[Value | None] | None = None
    ) -> tuple[Value | None, ...]:
        """Appends the gradients of `outputs` with respect to `wrt`; None where no output depends on one.

        `cotangents` weigh the outputs. Without them there is one output, of one element.
        """
        given = [outputs] if isinstance(outputs, Value) else outputs
        return self._differentiate(given, wrt, cotangents)

    def differentiate_forward(
        self, outputs: Value | Sequence[Value], wrt: Sequence[Value], tangents: Sequence[Value | None]
    ) -> tuple[Value | None, ...]:
        """Appends the derivatives of `outputs` where `wrt` move along `tangents`; None where an output does not depend on them.

        A tangent of None leaves its value where it is.
        """
        given = [outputs] if isinstance(outputs, Value) else outputs
        return self._differentiate_forward(given, wrt, tangents)

    def describe(self) -> dict[str, Any]:
        """Name, inputs, outputs, constants, symbols, operators and writes."""
        return loads(self._describe())

    @property
    def spec(self) -> dict[str, Any]:
        """The signature: leaves and trees of arguments and results, and metadata."""
        return loads(self._spec())

    @spec.setter
    def spec(self, value: Mapping[str, Any]) -> None:
        self._set_spec(dumps(value))

    def compile(self, *, examples: Sequence[Any] | None = None, **options: Any) -> Executable:
        """Compiles the graph; see `litz.compile`."""
        from .executable import compile

        return compile(self, examples=examples, **options)

    def compile_training(self, **options: Any) -> Training:
        """Compiles a forward that keeps what gradients need, and its backward."""
        from .training import Training

        return Training.of(self, make_options(**options))

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Compiles to an artifact, which `litz.open` and programs without Python read."""
        self._save(path, make_options(**options))

    def __repr__(self) -> str:
        facts = self.describe()
        count = sum(facts["operators"].values())
        return f"<litz.Graph {facts['name']!r}: {_leaves(facts['inputs'])} -> {_leaves(facts['outputs'])}, {count} nodes>"

    def _repr_html_(self) -> str:
        from .show import graph_html

        return graph_html(self)


def _leaves(leaves: list[dict[str, Any]]) -> str:
    return "(" + ", ".join(map(_leaf, leaves)) + ")"


def _leaf(leaf: dict[str, Any]) -> str:
    sizes = ", ".join(map(str, leaf.get("shape") or []))
    return f"{leaf.get('dtype', 'number')}[{sizes}]"


def describe_value(value: Value) -> dict[str, Any]:
    """Dtype, shape, strides and producer of a tensor; range of a symbol. Sizes are numbers, or expressions as strings."""
    return loads(value._describe())


def value_dtype(value: Value) -> str:
    """The name of a value's dtype."""
    return "int64" if value.is_number else describe_value(value)["dtype"]


def value_shape(value: Value) -> tuple[int | Value, ...]:
    """A value's sizes; those that are not fixed are symbols of its graph."""
    graph: Any = value.graph
    sizes = enumerate(() if value.is_number else describe_value(value)["shape"])
    return tuple(n if isinstance(n, int) else graph.call("aten.sym_size.int", value, k) for k, n in sizes)


def value_repr(value: Value) -> str:
    """A value as it is shown: dtype and sizes of a tensor, the expression of a symbol."""
    facts = describe_value(value)
    if "shape" in facts:
        return f"<litz.Value {_leaf(facts)}>"
    return f"<litz.Value {facts.get('symbol', facts.get('number'))}>"


def arithmetic(name: str, left: Any, right: Any) -> Any:
    """An operator of Python on values: on symbols and integers a symbol, otherwise ATen's operator."""
    value = left if isinstance(left, Value) else right
    graph: Any = value.graph
    if name == "neg":
        return graph._call("sym.neg" if value.is_number else "aten.neg", value)[0]
    both = [v for v in (left, right) if isinstance(v, Value)]
    if not all(isinstance(v, (Value, int, float)) for v in (left, right)):
        return NotImplemented
    if all(v.is_number for v in both):
        return graph._call({"div": "sym.truediv"}.get(name, f"sym.{name}"), left, right)[0]
    if name == "matmul":
        return graph._call("aten.matmul", left, right)[0] if len(both) == 2 else NotImplemented
    if name == "floordiv":
        how = {"rounding_mode": "floor"}
        overload = "Tensor_mode" if isinstance(right, Value) else "Scalar_mode"
        return graph._call(f"aten.div.{overload}", left, right, **how)[0] if isinstance(left, Value) else NotImplemented
    if isinstance(left, Value):
        overload = "Tensor" if isinstance(right, Value) and not right.is_number else "Scalar"
        return graph._call(f"aten.{name}.{overload}", left, right)[0]
    if name in ("add", "mul"):
        return graph._call(f"aten.{name}.Scalar", right, left)[0]
    if name == "sub":
        return graph._call("aten.rsub.Scalar", right, left)[0]
    return graph._call("aten.mul.Scalar", graph._call("aten.reciprocal", right)[0], left)[0]


def _format_of(data: bytes | bytearray) -> str:
    """The format of a file's bytes. Zip archives begin with PK, ONNX models with the version of their format."""
    if bytes(data[:2]) == b"PK":
        return "pt2"
    if data[:1] == b"\x08":
        return "onnx"
    return "json" if bytes(data[:64]).lstrip().startswith(b"{") else "text"


def load(source: Any, *, format: str | None = None, weights: Weights | None = None, **options: Any) -> Graph:
    """Loads a graph.

    `source` is the path of a `.pt2` archive (`torch.export.save`), of an ONNX model (`.onnx`), of export JSON (`.json`) or
    of Litz text (`.litz`); the bytes of one; or a `torch.export.ExportedProgram`. `format` is `"pt2"`, `"onnx"`, `"json"` or
    `"text"` where the name, or the beginning of the bytes, does not tell it. Archives and models are mapped: the file must not change as long as the graph or one
    of its programs lives. Export JSON has no weights: its constants are inputs, unless `weights` has them by their names.
    """
    import os

    made = make_options(**options)
    form = format or "pt2"
    if isinstance(source, (bytes, bytearray)):
        form = format or _format_of(source)
    elif isinstance(source, (str, os.PathLike)):
        ending = os.path.splitext(os.fspath(source))[1].lower()
        form = format or {".json": "json", ".litz": "text", ".txt": "text", ".onnx": "onnx"}.get(ending, "pt2")
    if weights is not None and form != "json":
        raise TypeError("weights go with export JSON alone: other formats have their own")
    if isinstance(source, (bytes, bytearray)):
        return Graph._from(form, bytes(source), made, weights)
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if form in ("pt2", "onnx"):
            return Graph._from(form, path, made)
        with open(path, encoding="utf-8") as file:
            return Graph._from(form, file.read(), made, weights)
    if hasattr(source, "graph_signature") and hasattr(source, "state_dict"):
        import io

        from torch.export import save

        if any(getattr(node.target, "__module__", "").startswith("torch._functorch") for node in source.graph.nodes):
            # What `torch.vmap` leaves before decomposition are no operators.
            source = source.run_decompositions({})
        archive = io.BytesIO()
        save(source, archive)
        return Graph._from("pt2", archive.getvalue(), made)
    raise TypeError(f"a path, bytes or an ExportedProgram is asked, not {type(source).__name__}")
