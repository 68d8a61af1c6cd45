"""Attention on a GPU against float64: every template, by head size, masks, grouped heads, odd lengths."""
import math
import numpy as np

# batch, heads, key heads, queries, keys, size, causal, mask: a window of so many keys, "bool", "bias", or "lengths": each sequence
# of the batch attends as many of its first keys as an input says
CASES = [(2, 4, 4, 512, 512, 64, True, None), (1, 3, 3, 333, 333, 64, True, None), (2, 4, 4, 777, 777, 128, True, None),
         (1, 2, 2, 300, 130, 128, True, None), (1, 2, 2, 130, 300, 128, True, None), (2, 4, 4, 500, 700, 128, False, None),
         (1, 4, 4, 333, 431, 96, False, None), (1, 2, 2, 200, 333, 256, False, None), (1, 2, 2, 200, 333, 192, True, None),
         (1, 2, 2, 100, 100, 16, True, None), (2, 8, 2, 257, 511, 128, False, None), (2, 8, 2, 511, 511, 80, True, None),
         (8, 40, 40, 260, 260, 64, True, None), (32, 12, 12, 128, 128, 64, False, None), (1, 60, 60, 900, 900, 128, True, None),
         (1, 4, 4, 700, 700, 64, False, 100), (1, 4, 4, 1000, 1000, 128, False, 64), (1, 2, 2, 300, 300, 72, False, 64),
         (2, 4, 4, 300, 300, 64, False, "bool"), (2, 4, 4, 300, 300, 96, False, "bias"), (2, 4, 2, 300, 310, 128, False, "bias"),
         (2, 8, 2, 1, 777, 128, False, None), (1, 32, 8, 1, 9000, 128, False, None), (1, 16, 16, 5, 3000, 64, False, None),
         (3, 4, 4, 2, 7, 128, False, None), (2, 32, 1, 1, 5000, 128, False, None), (2, 8, 8, 3, 3000, 80, False, "bias"),
         (2, 8, 8, 1, 3000, 64, False, "bool"), (1, 4, 4, 16, 4096, 128, False, 10), (1, 2, 2, 1, 40, 72, False, None),
         (5, 4, 4, 300, 300, 64, False, "lengths"), (6, 8, 2, 257, 1000, 128, False, "lengths"), (7, 32, 8, 1, 5000, 128, False, "lengths"),
         (5, 2, 2, 40, 70, 72, False, "lengths"),
         # Heads that are no whole sixteens, and those that are no whole chunks of 16 bytes.
         (2, 4, 4, 500, 700, 40, False, None), (2, 4, 2, 333, 431, 40, True, None), (1, 4, 4, 300, 300, 24, False, "bias"),
         (1, 2, 2, 300, 130, 8, True, None), (1, 4, 4, 700, 700, 88, False, 100), (1, 2, 2, 200, 333, 200, False, None),
         (1, 32, 8, 1, 3000, 40, False, None), (2, 8, 8, 3, 3000, 56, False, "bias"), (5, 4, 4, 300, 300, 40, False, "lengths"),
         (2, 4, 4, 300, 300, 36, True, None), (1, 4, 4, 333, 431, 50, False, "bool"), (1, 3, 3, 130, 300, 3, True, None),
         (2, 8, 2, 257, 511, 100, False, "bias"), (1, 4, 4, 3, 2000, 20, False, None), (1, 2, 2, 70, 90, 127, False, None)]

