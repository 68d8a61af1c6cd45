#!/usr/bin/env python3
"""What litz_graph_to_export_json writes, read by PyTorch's own loader: needs PyTorch, so no test of the suite runs it.

    python3 tests/export_json.py target/debug/liblitz.so tests/data/*.pt2

Each archive is loaded by Litz, written as JSON, read by torch._export.serde with the archive's own weights, and run by
PyTorch beside the original; the results must be equal. So is a program whose buffers are views of one storage, of which a run
writes to one.
"""

import copy
import ctypes
import json
import os
import sys
import tempfile

import torch
from torch._export.serde.schema import ExportedProgram as Document
from torch._export.serde.serialize import ExportedProgramDeserializer, _dict_to_dataclass


def library(path):
    lib = ctypes.CDLL(path)
    lib.litz_error_message.restype = ctypes.c_char_p
    lib.litz_string_data.restype = ctypes.c_char_p
    return lib


def written(lib, archive):
    """The JSON that Litz writes of an archive."""
    graph, text, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    calls = [
        lambda: lib.litz_graph_from_pt2(archive.encode(), None, ctypes.byref(graph), ctypes.byref(error)),
        lambda: lib.litz_graph_to_export_json(graph, ctypes.byref(text), ctypes.byref(error)),
    ]
    for call in calls:
        if call() != 0:
            raise RuntimeError(lib.litz_error_message(error).decode())
    return lib.litz_string_data(text).decode()


def run(module, args, kwargs):
    """The results of a run that leaves the arguments as they are."""
    torch.manual_seed(0)
    args, kwargs = copy.deepcopy((args, kwargs))
    return torch.utils._pytree.tree_leaves(module(*args, **kwargs))


class Overlapping(torch.nn.Module):
    """Buffers and parameters that lie over one another, in several orders."""

    def __init__(self):
        super().__init__()
        storage = torch.arange(12.0)
        self.register_buffer("a", storage[:6])
        self.register_buffer("b", storage[3:9].view(2, 3).t())
        self.w = torch.nn.Parameter(torch.arange(12.0).reshape(3, 4))
        self.tied = self.w
        self.turned = torch.nn.Parameter(self.w.detach().t())
        self.row = torch.nn.Parameter(self.w.detach()[1])

    def forward(self, x):
        self.a.add_(x)
        return self.b * 2, self.w.sum() + self.tied.sum(), self.turned @ self.row[:3] + self.row


def overlapping(folder):
    """An archive of it."""
    path = os.path.join(folder, "overlapping.pt2")
    torch.export.save(torch.export.export(Overlapping(), (torch.ones(6),)), path)
    return path


def main():
    lib = library(sys.argv[1])
    failed = 0
    folder = tempfile.TemporaryDirectory()
    for archive in [overlapping(folder.name), *sys.argv[2:]]:
        try:
            text = written(lib, archive)
        except RuntimeError as error:
            print(f"{archive}: not written: {error}")
            continue
        try:
            original = torch.export.load(archive)
            document = _dict_to_dataclass(Document, json.loads(text))
            # Buffers that PyTorch does not save count as such that it does: a graph does not tell them apart.
            # Each program changes its own.
            weights = copy.deepcopy({**original.constants, **original.state_dict})
            program = ExportedProgramDeserializer().deserialize(
                document, weights, copy.deepcopy(original.constants), original.example_inputs
            )
            args, kwargs = original.example_inputs or ((), {})
            outcome = "loaded"
            if original.example_inputs is not None:
                want, found = (run(p.module(), args, kwargs) for p in (original, program))
                assert len(want) == len(found), (len(want), len(found))
                for a, b in zip(want, found):
                    if isinstance(a, torch.Tensor):
                        torch.testing.assert_close(b, a, rtol=0, atol=0, equal_nan=True)
                    else:
                        assert a == b, (a, b)
                outcome = "same results"
            print(f"{archive}: {outcome}, {len(document.graph_module.graph.nodes)} nodes")
        except Exception as error:  # a script for people: the next archive is tried
            failed += 1
            print(f"{archive}: {type(error).__name__}: {str(error)[:500]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
