"""The guides, as a reader would run them: their pieces of Python, one after the other, print what stands at their end."""

import os
import pathlib
import re
import subprocess
import sys

import litz
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(text, word):
    return re.findall(rf"^```{word}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run_guide(path):
    """Runs a guide at the repository's root, where its paths begin. LITZ_BLESS=1 rewrites what it says it prints."""
    text = path.read_text()
    (expected,) = blocks(text, "text")
    folders = [str(pathlib.Path(litz.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(f for f in folders if f)}
    program = "\n".join(blocks(text, "python"))
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if "LITZ_BLESS" in os.environ:
        path.write_text(text.replace(f"```text\n{expected}```", f"```text\n{done.stdout}```"))
    else:
        assert done.stdout == expected


@pytest.mark.parametrize("name", ["docs/guide-python.md", "docs/introduction.md", "docs/onnx.md", "docs/weights.md", "python/README.md"])
def test_guide(name):
    run_guide(ROOT / name)


def test_random_numbers():
    """The function that the page shows gives the words that it states."""
    text = (ROOT / "docs/random.md").read_text()
    (program,) = blocks(text, "python")
    (stated,) = re.findall(r"Seed 0 and block 0 give `([0-9a-f ]+)`", text)
    space = {}
    exec(program, space)
    assert " ".join(f"{word:08x}" for word in space["words"](0, 0, 4).tolist()) == stated