# In ordinary arithmetic: float32, and what has no room there.
ORDINARY = [(2, 4, 4, 512, 512, 64, True, None), (2, 8, 2, 257, 511, 128, False, None), (1, 3, 3, 130, 300, 20, True, None),
            (1, 2, 2, 300, 130, 128, True, None), (1, 4, 4, 700, 700, 64, False, 100), (2, 4, 4, 300, 300, 96, False, "bias"),
            (2, 4, 4, 300, 300, 64, False, "bool"), (5, 2, 2, 40, 70, 72, False, "lengths"), (2, 8, 2, 1, 777, 64, False, None),
            (1, 1, 1, 33, 65, 3, False, None), (30, 40, 40, 70, 70, 64, True, None), (4, 16, 4, 300, 310, 128, True, None),
            (1, 2, 2, 50, 60, 300, False, None),
            # Few queries: a head alone, groups, more rows than a block has, every mask, and nothing to attend.
            (1, 32, 8, 1, 3000, 64, False, None), (2, 8, 8, 3, 1000, 80, False, "bias"), (7, 32, 8, 1, 900, 128, False, "lengths"),
            (1, 4, 4, 8, 3000, 128, True, None), (2, 8, 1, 1, 5, 64, False, None), (1, 3, 3, 2, 4000, 300, False, None),
            (2, 8, 8, 1, 3000, 64, False, "bool"), (1, 4, 4, 7, 4096, 20, False, 10), (1, 6, 2, 5, 777, 3, False, None),
            (1, 1, 1, 1, 9000, 512, False, None)]

# Gradients, of halves: by tensor cores where heads are whole eights up to 128, and else as products.
GRADIENTS = [(2, 4, 4, 512, 512, 64, True, None), (1, 3, 3, 333, 333, 64, True, None), (2, 4, 4, 777, 777, 128, True, None),
             (1, 2, 2, 300, 130, 128, True, None), (1, 2, 2, 130, 300, 128, True, None), (2, 4, 4, 500, 700, 128, False, None),
             (1, 4, 4, 333, 431, 96, False, None), (1, 2, 2, 100, 100, 16, True, None), (2, 8, 2, 257, 511, 128, False, None),
             (2, 8, 2, 511, 511, 80, True, None), (8, 40, 40, 260, 260, 64, True, None), (1, 4, 4, 700, 700, 64, False, 100),
             (1, 4, 4, 1000, 1000, 128, False, 64), (2, 4, 4, 300, 300, 64, False, "bool"), (2, 4, 4, 300, 300, 96, False, "bias"),
             (2, 4, 2, 300, 310, 128, False, "bias"), (5, 4, 4, 300, 300, 64, False, "lengths"), (2, 8, 2, 1, 777, 128, False, None),
             (1, 2, 2, 200, 3, 64, False, None), (1, 2, 2, 100, 120, 40, True, None), (1, 2, 2, 70, 90, 192, False, None),
             (2, 4, 2, 300, 310, 40, False, "bias"), (1, 4, 4, 700, 700, 24, False, 100), (2, 4, 4, 333, 333, 72, True, None),
             (1, 2, 2, 100, 130, 8, False, None), (1, 2, 2, 100, 120, 36, True, None)]
TOLERANCES = {np.float16: (4e-3, 2e-3), np.float32: (1e-5, 1e-5), np.float64: (1e-12, 1e-12)}


