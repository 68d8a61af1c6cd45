"""The package itself: what importing it takes, and whether its declarations are true."""

import ast
import pathlib
import subprocess
import sys

import litz
from litz import _native

FOLDER = pathlib.Path(litz.__file__).parent


def test_importing_needs_no_framework_and_little_time():
    program = """
import sys, time
begin = time.process_time()
import litz
seconds = time.process_time() - begin
heavy = {"numpy", "torch", "typing", "json", "ctypes", "dataclasses"} & set(sys.modules)
assert not heavy, heavy
print(seconds)
"""
    # Its own time: other processes take some, too. The first one reads files, so that the quickest counts.
    times = [float(subprocess.check_output([sys.executable, "-S", "-c", program], text=True, env=environment())) for _ in range(5)]
    assert min(times) < 0.03, times


def environment():
    import os

    return os.environ | {"PYTHONPATH": str(FOLDER.parent)}


def test_the_stub_declares_what_there_is():
    declared = ast.parse((FOLDER / "_native.pyi").read_text())
    names = {n.name: n for n in declared.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    assert set(names) == {n for n in vars(_native) if not n.startswith("__")}
    for name, node in names.items():
        if isinstance(node, ast.ClassDef):
            members = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            there = set(vars(getattr(_native, name)))
            assert members <= there, members - there
            public = {n for n in there if not n.startswith("_")}
            assert public <= members, public - members
    assert (FOLDER / "py.typed").exists()


def test_everything_public_is_documented():
    for name in litz.__all__:
        value = getattr(litz, name)
        if callable(value):
            assert value.__doc__, name
            for member, function in vars(value).items() if isinstance(value, type) else ():
                if not member.startswith("_") and callable(function):
                    assert function.__doc__, f"{name}.{member}"


def test_the_process():
    assert litz.__version__.count(".") == 2
    assert any(b["name"] == "interpreter" and b["available"] for b in litz.backends())
    litz.set_threads(0)
    litz.memory_release()
    assert "tensors" in litz.memory_stats()
    litz.reset()
    assert litz.counters()["compiles"]["begun"] == 0
