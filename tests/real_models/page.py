"""The page of outcomes."""

import collections
import importlib.metadata

HEAD = """# Models

Written by `python tests/real_models`, which compiles models of PyTorch's packages and compares them with eager execution.
Weights are random, sizes are small, and each model runs in a process of its own: {backend}, {versions}.

*ok*: the results equal eager's within 1e-3 of a value and 1e-4 of the largest value of the tensor; *error* is the largest
difference divided by that value. *batch* says whether the model was exported with any batch size, and then ran with two.
*unstable*: they differ, by no more than twice what eager's own do where the parameters change by a millionth: rounding decides
between neighbouring integers, or between boxes of nearly equal scores. *slow* was not done within a limit of time. *nodes* counts the calls of operators in the exported program.
*earlier*: the model ran with an earlier state of Litz, and not since.

{counts}

| model | outcome | batch | nodes | error |
|---|---|---|---|---|
"""
NOT_EXPORTED = """
PyTorch itself does not export these, so they do not count:

| model | message |
|---|---|
"""
PACKAGES = ["torch", "torchvision", "torchaudio", "timm", "transformers", "diffusers", "torch_geometric", "torchao"]


def text(results, backend, sources):
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    counted = [r for r in results if r["outcome"] != "not exported"]
    kinds = collections.Counter(r["outcome"] for r in counted)
    is_now = [r.get("sources") == sources for r in counted]
    counts = f"Of {len(counted)} models " + ", ".join(f"{n} {'is' if n == 1 else 'are'} {kind}" for kind, n in kinds.most_common()) + "."
    counts += f" {sum(is_now)} ran with this state of Litz, {len(counted) - sum(is_now)} with an earlier one."
    out = HEAD.format(backend=f"backend `{backend}`", versions=", ".join(versions), counts=counts)
    for r, now in zip(counted, is_now, strict=True):
        outcome = r["outcome"] + ("" if now else ", earlier") + (f": {plain(r['message'])}" if r.get("message") else "")
        error = f"{r['error']:.0e}" if "error" in r else ""
        out += f"| {r['name']} | {outcome} | {'any' if r.get('batch') else 'fixed'} | {r.get('nodes', '')} | {error} |\n"
    rest = [r for r in results if r["outcome"] == "not exported"]
    if rest:
        out += NOT_EXPORTED + "".join(f"| {r['name']} | {plain(r['message'])[:200]} |\n" for r in rest)
    return out


def plain(message):
    return " ".join(message.replace("|", "\\|").split())[:400]
