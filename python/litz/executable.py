"""Compiled programs: made, opened, called and looked at."""

from __future__ import annotations

from . import _native
from .graph import Graph, load
from .options import options as make_options
from .texts import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Executable", "TensorInfo", "compile", "open"]


class TensorInfo:
    """An input, output or constant of a program."""

    __slots__ = ("alias_of", "device", "dtype", "kind", "max_shape", "min_shape", "mutated", "name", "strides")

    def __init__(self, fields: tuple[Any, ...], constant: bool) -> None:
        name, dtype, least, most, strides, mutated, kind, device, alias, number = fields
        self.name: str = name
        self.dtype: str = dtype
        #: The least sizes, and the largest: None where there is no bound.
        self.min_shape: tuple[int, ...] = least
        self.max_shape: tuple[int | None, ...] = most
        #: In elements; None where they depend on a size.
        self.strides: tuple[int, ...] | None = strides
        #: Runs write to it.
        self.mutated: bool = mutated
        #: Of a constant: parameter, buffer or constant.
        self.kind: str | None = ("parameter", "buffer", "constant")[kind] if constant else None
        self.device: str = {1: "cpu", 2: "cuda"}.get(device, "device")
        #: Of an output: the input, constant or output that it is a view of, as ("output", 0).
        self.alias_of: tuple[str, int] | None = (("", "input", "constant", "output")[alias], number) if alias else None

    def __repr__(self) -> str:
        return f"TensorInfo({', '.join(f'{name}={getattr(self, name)!r}' for name in sorted(self.__slots__))})"


class Executable(_native.Executable):
    """A compiled program. It is called like the function that it was made of, with arrays of NumPy, PyTorch, JAX, CuPy or
    any other framework with DLPack, none of which is copied; results are arrays of the first input's framework.

    Any number of threads may call one at once, and the GIL is free while it runs.
    """

    __slots__ = ("__weakref__",)

    @property
    def inputs(self) -> list[TensorInfo]:
        """What `run` takes, in order."""
        return [TensorInfo(i, False) for i in self._info(0)]

    @property
    def outputs(self) -> list[TensorInfo]:
        """What `run` gives, in order."""
        return [TensorInfo(i, False) for i in self._info(1)]

    @property
    def constants(self) -> list[TensorInfo]:
        """Parameters, buffers and constants."""
        return [TensorInfo(i, True) for i in self._info(2)]

    def describe(self) -> dict[str, Any]:
        """What was compiled: backend, kernels with what fused into each, symbols, times, memory, fallbacks."""
        return loads(self._describe())

    @property
    def spec(self) -> dict[str, Any]:
        """The signature: leaves and trees of arguments and results, and metadata."""
        return loads(self._spec())

    def check_spec(self, spec: dict[str, Any]) -> None:
        """Compares a caller's view of the signature with the program's; the error names the first path that differs."""
        self._check_spec(dumps(spec))

    def __repr__(self) -> str:
        from .show import executable_repr

        return executable_repr(self)

    def _repr_html_(self) -> str:
        from .show import executable_html

        return executable_html(self)


def _bound(program: Executable) -> Executable:
    from . import trees

    program._bind(*trees.binder(program.spec))
    return program


def compile(source: Any, *, examples: Sequence[Any] | None = None, **options: Any) -> Executable:
    """Compiles a graph, or what `litz.load` loads.

    `examples` is a flat list of inputs like those of later runs: they give symbols their typical sizes, and autotuning
    times runs on them. Options are keywords, `cpu_threads=4` for `cpu.threads`; `litz.describe_options()` tells them.
    `log` and `trace` are functions for messages and events.
    """
    made = make_options(**options)
    graph = source if isinstance(source, Graph) else load(source, values=made)
    return _bound(Executable._compile(graph, made, examples))


def open(source: str | os.PathLike[str] | bytes, **options: Any) -> Executable:
    """Opens an artifact, a `.so` that `save` wrote. Opening runs its code: open only files that you trust."""
    return _bound(Executable._open(source, make_options(**options)))
