"""What the tests share."""

import pathlib

import pytest

import litz

#: The repository, whose exported programs the tests use.
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def data():
    """The folder of exported programs."""
    return ROOT / "tests" / "data"


@pytest.fixture
def weighted():
    """relu(x @ w.T) * 2 + 1 for 1 to 64 rows, with w = [[0, 1, 2], [3, 4, 5]]."""
    graph = litz.Graph("weighted")
    x = graph.input("x", "float32", [graph.symbol("rows", 1, 64), 3])
    w = graph.parameter("w", litz.tensor([[0, 1, 2], [3, 4, 5]]))
    graph.output("y", graph.aten.relu(graph.aten.linear(x, w)) * 2 + 1)
    return graph