def repeated(q, a):
    """Keys or values in float64, once for each head of the queries."""
    return np.repeat(a, q.shape[1] // a.shape[1], 1).astype(np.float64)


def weights_of(q, k, causal, mask):
    s = q.astype(np.float64) @ repeated(q, k).swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if causal:
        s = np.where(np.tril(np.ones(s.shape[-2:], bool)), s, -np.inf)
    if mask is not None:
        s = np.where(mask, s, -np.inf) if mask.dtype == bool else s + mask.astype(np.float64)
    most = s.max(-1, keepdims=True)
    weights = np.exp(s - np.where(np.isinf(most), 0, most))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def expected(q, k, v, causal, mask):
    return weights_of(q, k, causal, mask) @ repeated(q, v)


def shapes_of(batch, heads, kv_heads, queries, keys, size):
    """Shapes of query, key and value."""
    return [(batch, heads, queries, size), (batch, kv_heads, keys, size), (batch, kv_heads, keys, size)]


def mask_text(mask, dtype, first, batch, queries, keys):
    """Lines that make the mask, their values numbered from `first`, and its name."""
    if isinstance(mask, int):
        return [f"  %{first} = aten.ones.default([{queries}, {keys}], dtype=bool)", f"  %{first + 1} = aten.tril.default(%{first}, 0)",
                f"  %{first + 2} = aten.triu.default(%{first + 1}, {1 - mask})"], f"%{first + 2}"
    if mask == "lengths":
        return [f'  input %{first} "lengths": int64[{batch}]', f"  %{first + 1} = aten.arange.default({keys})",
                f"  %{first + 2} = aten.view.default(%{first}, [-1, 1, 1, 1])",
                f"  %{first + 3} = aten.lt.Tensor(%{first + 1}, %{first + 2})"], f"%{first + 3}"
    if mask:
        return [f'  input %{first} "m": {"bool" if mask == "bool" else dtype}{[batch, 1, queries, keys]}'], f"%{first}"
    return [], "None"


def drawn(case, dtype, shapes):
    """Arrays of `shapes`, the mask as an array or None, and the arrays that the program takes after them."""
    batch, _, _, queries, keys, _, _, mask = case
    rng = np.random.default_rng(sum(case[:6]))
    arrays = [rng.standard_normal(s).astype(dtype) for s in shapes]
    if isinstance(mask, int):
        return arrays, np.triu(np.tril(np.ones((queries, keys), bool)), 1 - mask), []
    if mask == "lengths":
        # None, more than there are, one, and anything.
        given = np.array(([0, keys + 5, 1, keys // 2, keys - 1, -3, keys] * 2)[:batch])
        return arrays, np.arange(keys) < given[:, None, None, None], [given]
    if mask == "bool":
        seen = rng.random((batch, 1, queries, keys)) < 0.6
        seen[0, 0, 0] = False
        return arrays, seen, [seen]
    if mask:
        seen = rng.standard_normal((batch, 1, queries, keys)).astype(dtype)
        return arrays, seen, [seen]
    return arrays, None, []


def text(dtype, batch, heads, kv_heads, queries, keys, size, causal, mask):
    shapes = shapes_of(batch, heads, kv_heads, queries, keys, size)
    lines = [f'  input %{k} "{n}": {dtype}{list(s)}' for k, (n, s) in enumerate(zip("qkv", shapes))]
    made, given = mask_text(mask, dtype, 3, batch, queries, keys)
    flag = lambda b: "true" if b else "false"
    lines += made + [f"  %9 = aten.scaled_dot_product_attention.default(%0, %1, %2, {given}, 0.0, {flag(causal)}, enable_gqa={flag(heads != kv_heads)})"]
    return 'graph "attention" {\n' + "\n".join(lines) + '\n  output "y" = %9\n}\n'


def check(tests, tensor, case, dtype):
    *_, causal, mask = case
    shapes = shapes_of(*case[:6])
    arrays, seen, extra = drawn(case, dtype, shapes)
    inputs = [tensor(tests.device, a) for a in arrays + extra]
    room = [tensor(tests.device, np.full(shapes[0], np.nan, dtype)) for _ in range(2)]
    executable = tests.litz.compile(text(np.dtype(dtype).name, *case))
    for out in room:
        executable.run_into([t.dl for t in inputs], [out.dl])
    got, again = [r.value() for r in room]
    kinds = [k["kind"] for k in executable.describe()["kernels"]]
    for t in inputs + room:
        t.release()
    executable.release()
    want = expected(*arrays, causal, seen)
    queries, size = case[3], case[5]
    # The keys of few queries whose rows are no whole chunks are dealt out in ordinary arithmetic.
    tensor_cores = size % 8 == 0 and size <= 256 or size <= 128 and queries > 8
    if dtype == np.float16 and tests.device.capability == 90 and tensor_cores:
        assert kinds[0] in ("attention_wgmma", "attention_mma", "attention_split"), f"no tensor cores: {kinds}"
    relative, absolute = TOLERANCES[dtype]
    off = np.abs(got.astype(np.float64) - want).max()
    assert np.array_equal(got, again), "two runs differ"
    assert mask != "lengths" or len(kinds) == 1, f"a mask of lengths is computed: {kinds}"
    assert np.allclose(got, want, rtol=relative, atol=absolute), f"off by {off}"
    return f"{', '.join(kinds)}, off by {off:.1e}"


def expected_gradients(q, k, v, g, causal, mask):
    weights, g = weights_of(q, k, causal, mask), g.astype(np.float64)
    of_weights = g @ repeated(q, v).swapaxes(-1, -2)
    of_scores = weights * (of_weights - (weights * of_weights).sum(-1, keepdims=True)) / math.sqrt(q.shape[-1])
    together = lambda a: a.reshape(a.shape[0], k.shape[1], -1, *a.shape[2:]).sum(2)
    q = q.astype(np.float64)
    return [of_scores @ repeated(q, k), together(of_scores.swapaxes(-1, -2) @ q), together(weights.swapaxes(-1, -2) @ g)]


def gradient_text(dtype, batch, heads, kv_heads, queries, keys, size, causal, mask):
    shapes = shapes_of(batch, heads, kv_heads, queries, keys, size)
    lines = [f'  input %{k} "{n}": {dtype}{list(s)}' for k, (n, s) in enumerate(zip("qkvg", shapes + shapes[:1]))]
    made, given = mask_text(mask, dtype, 4, batch, queries, keys)
    lines += made
    flag = "true" if causal else "false"
    form = "aten._scaled_dot_product_flash_attention_for_cpu"
    lines += [f"  %8, %9 = {form}.default(%0, %1, %2, 0.0, {flag}, attn_mask={given})",
              f"  %10, %11, %12 = {form}_backward.default(%3, %0, %1, %2, %8, %9, 0.0, {flag}, attn_mask={given})"]
    lines += [f'  output "d{n}" = %{k}' for n, k in zip("qkv", (10, 11, 12))]
    return 'graph "gradients" {\n' + "\n".join(lines) + "\n}\n"


def check_gradients(tests, tensor, case, dtype):
    size, causal = case[5:7]
    shapes = shapes_of(*case[:6])
    arrays, seen, extra = drawn(case, dtype, shapes + shapes[:1])
    inputs = [tensor(tests.device, a) for a in arrays + extra]
    room = [[tensor(tests.device, np.full(s, np.nan, dtype)) for s in shapes[:3]] for _ in range(2)]
    executable = tests.litz.compile(gradient_text(np.dtype(dtype).name, *case))
    for outs in room:
        executable.run_into([t.dl for t in inputs], [out.dl for out in outs])
    got, again = [[r.value() for r in outs] for outs in room]
    kinds = [k["kind"] for k in executable.describe()["kernels"]]
    for t in inputs + room[0] + room[1]:
        t.release()
    executable.release()
    own = size % 8 == 0 and size <= 128 and tests.device.capability == 90
    assert ("attention_grad_keys" in kinds) == own, f"kernels: {kinds}"
    errors = []
    for name, a, b, want in zip("qkv", got, again, expected_gradients(*arrays, causal, seen)):
        assert np.array_equal(a, b), f"two runs differ in the gradient of {name}"
        scale = max(np.linalg.norm(want), 1e-3)
        errors.append(np.linalg.norm(a.astype(np.float64) - want) / scale)
        assert errors[-1] < 3e-3, f"the gradient of {name} is off by {errors[-1]:.1e} of its norm"
        assert np.abs(a.astype(np.float64) - want).max() < 0.02 * max(np.abs(want).max(), 1e-3), f"an element of {name} is off"
    return f"{', '.join(kinds)}, off by {max(errors):.1e}"


def run(tests, tensor):
    for case in GRADIENTS:
        name = "gradients of attention float16 " + " ".join(str(c) for c in case)
        tests.test(name, lambda: check_gradients(tests, tensor, case, np.float16))
    # In float64 a head of 126 is whole chunks of 16 bytes, but no whole steps of four.
    twice = ORDINARY[1:5] + ORDINARY[13:18] + [(1, 2, 2, 100, 130, 126, True, None)]
    for dtype, cases in ((np.float16, CASES), (np.float32, ORDINARY), (np.float64, twice)):
        for case in cases:
            name = f"attention {np.dtype(dtype).name} " + " ".join(str(c) for c in case)
            tests.test(name, lambda: check(tests, tensor, case, dtype))
