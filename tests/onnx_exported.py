#!/usr/bin/env python3
"""Writes tests/data/onnx/exported_*.{onnx,safetensors}: what exporters and converters write around sizes that a run knows, with the
results of ONNX Runtime. Needs onnx, onnxruntime, numpy and safetensors.

    python3 tests/onnx_exported.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper, save
from safetensors.numpy import save_file

DATA = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data" / "onnx"
RANDOM = np.random.default_rng(0)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(" "), outputs.split(" "), **attributes)


def case(name, nodes, inputs, outputs, constants=None, opset=17):
    """`inputs` are arrays with the names of their sizes, by name; `constants` are arrays."""
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), sizes)
        for name, (value, sizes) in inputs.items()
    ]
    held = [numpy_helper.from_array(value, name) for name, value in (constants or {}).items()]
    graph = helper.make_graph(nodes, name, infos, [ValueInfoProto(name=y) for y in outputs], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    results = session.run(outputs, {name: value for name, (value, _) in inputs.items()})
    # The runtime has found the types that were left open.
    for value, result in zip(graph.output, results, strict=True):
        element = helper.np_dtype_to_tensor_dtype(result.dtype)
        value.CopyFrom(helper.make_tensor_value_info(value.name, element, [None] * result.ndim))
    save(helper.make_model(graph, opset_imports=model.opset_import, ir_version=8), DATA / f"exported_{name}.onnx")
    tensors = {f"in{k}": value for k, (value, _) in enumerate(inputs.values())}
    tensors |= {f"out{k}": np.array(value, order="C") for k, value in enumerate(results)}
    save_file(tensors, DATA / f"exported_{name}.safetensors")


def boxes():
    """As detectors choose boxes, of a number that a run knows."""
    corners = RANDOM.random((2, 60, 4)).astype(np.float32) * 8
    scores = RANDOM.random((2, 3, 60)).astype(np.float32)
    limits = {"most": ints(7), "overlap": np.float32([0.2]), "least": np.float32([0.3])}
    inputs = {"boxes": (corners, ["b", "n", 4]), "scores": (scores, ["b", 3, "n"])}
    for center in (0, 1):
        chosen = node("NonMaxSuppression", "boxes scores most overlap least", "chosen", center_point_box=center)
        case(f"boxes_{'centers' if center else 'corners'}", [chosen], inputs, ["chosen"], limits)


def recurrent():
    """Layers over as many steps as a run has."""
    size = 4

    def weights(gates, directions):
        return {
            "w": normal(directions, gates * size, 3) / 2,
            "r": normal(directions, gates * size, size) / 2,
            "b": normal(directions, 2 * gates * size) / 2,
        }

    x = {"x": (normal(6, 2, 3), ["t", "n", 3])}
    lengths = {"lengths": (np.array([6, 3], np.int32), ["n"])}
    relu = node("RNN", "x w r b", "y h", hidden_size=size, activations=["Relu", "Relu"], direction="bidirectional")
    case("rnn_of_relu", [relu], x, ["y", "h"], weights(1, 2))
    for before in (0, 1):
        how = {"hidden_size": size, "linear_before_reset": before, "direction": "bidirectional"}
        gru = node("GRU", "x w r b lengths", "y h", **how)
        case(f"gru_of_lengths_{before}", [gru], x | lengths, ["y", "h"], weights(3, 2))
    held = weights(4, 1) | {"p": normal(1, 3 * size)}
    inputs = x | lengths | {s: (normal(1, 2, size), [1, "n", size]) for s in ("h0", "c0")}
    lstm = node("LSTM", "x w r b lengths h0 c0 p", "y h c", hidden_size=size, direction="reverse", clip=0.9)
    case("lstm_of_lengths", [lstm], inputs, ["y", "h", "c"], held)


def padding():
    """PyTorch's list of paddings, last dimension first, becomes ONNX's by turning a matrix."""
    zero = numpy_helper.from_array(ints(0))
    nodes = [
        node("ConstantOfShape", "four", "zeros", value=zero),
        node("Concat", "pads zeros", "all", axis=0),
        node("Reshape", "all pairs", "matrix"),
        node("Slice", "matrix last first axis step", "turned"),
        node("Transpose", "turned", "columns", perm=[1, 0]),
        node("Reshape", "columns flat", "list"),
        node("Pad", "x list", "y", mode="constant"),
    ]
    constants = {
        "four": ints(4), "pads": ints(1, 2, 0, 3), "pairs": ints(-1, 2), "last": ints(-1), "first": ints(-(2**62)),
        "axis": ints(0), "step": ints(-1), "flat": ints(-1),
    }  # fmt: skip
    case("padding", nodes, {"x": (normal(2, 3, 4, 5), ["b", 3, 4, "w"])}, ["y"], constants)


def reshaping():
    """Sizes of tensors whose sizes data give, in a list that has -1, too; and sizes beside one that is found."""
    nodes = [
        node("Concat", "none before none behind", "pads", axis=0),
        node("Pad", "x pads", "wide"),
        node("Conv", "wide weight", "coarse", strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Shape", "coarse", "shape"),
        *(node("Gather", f"shape at{k}", f"n{k}", axis=0) for k in (0, 2, 3)),
        node("Concat", "n0 free three n2 n3", "split", axis=0),
        node("Reshape", "coarse split", "parts"),
        node("Transpose", "parts", "last", perm=[0, 3, 4, 1, 2]),
        node("Concat", "n0 free three", "rows", axis=0),
        node("Reshape", "last rows", "y"),
    ]
    constants = {f"at{k}": ints(k) for k in (0, 2, 3)} | {"free": ints(-1), "three": ints(3)}
    constants |= {"none": ints(0, 0), "weight": normal(6, 6, 3, 3) / 4}
    inputs = {"x": (normal(2, 6, 5, 4), ["b", 6, "h", "w"]), "before": (ints(1, 0), [2]), "behind": (ints(2, 3), [2])}
    case("sizes_of_data", nodes, inputs, ["y"], constants)
    nodes = [
        node("Unsqueeze", "x third", "apart"),
        node("Reshape", "apart rows", "high"),
        node("Reshape", "high columns", "blocks"),
        node("Transpose", "blocks", "turned", perm=[0, 1, 3, 5, 2, 4]),
        node("Reshape", "turned whole", "joined"),
        node("Squeeze", "joined ones", "y"),
    ]
    constants = {
        "third": ints(3), "rows": ints(0, 0, -1, 2, 0), "columns": ints(0, 0, 0, 0, -1, 2), "whole": ints(0, -1, 1, 1, 0, 0),
        "ones": ints(2, 3),
    }  # fmt: skip
    case("blocks_of_pixels", nodes, {"x": (normal(2, 4, 6, 8), [2, 4, "h", "w"])}, ["y"], constants)


def growing():
    """A loop that puts a column behind those that it carries, until one of two things holds."""
    body = helper.make_graph(
        [
            node("Mul", "last half", "next"),
            node("Concat", "columns next", "more", axis=1),
            node("ReduceMax", "next", "most", keepdims=0),
            node("Greater", "most least", "goes"),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("columns", TensorProto.FLOAT, ["b", "k"]),
            helper.make_tensor_value_info("last", TensorProto.FLOAT, ["b", 1]),
        ],
        [
            helper.make_tensor_value_info("goes", TensorProto.BOOL, []),
            helper.make_tensor_value_info("more", TensorProto.FLOAT, ["b", "m"]),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, ["b", 1]),
        ],
    )
    nodes = [
        node("Slice", "x zero zero one", "none"),
        node("Loop", "most_turns  none x", "y last", body=body),
    ]
    constants = {"zero": ints(0), "one": ints(1), "half": np.float32(0.5), "least": np.float32(0.01)}
    for turns in (3, 60):
        inputs = {"x": (np.float32([[1], [2], [3]]), ["b", 1]), "most_turns": (np.array(turns), [])}
        case(f"growing_{turns}", nodes, inputs, ["y", "last"], constants)


def written_late():
    """A converter's cast behind all other nodes, one that a branch reads, and an operator of a later opset."""
    then = helper.make_graph([node("Neg", "normed", "yes")], "then", [], [ValueInfoProto(name="yes")])
    other = helper.make_graph([node("Abs", "normed", "no")], "else", [], [ValueInfoProto(name="no")])
    nodes = [
        node("Add", "wide wide", "sum"),
        node("ReduceSum", "sum", "total", keepdims=0),
        node("Greater", "total limit", "is_more"),
        node("If", "is_more", "y", then_branch=then, else_branch=other),
        node("LayerNormalization", "sum scale", "normed"),
        node("Cast", "x", "wide", to=TensorProto.FLOAT),
    ]
    constants = {"scale": normal(4), "limit": np.float32(1)}
    case("written_late", nodes, {"x": (normal(3, 4).astype(np.float16), ["b", 4])}, ["y"], constants, opset=14)


def main():
    boxes()
    recurrent()
    padding()
    reshaping()
    growing()
    written_late()


if __name__ == "__main__":
    main()
