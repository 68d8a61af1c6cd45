"""Training programs: a forward, what it keeps, and its backward."""

from __future__ import annotations

from . import _native
from ._native import Saved
from .graph import Graph
from .texts import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Saved", "Training"]


class Training(_native.Training):
    """A program and its gradients, for training with an optimizer of the caller's.

    `forward(inputs)` gives the outputs and a `Saved`. `backward(saved, cotangents)` uses that up and gives the gradients
    of every floating input and parameter, in the order of `gradients`.
    """

    __slots__ = ("__weakref__",)

    @classmethod
    def of(cls, graph: Graph, options: _native.Options | None = None) -> Training:
        """Compiles a graph for training. An operator without a derivative is refused by name."""
        facts = graph.describe()
        return cls._compile(graph, options, len(facts["inputs"]), len(facts["outputs"]), len(facts["gradients"]))

    def describe(self) -> dict[str, Any]:
        """Both programs, what a forward keeps, and the gradients' names."""
        return loads(self._describe())

    @property
    def gradients(self) -> list[str]:
        """The inputs and parameters that a backward gives gradients of, in order."""
        return self.describe()["gradients"]
