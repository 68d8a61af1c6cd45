"""Litz compiles graphs of tensor operators to native code.

>>> program = litz.compile("model.pt2")
>>> y = program(x)
"""

from __future__ import annotations

from . import _native
from .errors import (
    AbiError,
    AssertionFailed,
    CancelledError,
    CapacityError,
    CudaError,
    DeviceError,
    DtypeError,
    Error,
    InputOutputError,
    InternalError,
    InvalidArgument,
    OutOfMemory,
    ParseError,
    ShapeError,
    StateError,
    ToolchainError,
    Unsupported,
)
from .executable import Executable, TensorInfo, compile, open
from .graph import Graph, Value, describe_value, device, dtype, load, memory_format, strided
from .options import describe_options, options
from .registry import Registry, default_registry, register_decomposition, register_operator
from .tensors import Tensor, tensor, to_list
from .texts import loads
from .training import Saved, Training
from .weights import Weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .trees import register_tree_type

__version__: str = _native.version()


def backends() -> list[dict[str, Any]]:
    """The backends, each with `available` and `why_not`. Looks for compilers and drivers, which takes up to a second."""
    return loads(_native.backends())


def counters() -> dict[str, Any]:
    """Counts of the library's work in this process: compilations, kernels, the cache, CUDA graphs."""
    return loads(_native.counters())


def memory_stats(device: str = "cpu") -> dict[str, Any]:
    """How much memory the library holds on a device."""
    from .graph import _device

    return loads(_native.memory_stats(*_device(device)))


def memory_release(device: str = "cpu") -> None:
    """Gives unused memory that the library holds on a device back to the system."""
    from .graph import _device

    _native.memory_release(*_device(device))


def reset() -> None:
    """Drops caches and idle memory, and sets the counters to zero. Programs and results stay."""
    _native.reset()


def set_threads(n: int) -> None:
    """How many threads programs without `cpu_threads` of their own use; 0: one for each CPU."""
    _native.set_threads(n)


def __getattr__(name: str) -> Any:
    # Trees need modules that take longer to import than all the rest.
    if name == "register_tree_type":
        from .trees import register_tree_type

        return register_tree_type
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "AbiError", "AssertionFailed", "CancelledError", "CapacityError", "CudaError", "DeviceError", "DtypeError", "Error",
    "Executable", "Graph", "InputOutputError", "InternalError", "InvalidArgument", "OutOfMemory", "ParseError",
    "Registry", "Saved", "ShapeError", "StateError", "Tensor", "TensorInfo", "ToolchainError", "Training",
    "Unsupported", "Value", "Weights", "__version__", "backends", "compile", "counters", "default_registry",
    "describe_options", "describe_value", "device", "dtype", "load", "memory_format", "memory_release", "memory_stats",
    "open", "options", "register_decomposition", "register_operator", "register_tree_type", "reset", "set_threads",
    "strided", "tensor", "to_list",
]  # fmt: skip
