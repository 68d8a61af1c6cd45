"""Operators of half and bfloat on a GPU against the same graphs in float64, which the interpreter runs, within the tolerances of
PyTorch's own tests: the cases of tests/data/ops, or of the folder that LITZ_OPS names.

A case fails where PyTorch's own result is right; where that is off as well, because it rounds between steps, it is counted.
"""
import gzip, json, os, threading
from concurrent.futures import ThreadPoolExecutor
import numpy as np

from litz import BFLOAT16, DATA, DTYPE, Failure, OnDevice, OnHost, UNSUPPORTED, exact, read_safetensors

# PyTorch's numbers of dtypes.
HALVES, FLOAT64 = {"bfloat16": 13, "float16": 6}, 8
THREADS = 8


def is_half(array):
    return array.dtype in (BFLOAT16, np.dtype(np.float16))


def widened(node, code):
    """An exported graph with another dtype in place of one."""
    if isinstance(node, dict):
        return {k: FLOAT64 if k in ("dtype", "as_scalar_type") and v == code else widened(v, code) for k, v in node.items()}
    return [widened(v, code) for v in node] if isinstance(node, list) else node


def wide(array):
    return exact(array) if is_half(array) else array


def results(litz, graph, backend, given, room):
    executable = litz.compile(json.dumps(graph), backend=backend)
    try:
        executable.run_into([t.dl for t in given], [t.dl for t in room])
    finally:
        executable.release()


def off_by(got, want, case):
    """The share of the elements that are off."""
    got, most = exact(got), 65504.0 if case["dtype"] == "float16" else 3.39e38
    # What float64 holds and a half does not is infinite there.
    want = np.where(np.abs(want) > most, np.copysign(np.inf, want), want)
    away = ~np.isclose(got, want, rtol=case["tol"]["rtol"], atol=case["tol"]["atol"], equal_nan=True)
    return float(away.mean()) if away.size else 0.0


def check(litz, device, case, inputs, expected):
    """"good", "alike" where PyTorch's result is off as well, "refused", or what is wrong."""
    code = HALVES[case["dtype"]]
    # The bits of halves are no numbers that float64 has, too.
    if "view.dtype" in str(case["graph"]) or "view_copy.dtype" in str(case["graph"]):
        return "refused"
    want = [wide(np.zeros_like(e)) for e in expected]
    here, room = [OnDevice(device, a) for a in inputs], [OnDevice(device, np.zeros_like(e)) for e in expected]
    try:
        results(litz, case["graph"], "cuda", here, room)
        try:
            results(litz, widened(case["graph"], code), "interpreter", [OnHost(wide(a)) for a in inputs], [OnHost(w) for w in want])
        except Failure as failure:
            if failure.status != DTYPE:
                raise
            # An operator that does not take float64 is held against PyTorch's result.
            want = [wide(e) for e in expected]
        shares = [(off_by(r.value(), w, case), off_by(e, w, case)) for r, w, e in zip(room, want, expected)]
    except Failure as failure:
        return "refused" if failure.status == UNSUPPORTED else str(failure)[:150]
    finally:
        for tensor in here + room:
            tensor.release()
    worst = max((own for own, _ in shares), default=0.0)
    return "good" if not worst else "alike" if any(own and peer for own, peer in shares) else f"{worst:.0%} of the elements are off"


def listed(folder):
    """The cases of a folder that are of halves alone, lie in one piece and have all their results in the file."""
    for name in sorted(n for n in os.listdir(folder) if ".safetensors" in n):
        with (gzip.open if name.endswith(".gz") else open)(os.path.join(folder, name), "rb") as file:
            tensors, metadata = read_safetensors(file.read())
        for k, case in enumerate(json.loads(metadata["cases"])):
            keys = [f"c{k}.in{i}" for i in range(len(case["inputs"]))], [f"c{k}.out{j}" for j in range(case["outputs"])]
            if case["dtype"] not in HALVES or any(key not in tensors for key in keys[0] + keys[1]):
                continue
            inputs, expected = ([tensors[key] for key in part] for part in keys)
            plain = all(i["offset"] == 0 and list(i["stride"]) == [s // a.itemsize for s in a.strides] for i, a in zip(case["inputs"], inputs))
            if plain and not any(a.dtype in (np.float32, np.float64) for a in inputs + expected):
                yield f"{name} {k} {case['dtype']}", case, inputs, expected


def run(tests, litz, device):
    def body():
        entered, counts, wrong = threading.local(), {}, []

        def one(entry):
            if not getattr(entered, "here", False):
                device.enter()
                entered.here = True
            name, *what = entry
            return name, check(litz, device, *what)
        with ThreadPoolExecutor(THREADS) as pool:
            for name, outcome in pool.map(one, listed(os.environ.get("LITZ_OPS") or os.path.join(DATA, "ops"))):
                if outcome not in ("good", "alike", "refused"):
                    wrong.append(f"{name}: {outcome}")
                    outcome = "wrong"
                counts[outcome] = counts.get(outcome, 0) + 1
        assert not wrong, f"{len(wrong)} wrong, the first {wrong[0]}"
        assert counts.get("good"), "there is no case"
        return f"{counts['good']} agree with float64, {counts.get('alike', 0)} do not, as PyTorch does not, {counts.get('refused', 0)} refused"
    tests.test("operators of half and bfloat", body)
