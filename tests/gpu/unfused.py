"""Regions that run one operator at a time on a GPU: each operator is a kernel of its own, and results are the fused program's."""
import numpy as np

from litz import OnDevice

GRAPH = """graph "g" {{
  {origins}
  input %0 "x": float32[64, 96]
  input %1 "w": float32[96, 80]
  %2 = aten.relu.default(%0){0}
  %3 = aten.mm.default(%2, %1){1}
  %4 = aten.exp.default(%3){2}
  %5 = aten.softmax.int(%4, 1){3}
  %6 = aten.mul.Tensor(%5, %4){4}
  output "y" = %6
}}
"""
OPERATORS = ["relu.default", "mm.default", "exp.default", "softmax.int", "mul.Tensor"]


def check(litz, device):
    random = np.random.default_rng(0)
    x, w = random.standard_normal((64, 96)).astype(np.float32), random.standard_normal((96, 80)).astype(np.float32) / 10
    results, counts = [], []
    for unfused in (False, True):
        origins = "\n  ".join(f'origin {k} "n{k}" "aten.{o}" unfused' for k, o in enumerate(OPERATORS)) if unfused else ""
        marks = [f" from [{k}]" if unfused else "" for k in range(len(OPERATORS))]
        executable = litz.compile(GRAPH.format(*marks, origins=origins), **{"artifact.vendor": "off"})
        kernels = [k["operators"] for k in executable.describe()["kernels"] if k["stage"] == "run"]
        given = [OnDevice(device, array) for array in (x, w)]
        room = OnDevice(device, np.full((64, 80), np.nan, np.float32))
        executable.run_into([g.dl for g in given], [room.dl])
        results.append(room.value())
        counts.append(kernels)
        executable.release()
        for tensor in [*given, room]:
            tensor.release()
    assert len(counts[0]) < len(OPERATORS) <= len(counts[1]), counts
    assert all(len(set(k)) == 1 for k in counts[1] if not any("softmax" in o for o in k)), counts[1]
    error = np.linalg.norm(results[1] - results[0]) / np.linalg.norm(results[0])
    assert error <= 1e-5, f"off by {error:.1e}"
    return f"{len(counts[0])} kernels, and {len(counts[1])}"


def run(tests, litz, device):
    tests.test("a region that runs unfused", lambda: check(litz, device))
