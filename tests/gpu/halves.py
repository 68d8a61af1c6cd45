"""Operators of half and bfloat on a real GPU against the same graphs in float64, within the tolerances of PyTorch's own tests.

    python3 tests/gpu/halves.py path/to/liblitz.so path/to/acceptance path/to/operator/cases [REGULAR EXPRESSION [BACKEND]]

Needs PyTorch, which holds tensors on the device, and `litz_client.py` of the acceptance programs. Float64 results are the
interpreter's. Where PyTorch's own result is off as well, because it rounds between steps, the case says so.
"""
import json, os, re, sys
import numpy as np

sys.path.insert(0, sys.argv[2])
import litz_client

HALVES = {"bfloat16": 13, "float16": 6}
FLOAT64 = 8


def widened(node, code):
    """An exported graph with another dtype in place of one."""
    if isinstance(node, dict):
        return {k: FLOAT64 if k in ("dtype", "as_scalar_type") and v == code else widened(v, code) for k, v in node.items()}
    return [widened(v, code) for v in node] if isinstance(node, list) else node


def run(litz, graph, inputs, backend):
    options, made = litz.options(backend=backend), litz.from_json(graph)
    try:
        program = litz.compile(made, options)
        try:
            return program.run([litz_client.on_cuda(t) if backend == "cuda" else t for t in inputs])
        finally:
            program.release()
    finally:
        litz.release("graph", made)
        litz.release("options", options)


def wide(tensor):
    values = np.ascontiguousarray(tensor.values())
    floats = tensor.dtype in HALVES
    return litz_client.Tensor("float64" if floats else tensor.dtype, values.astype(np.float64) if floats else tensor.a.copy(), tensor.shape)


def off_by(got, want, case):
    """The share of the elements that are off."""
    most = 65504.0 if case["dtype"] == "float16" else 3.39e38
    got, want = got.values().astype(np.float64), want.values().astype(np.float64)
    # What float64 holds and a half does not is infinite there.
    want = np.where(np.abs(want) > most, np.copysign(np.inf, want), want)
    away = ~np.isclose(got, want, rtol=case["tol"]["rtol"], atol=case["tol"]["atol"], equal_nan=True)
    return float(away.mean()) if away.size else 0.0


def check(litz, case, inputs, expected, backend):
    """None where the results agree; otherwise what is off."""
    got = run(litz, case["graph"], inputs, backend)
    want = run(litz, widened(case["graph"], HALVES[case["dtype"]]), [wide(t) for t in inputs], "interpreter")
    # Outputs that are random or not written are in no file.
    shares = [(off_by(a, b, case), off_by(e, b, case)) for a, b, e in zip(got, want, expected) if e is not None]
    worst = max((own for own, _ in shares), default=0.0)
    if not worst:
        return None
    also = any(own and torch for own, torch in shares)
    return f"{worst:.0%} of the elements are off{', and of PyTorch, too' if also else ''}"


def main():
    litz, folder = litz_client.Lib(os.path.abspath(sys.argv[1])), sys.argv[3]
    only, backend = sys.argv[4] if len(sys.argv) > 4 else "", sys.argv[5] if len(sys.argv) > 5 else "cuda"
    good = refused = off = alike = 0
    for name in sorted(n for n in os.listdir(folder) if ".safetensors" in n and re.search(only, n)):
        tensors, meta = litz_client.read_safetensors(os.path.join(folder, name))
        for k, case in enumerate(json.loads(meta["cases"])):
            inputs = [tensors[f"c{k}.in{i}"] for i in range(len(case["inputs"]))]
            plain = all(i["offset"] == 0 and list(i["stride"]) == t.stride for i, t in zip(case["inputs"], inputs))
            if case["dtype"] not in HALVES or not plain or any(t.dtype in ("float32", "float64") for t in inputs):
                continue
            expected = [tensors.get(f"c{k}.out{j}") for j in range(case["outputs"])]
            try:
                wrong = check(litz, case, inputs, expected, backend)
            except litz_client.LitzError as error:
                refused += error.code == 2
                wrong = None if error.code == 2 else str(error)[:150]
                good -= error.code == 2
            good += not wrong
            if wrong:
                off += "PyTorch" not in wrong
                alike += "PyTorch" in wrong
                print(f"{name} {k} {case['dtype']}: {wrong}", flush=True)
    print(f"{good} cases agree with float64; {off} do not, {alike} more as PyTorch does not; {refused} refused")
    sys.exit(1 if off else 0)


main()
