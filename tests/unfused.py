#!/usr/bin/env python3
"""Writes tests/data/unfused.pt2: a program with operators that are annotated to run unfused. Needs PyTorch 2.15.

    python3 tests/unfused.py
"""

from pathlib import Path

import torch
from torch.fx.traceback import annotate


class Model(torch.nn.Module):
    def forward(self, x):
        y = x.relu()
        with annotate({"litz": "unfused"}):
            z = (y * 2).sin()
        return z + 1


def main():
    # An export that is not strict drops annotations.
    program = torch.export.export(Model(), (torch.randn(64),), strict=True)
    torch.export.save(program, Path(__file__).parent / "data/unfused.pt2")


if __name__ == "__main__":
    main()
