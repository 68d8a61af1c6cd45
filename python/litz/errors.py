"""The exceptions of failed calls, one for each kind of failure. Each is also the built-in exception that fits best."""

from __future__ import annotations

__all__ = [
    "AbiError", "AssertionFailed", "CancelledError", "CapacityError", "CudaError", "DeviceError", "DtypeError", "Error",
    "InputOutputError", "InternalError", "InvalidArgument", "OutOfMemory", "ParseError", "ShapeError", "StateError",
    "ToolchainError", "Unsupported",
]  # fmt: skip


class Error(Exception):
    """A call that failed. The text says what is wrong, where, and how to mend it."""

    #: The number of the failure: `LITZ_ERROR_…` of `litz.h`.
    code: int = 0
    _detail: str = "{}"

    @property
    def detail(self) -> dict[str, object]:
        """The same for programs: the operator, argument, file or offset that the failure is about."""
        from .texts import loads

        return loads(self._detail)


class InvalidArgument(Error, ValueError):
    """An argument cannot be."""


class Unsupported(Error, NotImplementedError):
    """Refused as not supported: the text names what, and nothing was attempted."""


class ShapeError(Error, ValueError):
    """Sizes that do not fit together, or do not fit the compiled program."""


class DtypeError(Error, TypeError):
    """An element type that does not fit."""


class DeviceError(Error, RuntimeError):
    """A device that is not there, or a tensor on another than asked for."""


class ParseError(Error, ValueError):
    """A malformed file, archive or text; the text says where."""


class InputOutputError(Error, OSError):
    """The system refused to read or write."""


class ToolchainError(Error, RuntimeError):
    """A C++ compiler is missing or failed; its output is in `detail`."""


class CudaError(Error, RuntimeError):
    """A CUDA driver or library is missing, or reported a failure."""


class OutOfMemory(Error, MemoryError):
    """Memory was refused."""


class AbiError(Error, ImportError):
    """A library or artifact of another version than is understood."""


class StateError(Error, RuntimeError):
    """Not possible in the state that the object is in."""


class CapacityError(Error, RuntimeError):
    """An array was too small."""


class CancelledError(Error, RuntimeError):
    """The work was cancelled."""


class AssertionFailed(Error, AssertionError, RuntimeError):
    """The graph's own run-time assertion failed. PyTorch raises a `RuntimeError` there."""


class InternalError(Error, RuntimeError):
    """A mistake inside Litz."""


_CLASSES: dict[int, type[Error]] = {
    1: InvalidArgument, 2: Unsupported, 3: ShapeError, 4: DtypeError, 5: DeviceError, 6: ParseError, 7: InputOutputError,
    8: ToolchainError, 9: CudaError, 10: OutOfMemory, 11: AbiError, 12: StateError, 13: CapacityError,
    14: CancelledError, 15: AssertionFailed, 99: InternalError,
}  # fmt: skip


def make(code: int, message: str, detail: str) -> Error:
    """The exception of a failed call."""
    error = _CLASSES.get(code, Error)(message)
    error.code = code
    error._detail = detail
    return error


def refused(what: str) -> Unsupported:
    """An error as the library's own of this kind."""
    error = Unsupported(f"not supported: {what}")
    error.code = 2
    return error
