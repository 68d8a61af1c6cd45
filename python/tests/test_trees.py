"""Trees of arguments and results, by the signatures of exported programs."""

import collections
import json

import numpy as np
import pytest

import litz
from litz import trees

DEQUE, DEFAULT = collections.deque, collections.defaultdict


def array(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


def test_containers_fixed_values_and_none(data):
    program = litz.compile(data / "trees" / "plain.pt2", backend="interpreter")
    x, z, deep, mask = array(2, 3), array(2), array(2, 3), array(2, 3)

    def call(**changed):
        kwargs = {"mode": "relu", "steps": 7, "mask": mask, "scale": 2.0, "flag": False} | changed
        return program({"x": x, "z": DEQUE([z])}, [DEFAULT(list, deep=(None, deep))], **kwargs)

    first, second = call()
    y = np.maximum((x * 2 + deep) * mask, 0)
    np.testing.assert_allclose(first["y"], y, rtol=1e-6)
    np.testing.assert_allclose(first["views"][1], y.T, rtol=1e-6)
    assert list(first) == ["y", "views", "nothing", "number", "ratio", "mode", "flag", 3]
    assert isinstance(first["views"], list) and isinstance(first["views"][2], tuple)
    assert (first["nothing"], first["number"], first["ratio"], first["mode"], first["flag"]) == (None, 7, 0.5, "relu", False)
    np.testing.assert_allclose(first[3], z + 1)
    assert type(second) is collections.OrderedDict and second["a"] == 2
    with pytest.raises(ValueError, match="kwargs.mode: the program was exported for 'relu', not 'gelu'"):
        call(mode="gelu")
    with pytest.raises(ValueError, match="kwargs.steps: .* 7, not 7.0"):
        call(steps=7.0)
    with pytest.raises(TypeError, match="kwargs.mask: a tensor is asked, not None"):
        call(mask=None)
    with pytest.raises(TypeError, match="the keywords scale, mode, mask, flag, steps are asked"):
        program({"x": x, "z": DEQUE([z])}, [DEFAULT(list, deep=(None, deep))])
    with pytest.raises(TypeError, match=r"args\[0\]: a dict with the keys"):
        program({"x": x}, [{}], mode="relu", steps=7, mask=mask, scale=2.0, flag=False)
    with pytest.raises(TypeError, match=r"args\[1\]: a builtins.list with 1 items"):
        program({"x": x, "z": DEQUE([z])}, [], mode="relu", steps=7, mask=mask, scale=2.0, flag=False)


def test_types_of_the_users(data):
    program = litz.compile(data / "trees" / "classes.pt2", backend="interpreter")
    pair = collections.namedtuple("Pair", "first second")(array(2, 3), array(2, 3))
    weight, keys, values = array(3, 4), array(2), array(2, 5)
    with pytest.raises(TypeError, match=r"args\[1\]: the type trees.Settings is not known here"):
        program(pair, None, None)
    litz.register_tree_type("trees.Settings", lambda s: [s["scale"], s["weight"]], lambda c, _: tuple(c))
    litz.register_tree_type("trees.Cache", lambda c: c, lambda c, names: dict(zip(names, c, strict=True)))
    result, cache = program(pair, {"scale": 0.25, "weight": weight}, [keys, values])
    assert type(result).__name__ == "Pair" and result._fields == ("first", "second")
    x = pair.first + pair.second * 0.25
    np.testing.assert_allclose(result.first, x, rtol=1e-6)
    assert result.second[0] == 2.5
    np.testing.assert_allclose(result.second[1], x @ weight, rtol=1e-5)
    np.testing.assert_allclose(cache["keys"], keys + 1)


def test_every_signature_of_the_repository_is_bound(data):
    for path in sorted((data / "trees").glob("*.pt2")):
        program = litz.compile(path, backend="interpreter")
        expected = json.loads(path.with_suffix(".json").read_text())
        assert json.loads(program.spec["in_tree"]) == json.loads(expected["in_tree"]), path
        program.check_spec(program.spec)


def test_single_results_and_dynamic_sizes(data):
    program = litz.compile(data / "trees" / "single.pt2")
    assert program(array(2, 4)).shape == (2, 3)
    program = litz.compile(data / "trees" / "dynamic.pt2", backend="interpreter")
    x, more = array(4, 3), array(6, 3)
    rows, (count, number), queue = program(x, {"rows": more, "queue": (array(2, 3),)}, 6)
    np.testing.assert_allclose(rows, np.concatenate([x, more]) * 6, rtol=1e-6)
    assert (count, number) == (10, 7) and queue.shape == (3, 2)


def test_a_mutated_argument(data):
    program = litz.compile(data / "trees" / "mutated.pt2", backend="interpreter")
    total, x = np.zeros(3, np.float32), np.ones(3, np.float32)
    for run in (1, 2):
        view, count, rest = program({"total": total}, x)
        assert total.tolist() == [run] * 3 and view.tolist() == [[run]] * 3 and count.tolist() == [run] * 3
        assert rest.tolist() == [1, 1]


def test_results_that_are_none_beside_a_field_that_is(data):
    # A dataclass's field that is None is a leaf of the signature and not of the tree; a None in a list is a leaf of both.
    leaf = {"type": None, "context": None, "children_spec": []}
    settings = {"type": "tests.Held", "context": '[["x"], ["y"]]', "children_spec": [leaf]}
    tree = {"type": "builtins.list", "context": "null", "children_spec": [leaf, settings, leaf]}
    leaves = [("output[0]", "none"), ("output[1].x", "tensor"), ("output[1].y", "none"), ("output[2]", "none")]
    spec = {"outputs": [{"path": p, "kind": k} for p, k in leaves], "out_tree": json.dumps([1, tree])}
    litz.register_tree_type("tests.Held", lambda held: [held], lambda children, names: (children, names))
    unflatten, form = trees._results(spec)
    assert form == "tree"
    assert unflatten((7,)) == [None, ([7], [["x"], ["y"]]), None]
    spec["outputs"].pop()
    with pytest.raises(TypeError, match="the program's tree has 3 leaves, and its signature 5"):
        trees._results({**spec, "outputs": spec["outputs"] + spec["outputs"][:2]})
