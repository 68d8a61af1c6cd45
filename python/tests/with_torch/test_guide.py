"""The guide to torch.compile, as a reader would run it."""

import pathlib
import sys

import pytest

pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from test_docs import ROOT, run_guide


def test_guide():
    run_guide(ROOT / "docs/guide-torch-compile.md")
