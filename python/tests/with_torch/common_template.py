"""Judges the backend by a peer's tests: `CommonTemplate` of PyTorch's test/inductor/test_torchinductor.py with the compiler
exchanged, on the CPU or a GPU.

    common_template.py FILE [REGEX [cpu|cuda]]

Each test runs with eager execution and with Litz. The figures are of the tests that pass with eager execution. The file is the
one of the installed PyTorch's version; it is no part of this repository.
"""

import ast
import collections
import importlib
import importlib.util
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest

#: Seconds that one test may take. PyTorch's own compiler, which some tests call, takes minutes on a busy machine.
LIMIT = 600


def eager(module, inputs, **_):
    """A compiler that compiles nothing."""
    return module.forward


def exchange(compiler):
    """Puts the compiler in the place of PyTorch's own, wherever a test names that or none."""
    import torch
    from torch._dynamo import eval_frame
    from torch._dynamo.backends import registry

    own_compile, own_lookup = torch.compile, registry.lookup_backend

    def compile(model=None, **kwargs):
        if kwargs.get("backend", "inductor") == "inductor":
            kwargs = {k: v for k, v in kwargs.items() if k not in ("options", "mode")} | {"backend": compiler}
        return own_compile(model, **kwargs) if model is not None else lambda m: compile(m, **kwargs)

    def lookup(backend):
        return compiler if backend == "inductor" else own_lookup(backend)

    torch.compile = compile
    registry.lookup_backend = lookup
    if hasattr(eval_frame, "lookup_backend"):
        eval_frame.lookup_backend = lookup


def load(path):
    """The module of the tests. Names that it imports and this PyTorch lacks become decorators that do nothing."""
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        try:
            module = importlib.import_module(node.module)
        except ImportError:
            module = sys.modules.setdefault(node.module, types.ModuleType(node.module))
        for name in node.names:
            if hasattr(module, name.name) or importlib.util.find_spec(node.module) is None:
                continue
            try:
                importlib.import_module(f"{node.module}.{name.name}")
            except ImportError:
                setattr(module, name.name, lambda *_, **__: lambda function: function)
    spec = importlib.util.spec_from_file_location("test_torchinductor", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["test_torchinductor"] = module
    spec.loader.exec_module(module)
    return module


def run(path, which, record, pattern, device, shard, shards):
    """Runs one shard of the tests and records what each came to; those that are recorded already are left out."""
    from litz.dynamo import backend

    compiler = eager if which == "eager" else lambda module, inputs, **_: backend(module, inputs)
    exchange(compiler)
    tests = load(path)
    tests.compile_fx = compiler

    class Tests(tests.TestCase):
        common = tests.check_model if device == "cpu" else tests.check_model_gpu

    Tests.device = device
    tests.copy_tests(tests.CommonTemplate, Tests, device)
    names = [n for n in unittest.TestLoader().getTestCaseNames(Tests) if re.search(pattern, n)][shard::shards]
    done = json.loads(record.read_text()) if record.exists() else {}

    def out_of_time(*_):
        raise TimeoutError(f"took more than {LIMIT} s")

    signal.signal(signal.SIGALRM, out_of_time)
    for name in names:
        if name in done:
            continue
        # A test that ends the process stays recorded so.
        done[name] = ["crash", ""]
        record.write_text(json.dumps(done))
        result = unittest.TestResult()
        signal.alarm(LIMIT)
        Tests(name).run(result)
        signal.alarm(0)
        wrong = [text for _, text in result.errors + result.failures]
        done[name] = ["fail", wrong[0]] if wrong else ["skip", ""] if result.skipped else ["pass", ""]
        record.write_text(json.dumps(done))


def reason(text):
    """The line of a failure that says why."""
    lines = [line for line in text.splitlines() if re.match(r"[\w.]+: |[\w.]*(Error|Unsupported)", line)]
    return (lines or text.splitlines() or [""])[-1][:200]


def main(path, pattern=".", device="cpu"):
    """Runs all tests both ways, in as many processes as there are CPUs, and prints what differs."""
    shards, begin = os.cpu_count() or 1, time.time()
    with tempfile.TemporaryDirectory() as folder:
        done = {}
        for which in ("eager", "litz"):
            places = [pathlib.Path(folder) / f"{which}.{k}.json" for k in range(shards)]
            waiting = {k: None for k in range(shards)}
            while waiting:
                for k, process in list(waiting.items()):
                    if process is not None and process.poll() is None:
                        continue
                    # A process that a test ended goes on behind that test.
                    if process is not None and process.returncode == 0:
                        del waiting[k]
                        continue
                    arguments = [path, which, places[k], pattern, device, k, shards]
                    waiting[k] = subprocess.Popen(
                        [sys.executable, __file__, "--shard", *map(str, arguments)],
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"OMP_NUM_THREADS": "1"},
                    )  # fmt: skip
                    if process is not None and process.returncode == 1:
                        raise SystemExit(f"a shard of {which} failed: run it by hand: {arguments}")
                time.sleep(1)
            done[which] = {}
            for place in places:
                done[which] |= json.loads(place.read_text())
    passed = [n for n, (what, _) in done["eager"].items() if what == "pass"]
    came_to = collections.Counter(done["litz"][n][0] for n in passed)
    for name in sorted(passed):
        what, text = done["litz"][name]
        if what != "pass":
            print(f"{name}: {what}: {reason(text)}")
    share = 100 * came_to["pass"] / max(1, len(passed))
    print(f"{len(passed)} tests pass with eager execution; with Litz {dict(came_to)}, {share:.1f} %, {time.time() - begin:.0f} s")


if __name__ == "__main__":
    if sys.argv[1] == "--shard":
        path, which, record, pattern, device, shard, shards = sys.argv[2:]
        run(pathlib.Path(path).resolve(), which, pathlib.Path(record), pattern, device, int(shard), int(shards))
    else:
        main(*sys.argv[1:])
