"""Tensors without a framework: from nested lists and back."""

from __future__ import annotations

import struct

from ._native import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Tensor", "tensor", "to_list"]

_FORMATS = {
    "float32": "f", "float64": "d", "float16": "e", "int64": "q", "int32": "i", "int16": "h", "int8": "b",
    "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "bool": "?",
}  # fmt: skip


def _flatten(data: Any, shape: list[int], depth: int, out: list[Any]) -> None:
    if not isinstance(data, (list, tuple)):
        if depth != len(shape):
            raise ValueError("the lists are not of one depth")
        out.append(data)
        return
    if depth == len(shape):
        raise ValueError("the lists are not of one depth")
    if len(data) != shape[depth]:
        raise ValueError(f"a list of {len(data)} stands beside one of {shape[depth]}")
    for item in data:
        _flatten(item, shape, depth + 1, out)


def tensor(data: Any, dtype: str = "float32") -> Tensor:
    """A tensor of a number or of nested lists of numbers, in host memory."""
    shape, first = [], data
    while isinstance(first, (list, tuple)):
        shape.append(len(first))
        if not first:
            break
        first = first[0]
    elements: list[Any] = []
    _flatten(data, shape, 0, elements)
    if dtype not in _FORMATS:
        raise ValueError(f"{dtype!r} is none of {', '.join(_FORMATS)}")
    return Tensor.from_bytes(struct.pack(f"{len(elements)}{_FORMATS[dtype]}", *elements), dtype, tuple(shape))


def to_list(value: Tensor) -> Any:
    """The elements of a tensor in host memory as nested lists; a number for a tensor without dimensions."""
    data = value.tobytes()
    if value.dtype == "bfloat16":
        # The upper half of a float32.
        words = struct.unpack(f"{len(data) // 2}H", data)
        flat: Any = struct.unpack(f"{len(words)}f", struct.pack(f"{len(words)}I", *(w << 16 for w in words)))
    elif value.dtype in ("complex64", "complex128"):
        parts = memoryview(data).cast("f" if value.dtype == "complex64" else "d").tolist()
        flat = [complex(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    elif value.dtype in _FORMATS:
        form = _FORMATS[value.dtype]
        flat = struct.unpack(f"{len(data) // struct.calcsize(form)}{form}", data)
    else:
        raise TypeError(f"Python has no numbers for {value.dtype}")
    place = iter(flat)

    def nest(shape: tuple[int, ...]) -> Any:
        return [nest(shape[1:]) for _ in range(shape[0])] if shape else next(place)

    return nest(value.shape)
