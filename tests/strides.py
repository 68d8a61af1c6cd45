"""Makes tests/data/strides.json.gz: small exported programs over inputs of several layouts, each with the strides that
PyTorch gives its results and with which earlier result each shares its memory. Needs PyTorch 2.10 or later."""

import gzip
import json
import pathlib

import torch
from torch._export.serde.serialize import serialize
from torch.nn import functional as F

OUT = pathlib.Path(__file__).parent / "data" / "strides.json.gz"

def numbers(*shape):
    """Few digits, and no two alike in a row."""
    return torch.randperm(torch.Size(shape).numel()).reshape(shape) / 8 - 1


LAYOUTS = {
    "contiguous": lambda *s: numbers(*s),
    "transposed": lambda *s: numbers(*s[:-2], s[-1], s[-2]).transpose(-1, -2),
    "permuted": lambda *s: numbers(*reversed(s)).permute(*reversed(range(len(s)))),
    "channels_last": lambda *s: numbers(s[0], *s[2:], s[1]).movedim(-1, 1),
    "sliced": lambda *s: numbers(*s[:-1], 2 * s[-1])[..., ::2],
}

UNARY = {
    "relu": torch.relu,
    "exp": torch.exp,
    "neg_": lambda x: (x * 2).neg_(),
    "clone": torch.clone,
    "clone_contiguous": lambda x: x.clone(memory_format=torch.contiguous_format),
    "contiguous": lambda x: (x + 1).contiguous(),
    "to_double": lambda x: x.double(),
    "transpose": lambda x: (x + 1).transpose(1, -1),
    "permute": lambda x: (x + 1).permute(*([x.dim() - 1] + list(range(x.dim() - 1)))),
    "flatten": lambda x: (x + 1).flatten(1),
    "unsqueeze": lambda x: (x + 1).unsqueeze(1),
    "select": lambda x: (x + 1)[:, 1],
    "slice": lambda x: (x + 1)[:, ::2],
    "narrow": lambda x: (x + 1)[1:],
    "expand": lambda x: (x + 1).unsqueeze(0).expand(4, *x.shape),
    "input_view": lambda x: x.transpose(0, 1),
    "input_slice": lambda x: x[:, :1],
    "input_expand": lambda x: x[:1].expand(5, *x.shape[1:]),
    "sum": lambda x: x.sum(1),
    "sum_keepdim": lambda x: x.sum(0, keepdim=True),
    "mean": lambda x: x.mean(-1, keepdim=True),
    "amax": lambda x: x.amax((0, 1)),
    "max": lambda x: x.max(1),
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(1),
    "cumsum": lambda x: x.cumsum(0),
    "sort": lambda x: x.sort(1),
    "topk": lambda x: x.topk(2, 1),
    "argmax": lambda x: x.argmax(1),
    "flip": lambda x: x.flip(1),
    "roll": lambda x: x.roll(1, 0),
    "pad": lambda x: F.pad(x, (1, 1)),
    "cat": lambda x: torch.cat([x, x + 1], 1),
    "stack": lambda x: torch.stack([x, x * 2]),
    "where": lambda x: torch.where(x > 0, x, 0.0),
    "tril": torch.tril,
    "gather": lambda x: x.gather(1, torch.zeros(x.shape, dtype=torch.int64)),
    "index_select": lambda x: x.index_select(1, torch.tensor([1, 0])),
    "index": lambda x: x[torch.tensor([1, 0])],
    "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "gelu": F.gelu,
    "zeros_like": torch.zeros_like,
    "repeat": lambda x: x.repeat(2, *([1] * (x.dim() - 1))),
    "views": lambda x: (y := x + 1, y.view(y.shape), y.transpose(0, 1), y[1], y[:, 1:]),
    "chunks": lambda x: (x + 1).split(1),
    "twice": lambda x: (y := x + 1, y),
    "unbind": lambda x: (x * 2).unbind(1),
    "chain": lambda x: ((y := x + 1).transpose(0, 1) * 2, y.sum(0), y),
}

MATRIX = {
    "matmul": lambda x: x @ x.transpose(-1, -2),
    "mm_transposed": lambda x: (x @ x.transpose(-1, -2)).transpose(-1, -2),
    "bmm_epilogue": lambda x: (x.transpose(-1, -2) @ x).transpose(-1, -2) + 1,
    "linear": lambda x: F.linear(x, torch.ones(4, x.shape[-1])),
}

IMAGE = {
    "conv2d": lambda x: F.conv2d(x, torch.ones(4, 3, 3, 3), padding=1),
    "conv_relu": lambda x: F.conv2d(x, torch.ones(4, 3, 1, 1)).relu(),
    "max_pool": lambda x: F.max_pool2d(x, 2),
    "avg_pool": lambda x: F.avg_pool2d(x, 2),
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, 1),
    "upsample": lambda x: F.interpolate(x, scale_factor=2, mode="nearest"),
    "bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "group_norm": lambda x: F.group_norm(x, 3),
    "batch_norm": lambda x: F.batch_norm(x, torch.zeros(3), torch.ones(3)),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "channels_last": lambda x: (x + 1).contiguous(memory_format=torch.channels_last),
}


class Program(torch.nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        out = self.fn(x)
        return tuple(out) if isinstance(out, (tuple, list)) else (out,)


def record(name, fn, x):
    program = torch.export.export(Program(fn), (x,))
    if program.constants or program.state_dict:
        # Numbers that the module makes become inputs of a program without weights.
        constants = list(program.constants.values())
    else:
        constants = []
    document = json.loads(serialize(program).exported_program)
    for node in document["graph_module"]["graph"]["nodes"]:
        node["metadata"] = {}
    results = Program(fn)(x)
    storages, shares = [x.untyped_storage().data_ptr()], []
    for r in results:
        place = r.untyped_storage().data_ptr()
        shares.append(storages.index(place) - 1 if place in storages else None)
        storages.append(place)
    values = [[float(f"{v:.6g}") for v in r.double().flatten().tolist()] for r in results]
    return {
        "name": name,
        "program": {k: document[k] for k in ("graph_module", "range_constraints", "schema_version")},
        "x": x.contiguous().flatten().tolist(),
        "constants": [c.double().flatten().tolist() for c in constants],
        "results": [
            {"shape": list(r.shape), "strides": list(r.stride()), "shares": s, "values": v}
            for r, s, v in zip(results, shares, values)
        ],
    }


def main():
    torch.manual_seed(0)
    cases = []
    for layout, make in LAYOUTS.items():
        for shape in ((2, 3), (2, 3, 4), (2, 3, 4, 4)):
            if layout == "channels_last" and len(shape) < 3:
                continue
            for name, fn in UNARY.items():
                cases.append(record(f"{name} {layout} {shape}", fn, make(*shape)))
        for name, fn in MATRIX.items():
            for shape in ((2, 3), (2, 3, 4)):
                cases.append(record(f"{name} {layout} {shape}", fn, make(*shape)))
        for name, fn in IMAGE.items():
            cases.append(record(f"{name} {layout}", fn, make(2, 3, 4, 4)))
    text = json.dumps(cases, separators=(",", ":"))
    with gzip.GzipFile(OUT, "wb", mtime=0) as file:
        file.write(text.encode())
    print(len(cases), "programs")


main()
