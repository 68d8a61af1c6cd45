"""Files of weights: safetensors, the index of several of them, and GGUF."""

from __future__ import annotations

from . import _native
from .texts import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

__all__ = ["Weights"]


class Weights(_native.Weights):
    """A file of weights, mapped: it must not change as long as this, a graph or a program with weights of it lives.

    >>> weights = litz.Weights("model.gguf")
    >>> w = graph.weight(weights, "blk.0.attn_q.weight")

    GGUF's blocks stay packed; the compiled program unpacks them where it reads them.
    """

    __slots__ = ("__weakref__",)

    def __new__(cls, path: str | os.PathLike[str]) -> Weights:
        return cls._open(path)

    def describe(self) -> dict[str, Any]:
        """`metadata`, and `tensors` with `name`, `format`, `dtype`, `shape` and `bytes` of each."""
        return loads(self._describe())

    @property
    def names(self) -> list[str]:
        """The tensors' names, in the file's order."""
        return [t["name"] for t in self.describe()["tensors"]]

    def __repr__(self) -> str:
        return f"<litz.Weights of {len(self.names)} tensors>"
