"""Trees of arguments and results with types that PyTorch knows in this process."""

import collections
import dataclasses

import pytest

import litz

torch = pytest.importorskip("torch")

Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Held:
    x: torch.Tensor
    y: torch.Tensor | None
    count: int


torch.export.register_dataclass(Held, serialized_type_name="with_torch.Held")
torch.utils._pytree._register_namedtuple(Pair, serialized_type_name="with_torch.Pair")


class Module(torch.nn.Module):
    def forward(self, pair, held, *, scale):
        total = (pair.first + pair.second[0] + held.x * held.count) * scale
        return {"pair": Pair(total, (None, 2.5)), "held": Held(total + 1, None, 3), "none": None, "empty": []}


def test_tensors_that_have_no_memory_are_named():
    graph = litz.Graph("clone")
    graph.output("y", graph.aten.clone(graph.input("x", "float32", [2, 3])))
    program = graph.compile(backend="interpreter")
    for given in (torch.empty(2, 3, device="meta"), torch.ones(2, 3).to_sparse()):
        with pytest.raises(RuntimeError, match="^input 0 `x`: "):
            program(given)


def test_dataclasses_and_named_tuples_go_both_ways():
    x = torch.arange(6.0).reshape(2, 3)
    pair, held = Pair(x, [x * 2, None]), Held(x, None, 4)
    module = Module()
    program = litz.compile(torch.export.export(module, (pair, held), {"scale": 0.5}), backend="interpreter")
    found, want = program(pair, held, scale=0.5), module(pair, held, scale=0.5)
    assert torch.equal(found["pair"].first, want["pair"].first) and isinstance(found["pair"], Pair)
    assert found["pair"].second == (None, 2.5)
    assert isinstance(found["held"], Held) and torch.equal(found["held"].x, want["held"].x)
    assert (found["held"].y, found["held"].count, found["none"], found["empty"]) == (None, 3, None, [])
    with pytest.raises(ValueError, match="exported for 4, not 5"):
        program(pair, Held(x, None, 5), scale=0.5)
    with pytest.raises(TypeError, match=r"args\[1\]: a with_torch.Held"):
        program(pair, {"x": x}, scale=0.5)
    with pytest.raises(TypeError, match=r"args\[1\]: a with_torch.Held"):
        program(pair, Held(x, x, 4), scale=0.5)
