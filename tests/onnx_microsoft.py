#!/usr/bin/env python3
"""Writes tests/data/onnx/microsoft_*.{onnx,safetensors}: operators of `com.microsoft` with the results of ONNX Runtime. Needs onnx,
onnxruntime, numpy and safetensors.

    python3 tests/onnx_microsoft.py [FOLDER]
"""

import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import ValueInfoProto, helper, save
from safetensors.numpy import save_file

DATA = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data" / "onnx"
RANDOM = np.random.default_rng(0)
F, I32, I64, U8, I8 = np.float32, np.int32, np.int64, np.uint8, np.int8


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(F)


def integers(low, high, shape, dtype=U8):
    return RANDOM.integers(low, high, shape).astype(dtype)


def number(value, dtype=F):
    return np.array(value, dtype)


def stored(array):
    """Bytes as a model holds them: two numbers of 4 bits in one, the lower bits first."""
    if array.dtype not in (ml_dtypes.int4, ml_dtypes.uint4):
        return array.tobytes()
    pairs = array.astype(I8).reshape(-1, 2) & 15
    return (pairs[:, 0] | pairs[:, 1] << 4).astype(U8).tobytes()


def case(name, op, inputs, n_outputs=1, given=None, recorded=None, **attributes):
    """A model of one node. `inputs` are arrays, and None for those left out; `given` are the places of the model's inputs, all others
    are constants. The first `recorded` results are recorded. An attribute `domain` names another domain."""
    domain = attributes.pop("domain", "com.microsoft")
    names = [f"x{k}" if value is not None else "" for k, value in enumerate(inputs)]
    while names and not names[-1]:
        names.pop()
    given = [k for k, value in enumerate(inputs) if value is not None] if given is None else given
    outputs = [f"y{k}" for k in range(n_outputs)]
    element = {k: helper.np_dtype_to_tensor_dtype(v.dtype) for k, v in enumerate(inputs) if v is not None}
    graph = helper.make_graph(
        [helper.make_node(op, names, outputs, domain=domain, **attributes)],
        name,
        [helper.make_tensor_value_info(f"x{k}", element[k], inputs[k].shape) for k in given],
        [ValueInfoProto(name=y) for y in outputs],
        [
            helper.make_tensor(f"x{k}", element[k], v.shape, stored(v), raw=True)
            for k, v in enumerate(inputs)
            if v is not None and k not in given
        ],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    results = session.run(outputs, {f"x{k}": inputs[k] for k in given})
    # The runtime has found the types that were left open.
    del graph.output[recorded or n_outputs :]
    for value, result in zip(graph.output, results, strict=False):
        info = helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(result.dtype), result.shape)
        value.CopyFrom(info)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    save(model, DATA / f"microsoft_{name}.onnx")
    tensors = {f"in{n}": np.array(inputs[k], order="C") for n, k in enumerate(given)}
    tensors |= {f"out{k}": np.array(value, order="C") for k, value in enumerate(results[:recorded])}
    save_file(tensors, DATA / f"microsoft_{name}.safetensors")


def products():
    x = normal(1, 2, 5, 5)
    weight, bias = normal(3, 2, 3, 3), normal(3)
    for activation, numbers in [("Relu", []), ("Clip", [-0.5, 0.75]), ("LeakyRelu", [0.25]), ("HardSigmoid", [0.2, 0.6])]:
        how = {"activation_params": numbers} if numbers else {}
        inputs = [x, weight, bias, normal(1, 3, 5, 5)] if activation == "Relu" else [x, weight, bias]
        case(f"fused_conv_{activation}", "FusedConv", inputs, pads=[1, 1, 1, 1], activation=activation, **how)
    how = {"transB": 1, "alpha": 0.5, "beta": 2.0, "activation": "LeakyRelu", "activation_alpha": 0.3}
    case("fused_gemm", "FusedGemm", [normal(2, 4), normal(3, 4), normal(3)], **how)
    case("fused_matmul", "FusedMatMul", [normal(2, 4, 3), normal(2, 4, 5)], transA=1, alpha=0.5)
    case("inverse", "Inverse", [normal(2, 3, 3)])
    case("trilu", "Trilu", [normal(3, 4), number(1, I64)], given=[0], upper=0)
    case("gather_nd", "GatherND", [normal(3, 4), integers(0, 3, (2, 2), I64)])
    case("expand_dims", "ExpandDims", [normal(3, 4), number(-1, I32)], given=[0])
    case("bias_gelu", "BiasGelu", [normal(2, 4), normal(4)])
    case("fast_gelu", "FastGelu", [normal(2, 4), normal(4)])
    case("gelu", "Gelu", [normal(2, 4)])
    case("quick_gelu", "QuickGelu", [normal(2, 4)], alpha=1.5)


