#!/usr/bin/env python3
"""Writes tests/data/onnx/loop_of_*.{onnx,safetensors}: loops that put sequences together, with results that numpy computed (ONNX's
reference does not carry sequences through loops); and tests/data/far.onnx, whose weights lie 5 GB behind the beginning of a
file that the test makes. Needs onnx, numpy and safetensors.

    python3 tests/onnx_loops.py
"""

from pathlib import Path

import numpy as np
from onnx import TensorProto, checker, helper, save
from safetensors.numpy import save_file

DATA = Path(__file__).parent / "data" / "onnx"
FLOAT, INT, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def info(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def write(name, after, results):
    """A sum of each row's bag: rows of a table, from one offset on to the next."""
    one = helper.make_tensor("one", INT, [1], [1])
    zero = helper.make_tensor("zero", INT, [1], [0])
    sequence = helper.make_tensor_sequence_value_info
    nodes = [
        helper.make_node("Reshape", ["i", "one"], ["at"]),
        helper.make_node("Add", ["at", "one"], ["after"]),
        helper.make_node("Gather", ["offsets", "at"], ["start"]),
        helper.make_node("Gather", ["offsets", "after"], ["end"]),
        helper.make_node("Slice", ["indices", "start", "end", "zero"], ["bag"]),
        helper.make_node("Gather", ["table", "bag"], ["rows"]),
        helper.make_node("ReduceSum", ["rows", "zero"], ["sum"], keepdims=0),
        helper.make_node("Add", ["total", "sum"], ["more"]),
        helper.make_node("Identity", ["go"], ["goes"]),
        helper.make_node("SequenceInsert", ["list", "sum"], ["longer"]),
    ]
    body = helper.make_graph(
        nodes,
        "bag",
        [info("i", INT, []), info("go", BOOL, []), sequence("list", FLOAT, None), info("total", FLOAT, [4])],
        [info("goes", BOOL, []), sequence("longer", FLOAT, None), info("more", FLOAT, [4])],
        [one, zero],
    )
    graph = helper.make_graph(
        [
            helper.make_node("SequenceEmpty", [], ["none"]),
            helper.make_node("Loop", ["trips", "", "none", "first"], ["sums", "total"], body=body),
            *after,
        ],
        name,
        [info("table", FLOAT, [10, 4]), info("indices", INT, [90]), info("offsets", INT, [41]), info("first", FLOAT, [4])],
        [info("total", FLOAT, [4]), *results],
        [helper.make_tensor("trips", INT, [], [40])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model)
    save(model, DATA / f"{name}.onnx")
    random = np.random.default_rng(0)
    inputs = {
        "table": random.standard_normal((10, 4)).astype(np.float32),
        "indices": random.integers(0, 10, 90),
        "offsets": np.sort(np.append(random.integers(0, 90, 39), [0, 90])),
        "first": random.standard_normal(4).astype(np.float32),
    }
    tensors = {f"in{k}": value for k, value in enumerate(inputs.values())}
    bags = np.split(inputs["indices"], inputs["offsets"][1:-1])
    sums = np.stack([inputs["table"][bag].sum(0) for bag in bags])
    total = inputs["first"] + sums.sum(0)
    outputs = [total, sums.T, sums.reshape(-1), np.array(len(sums))]
    tensors |= {f"out{k}": np.array(value, order="C") for k, value in enumerate(outputs)}
    save_file(tensors, DATA / f"{name}.safetensors")


def write_until():
    """As PyTorch exports an embedding bag: nothing but a condition ends the loop, and what it carries is known."""
    one = helper.make_tensor("one", INT, [1], [1])
    zero = helper.make_tensor("zero", INT, [1], [0])
    offsets = np.array([0, 3, 3, 7, 8], np.int64)
    empty = helper.make_graph([], "empty", [], [info("row", FLOAT, [1, 4])], [helper.make_tensor("row", FLOAT, [1, 4], [0.0] * 4)])
    some = helper.make_graph(
        [helper.make_node("Slice", ["table", "start", "end"], ["rows"]), helper.make_node("ReduceSum", ["rows", "zero"], ["some"])],
        "some",
        [],
        [info("some", FLOAT, None)],
    )
    nodes = [
        helper.make_node("Reshape", ["k", "one"], ["at"]),
        helper.make_node("Add", ["at", "one"], ["after"]),
        helper.make_node("Add", ["after", "one"], ["last"]),
        helper.make_node("Slice", ["offsets", "at", "after"], ["start"]),
        helper.make_node("Slice", ["offsets", "after", "last"], ["end"]),
        helper.make_node("Equal", ["start", "end"], ["none"]),
        helper.make_node("If", ["none"], ["bag"], then_branch=empty, else_branch=some),
        helper.make_node("SequenceInsert", ["list", "bag"], ["longer"]),
        helper.make_node("Squeeze", ["after"], ["next"]),
        helper.make_node("Less", ["next", "count"], ["goes"]),
    ]
    sequence = helper.make_tensor_sequence_value_info
    body = helper.make_graph(
        nodes,
        "bag",
        [info("i", INT, []), info("go", BOOL, []), sequence("list", FLOAT, None), info("k", INT, [])],
        [info("goes", BOOL, []), sequence("longer", FLOAT, None), info("next", INT, [])],
        [one, zero],
    )
    graph = helper.make_graph(
        [
            helper.make_node("SequenceEmpty", [], ["nothing"]),
            helper.make_node("Loop", ["", "begins", "nothing", "first"], ["sums", "steps"], body=body),
            helper.make_node("ConcatFromSequence", ["sums"], ["joined"], axis=0),
        ],
        "loop_of_a_condition",
        [info("table", FLOAT, [8, 4])],
        [info("joined", FLOAT, [4, 4]), info("steps", INT, [])],
        [
            helper.make_tensor("begins", BOOL, [], [True]),
            helper.make_tensor("first", INT, [], [0]),
            helper.make_tensor("count", INT, [], [4]),
            helper.make_tensor("offsets", INT, [5], offsets),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    save(model, DATA / "loop_of_a_condition.onnx")
    table = np.random.default_rng(1).standard_normal((8, 4)).astype(np.float32)
    sums = np.stack([table[a:b].sum(0) for a, b in zip(offsets, offsets[1:])])
    save_file({"in0": table, "out0": sums, "out1": np.array(4)}, DATA / "loop_of_a_condition.safetensors")


def write_far():
    weight = TensorProto(name="w", data_type=FLOAT, dims=[3], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": "far.bin", "offset": 5_000_000_000, "length": 12}.items():
        weight.external_data.add(key=key, value=str(value))
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    graph = helper.make_graph(nodes, "far", [info("x", FLOAT, [3])], [info("y", FLOAT, [3])], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (DATA.parent / "far.onnx").write_bytes(model.SerializeToString())


def main():
    write_until()
    write_far()
    joined = [
        helper.make_node("ConcatFromSequence", ["sums"], ["stacked"], axis=1, new_axis=1),
        helper.make_node("ConcatFromSequence", ["sums"], ["joined"], axis=0),
        helper.make_node("SequenceLength", ["sums"], ["length"]),
    ]
    write("loop_of_bags", joined, [info("stacked", FLOAT, [4, 40]), info("joined", FLOAT, [160]), info("length", INT, [])])


if __name__ == "__main__":
    main()