def blocks():
    for bits, columns, block, points in [(4, 64, 32, "bytes"), (4, 48, 32, None), (8, 32, 16, "bytes"), (4, 96, 32, "floats"), (2, 64, 16, None)]:
        rows, count = 5, -(-columns // block)
        packed = integers(0, 256, (rows, count, block * bits // 8))
        zero = {None: None, "bytes": integers(0, 256, rows * (-(-count * bits // 8))), "floats": normal(rows * count) + 8}[points]
        inputs = [normal(2, columns), packed, normal(rows * count), zero, None, normal(rows)]
        name = f"matmul_nbits_{bits}_{columns}{'_' + points if points else ''}"
        case(name, "MatMulNBits", inputs, given=[0], K=columns, N=rows, bits=bits, block_size=block)


def norms():
    case("skip_layer_norm", "SkipLayerNormalization", [normal(2, 3, 4), normal(2, 3, 4), normal(4), normal(4), normal(4)], epsilon=1e-5)
    case("skip_simplified_layer_norm", "SkipSimplifiedLayerNormalization", [normal(2, 3, 4), normal(2, 3, 4), normal(4)], epsilon=1e-5)
    case("simplified_layer_norm", "SimplifiedLayerNormalization", [normal(2, 3, 4), normal(4)], domain="", axis=-1, epsilon=1e-5)
    ids, mask = integers(0, 7, (2, 3), I32), number([[1, 1, 0], [1, 1, 1]], I32)
    tables = [normal(7, 4), normal(5, 4), normal(2, 4), normal(4), normal(4)]
    case("embed_layer_norm", "EmbedLayerNormalization", [ids, ids % 2, *tables, mask], 2, epsilon=1e-5)
    whole = [integers(0, 256, t.shape) for t in tables]
    scales, zeros = [number(0.02 * (k + 1)) for k in range(5)], [number(120 + k, U8) for k in range(5)]
    inputs = [ids, ids % 2, *whole, mask, *scales, *zeros]
    case("q_embed_layer_norm", "QEmbedLayerNormalization", inputs, 2, given=[0, 1, 7], epsilon=1e-5)


def attention():
    batch, length, heads, size = 2, 3, 2, 4
    width = heads * size
    x, weight, bias = normal(batch, length, width), normal(width, 3 * width) * F(0.3), normal(3 * width)
    mask = number([[1, 1, 0], [1, 1, 1]], I32)
    case("attention", "Attention", [x, weight, bias, mask], num_heads=heads)
    case("attention_causal", "Attention", [x, weight, bias], num_heads=heads, unidirectional=1)
    past = normal(2, batch, heads, 2, size)
    case("attention_past", "Attention", [x, weight, bias, None, past], 2, num_heads=heads, unidirectional=1)
    q, k, v = (normal(batch, n, width) for n in (length, 5, 5))
    case("multi_head_attention", "MultiHeadAttention", [q, k, v, bias], num_heads=heads)
    whole, inner = integers(0, 256, x.shape), integers(-128, 128, weight.shape, I8)
    inputs = [whole, inner, bias, number(0.02), number(0.005), mask, number(130, U8), number(3, I8)]
    case("q_attention", "QAttention", inputs, given=[0, 5], num_heads=heads)
    tables = normal(6, size // 2), normal(6, size // 2)
    places = number([[0, 1, 2], [2, 3, 4]], I64)
    case("rotary_embedding", "RotaryEmbedding", [normal(batch, length, width), places, *tables])


def grouped_query():
    batch, own, shared, size, room = 2, 4, 2, 16, 8
    angles = np.arange(room)[:, None] / 100.0 ** (np.arange(size // 2) / (size // 2))
    tables = [np.cos(angles).astype(F), np.sin(angles).astype(F)]

    def sides(length):
        return normal(batch, length, own * size), normal(batch, length, shared * size), normal(batch, length, shared * size)

    def cache(length):
        return normal(batch, shared, length, size), normal(batch, shared, length, size)

    heads = {"num_heads": own, "kv_num_heads": shared}
    q, k, v = sides(3)
    last, total = number([2, 2], I32), number(3, I32)
    case("gqa_prompt", "GroupQueryAttention", [q, k, v, None, None, last, total], 3, **heads)
    case("gqa_packed", "GroupQueryAttention", [np.concatenate([q, k, v], 2), None, None, None, None, last, total], 3, **heads)
    inputs = [q, k, v, *cache(0), last, total, *tables]
    case("gqa_empty_past", "GroupQueryAttention", inputs, 3, do_rotary=1, **heads)
    q, k, v = sides(1)
    last, total = number([4, 4], I32), number(5, I32)
    inputs = [q, k, v, *cache(4), last, total, *tables]
    case("gqa_step", "GroupQueryAttention", inputs, 3, do_rotary=1, **heads)
    case("gqa_step_interleaved", "GroupQueryAttention", inputs, 3, do_rotary=1, rotary_interleaved=1, **heads)
    case("gqa_step_window", "GroupQueryAttention", inputs, 3, local_window_size=3, scale=0.2, **heads)
    # Items of different lengths: what the caches hold behind the shorter one's end is open.
    inputs = [q, k, v, *cache(4), number([2, 4], I32), total, *tables]
    case("gqa_step_ragged", "GroupQueryAttention", inputs, 3, recorded=1, do_rotary=1, **heads)


def quantised():
    x, scale, zero = integers(0, 256, (2, 3, 4)), number(0.02), number(120, U8)
    weight = integers(-128, 128, (4, 5), I8)
    case("matmul_integer_to_float", "MatMulIntegerToFloat", [x, weight, scale, normal(5), zero, integers(-5, 5, 5, I8), normal(5)])
    case("dynamic_quantize_matmul", "DynamicQuantizeMatMul", [normal(3, 4), weight, number(0.01), number(2, I8), normal(5)])
    case("dynamic_quantize_matmul_columns", "DynamicQuantizeMatMul", [normal(3, 4), weight, np.abs(normal(5)), integers(-5, 5, 5, I8)])
    bias, y, y_zero = integers(-900, 900, 5, I32), number(0.05), number(110, U8)
    a = integers(0, 256, (3, 4))
    case("qgemm", "QGemm", [a, scale, zero, weight, number(0.01), number(3, I8), bias, y, y_zero], alpha=1.0)
    case("qgemm_float", "QGemm", [a, scale, zero, weight.T.copy(), np.abs(normal(5)), integers(-5, 5, 5, I8), bias], transB=1, alpha=0.5)
    other = integers(0, 256, (2, 2, 4))
    case("qlinear_concat", "QLinearConcat", [number(0.03), number(128, U8), x, scale, zero, other, number(0.04), number(100, U8)], axis=1)
    case("qlinear_where", "QLinearWhere", [normal(2, 3, 4) > 0, x, scale, zero, x[::-1].copy(), number(0.04), number(90, U8), y, y_zero])
    case("qlinear_softmax", "QLinearSoftmax", [x, scale, zero, number(1 / 256), number(0, U8)], axis=-1, opset=13)
    case("qlinear_softmax_old", "QLinearSoftmax", [x, scale, zero, number(1 / 256), number(0, U8)], axis=1, opset=11)
    image = integers(0, 256, (1, 2, 5, 5))
    case("qlinear_average_pool", "QLinearAveragePool", [image, scale, zero, y, y_zero], kernel_shape=[3, 3], strides=[2, 2])
    case("qlinear_global_average_pool", "QLinearGlobalAveragePool", [image, scale, zero, y, y_zero], channels_last=0)
    for op in ("QLinearAdd", "QLinearMul"):
        case(op, op, [x, scale, zero, x[::-1].copy(), number(0.03), number(100, U8), y, y_zero])
    case("qlinear_leaky_relu", "QLinearLeakyRelu", [x, scale, zero, y, y_zero], alpha=0.2)
    case("qlinear_sigmoid", "QLinearSigmoid", [x, scale, zero, number(1 / 256), number(0, U8)])
    case("quantize_linear", "QuantizeLinear", [normal(2, 3), scale, zero])
    case("dequantize_linear", "DequantizeLinear", [x, scale, zero])


def edges():
    """Ties of quotients, rows that a mask leaves nothing, values of another width than keys, and words without a mask."""
    every = np.arange(256, dtype=U8).reshape(2, 128)
    half, whole, middle = number(0.05), number(0.1), number(128, U8)
    case("qlinear_leaky_relu_ties", "QLinearLeakyRelu", [every, half, number(100, U8), whole, middle], alpha=0.2)
    case("qlinear_add_ties", "QLinearAdd", [every, half, middle, every[::-1].copy(), half, number(7, U8), whole, middle])
    case("qlinear_mul_ties", "QLinearMul", [every, half, middle, every[:, ::-1].copy(), number(1.0), number(127, U8), whole, middle])
    x, weight, bias = normal(2, 3, 8), normal(8, 24), normal(24)
    mask = number([[1, 1, 0], [0, 0, 0]], I32)
    case("attention_masked_item", "Attention", [x, weight, bias, mask], num_heads=2, mask_filter_value=-100.0)
    q, k, v = normal(2, 3, 8), normal(2, 3, 8), normal(2, 3, 8)
    case("multi_head_masked_item", "MultiHeadAttention", [q, k, v, None, mask], num_heads=2, mask_filter_value=-100.0)
    weight, bias = normal(8, 32), normal(32)
    case("attention_sizes", "Attention", [x, weight, bias], num_heads=2, qkv_hidden_sizes=[8, 8, 16])
    ids, tables = integers(0, 6, (2, 3), I32), [integers(0, 256, (6, 4)) for _ in range(3)]
    lists = [integers(0, 256, 4) for _ in range(2)]
    scales, zeros = [number(0.02)] * 5, [number(120, U8)] * 5
    inputs = [ids, ids % 2, *tables, *lists, None, *scales, *zeros]
    case("q_embed_layer_norm_no_mask", "QEmbedLayerNormalization", inputs, 2, given=[0, 1], epsilon=1e-5)


def capped_and_sunk():
    """Scores that are capped, a share of each row that no key gets, windows, and attention to all keys."""
    batch, own, shared, size = 2, 4, 2, 8
    heads = {"num_heads": own, "kv_num_heads": shared}
    q, k, v = (normal(batch, 3, n * size) * 3 for n in (own, shared, shared))
    last, total = number([2, 2], I32), number(3, I32)
    bias, sinks = normal(batch, 1, 3, 3), normal(own)
    prompt = [q, k, v, None, None, last, total]
    case("gqa_softcap", "GroupQueryAttention", [*prompt, None, None, None, bias], 3, softcap=1.5, **heads)
    case("gqa_sinks", "GroupQueryAttention", [*prompt, None, None, None, None, sinks], 3, **heads)
    case("gqa_smooth", "GroupQueryAttention", prompt, 3, smooth_softmax=1, local_window_size=2, **heads)
    case("gqa_window", "GroupQueryAttention", prompt, 3, local_window_size=2, **heads)
    case("gqa_all_keys", "GroupQueryAttention", prompt, 3, causal=0, **heads)
    q, k, v = (normal(batch, 1, n * size) * 3 for n in (own, shared, shared))
    cache = [normal(batch, shared, 4, size), normal(batch, shared, 4, size)]
    step = [q, k, v, *cache, number([2, 4], I32), number(5, I32), None, None, None, normal(1, own, 1, 5), sinks]
    case("gqa_step_sinks", "GroupQueryAttention", step, 3, recorded=1, softcap=2.0, local_window_size=3, **heads)


def gathers():
    """Rows of tables that are quantised in blocks."""
    ids = number([[0, 5, -1], [3, 3, -6]], I64)
    for bits, points in [(2, True), (4, True), (4, False), (8, True), (8, False)]:
        table, scales = integers(0, 256, (6, 48 * bits // 8)), normal(6, 3)
        zero = integers(0, 256, (6, -(-3 * bits // 8))) if points else None
        how = {"bits": bits, "block_size": 16, "gather_axis": 0, "quantize_axis": 1}
        name = f"gather_blocks_{bits}{'_points' if points else ''}"
        case(name, "GatherBlockQuantized", [table, ids, scales, zero], given=[1], **how)
    # A last block that is not full, and indices that are out of range.
    table, scales = integers(0, 256, (6, 20)), normal(6, 3)
    how = {"bits": 4, "block_size": 16, "gather_axis": 0, "quantize_axis": -1}
    case("gather_blocks_rest", "GatherBlockQuantized", [table, number([1, 6, -7, 2], I32), scales], given=[1], **how)
    # Numbers of 4 bits, in blocks along any dimension.
    for dtype, low, gathered, blocked in [(ml_dtypes.int4, -8, 0, 1), (ml_dtypes.uint4, 0, 2, 0), (ml_dtypes.int4, -8, 1, -1)]:
        shape = [5, 6, 7]
        shape[blocked] = 32
        blocks = list(shape)
        blocks[blocked] = 2
        table, zero = (integers(low, low + 16, n, I8).astype(dtype) for n in (shape, blocks))
        how = {"block_size": 16, "gather_axis": gathered, "quantize_axis": blocked}
        name = f"gather_blocks_{np.dtype(dtype).name}_{gathered}"
        zero = zero if zero.size % 2 == 0 else None
        case(name, "GatherBlockQuantized", [table, number([[2, 0, -1]], I64), normal(*blocks), zero], given=[1], **how)


def turned():
    """Part of each head turned, from one place on, and heads that are apart already."""
    tables = normal(6, 2), normal(6, 2)
    how = {"num_heads": 2, "rotary_embedding_dim": 4, "interleaved": 1}
    case("rotary_embedding_part", "RotaryEmbedding", [normal(2, 3, 12), number([2], I64), *tables], **how)
    places = number([[0, 1, 2], [2, 3, 4]], I64)
    case("rotary_embedding_heads", "RotaryEmbedding", [normal(2, 5, 3, 4), places, *tables])
    inputs = [normal(2, 3, 4), normal(3, 4)]
    case("simplified_layer_norm_two", "SimplifiedLayerNormalization", inputs, 2, domain="", axis=1, epsilon=1e-5)


def halves():
    q, k, v = (normal(2, 3, n).astype(np.float16) for n in (32, 16, 16))
    inputs = [q, k, v, None, None, number([2, 2], I32), number(3, I32)]
    how = {"num_heads": 4, "kv_num_heads": 2, "softcap": 2.0, "smooth_softmax": 1}
    case("gqa_half", "GroupQueryAttention", inputs, 3, **how)
    table, scales = integers(0, 256, (6, 16)), normal(6, 2).astype(np.float16)
    case("gather_blocks_half", "GatherBlockQuantized", [table, number([1, 4], I64), scales], given=[1], bits=4, block_size=16)


def main():
    products()
    blocks()
    norms()
    attention()
    grouped_query()
    quantised()
    edges()
    capped_and_sunk()
    gathers()
    turned()
    halves()


if __name__ == "__main__":
    main()
