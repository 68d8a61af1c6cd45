"""Writes tests/data/weights: `blocks.gguf`, a tensor of each of GGUF's block formats that are read, `blocks.safetensors`, what ggml's
own Python package unpacks them to, and a small model as export JSON with its weights in two safetensors files and an index.

    python tests/weight_files.py        needs torch, numpy, safetensors and gguf
"""

import json
import pathlib

import gguf
import numpy
import torch
from safetensors.torch import save_file

FOLDER = pathlib.Path(__file__).parent / "data" / "weights"
READ = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "TQ2_0", "MXFP4"]
# Where a block has its scales of 16 bits.
HALVES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2],
    "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0], "TQ2_0": [64], "MXFP4": [],
}


def blocks() -> None:
    random = numpy.random.default_rng(7)
    writer = gguf.GGUFWriter(FOLDER / "blocks.gguf", "llama")
    writer.add_uint32("a.number", 12)
    writer.add_float32("a.float", 0.5)
    writer.add_array("a.list", ["one", "two"])
    expected = {}
    for name in READ:
        kind = gguf.GGMLQuantizationType[name]
        elements, size = gguf.GGML_QUANT_SIZES[kind]
        data = random.integers(0, 256, (3, 512 // elements, size), dtype=numpy.uint8)
        for at in HALVES[name]:
            scale = random.normal(0, 1, data.shape[:2]).astype("<f2")
            data[:, :, at : at + 2] = scale[..., None].view(numpy.uint8)
        if name == "MXFP4":
            # Exponents up to those whose products are no finite numbers; 0 and 1 are made otherwise.
            data[:, :, 0] = random.integers(0, 250, data.shape[:2])
            data[0, :2, 0] = [0, 1]
        data = data.reshape(3, -1)
        writer.add_tensor(name, data, raw_dtype=kind)
        expected[name] = torch.from_numpy(gguf.quants.dequantize(data, kind))
    for name, dtype in [("F32", "float32"), ("F16", "float16"), ("I8", "int8"), ("I64", "int64"), ("F64", "float64")]:
        data = random.integers(-9, 9, (2, 5)).astype(dtype)
        writer.add_tensor(name, data)
        expected[name] = torch.from_numpy(data)
    writer.add_tensor("not read", numpy.zeros((1, 66), numpy.uint8), raw_dtype=gguf.GGMLQuantizationType.IQ2_XXS)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    save_file(expected, FOLDER / "blocks.safetensors", metadata={"format": "pt"})


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(11, 8)
        self.norm = torch.nn.BatchNorm1d(8)
        self.head = torch.nn.Linear(8, 11, bias=False)
        self.head.weight = self.embed.weight  # one parameter
        self.register_buffer("scale", torch.tensor([0.5, 2.0] * 4))
        self.register_buffer("shift", torch.arange(8.0), persistent=False)

    def forward(self, x):
        return self.head(self.norm(self.embed(x)) * self.scale + self.shift)


def model() -> None:
    torch.manual_seed(3)
    module = Model().eval()
    x = torch.tensor([3, 1, 10, 0])
    program = torch.export.export(module, (x,), strict=True)
    from torch._export.serde.serialize import serialize

    text = serialize(program).exported_program.decode()
    # Where the files of this machine lie is nobody's business.
    for folder in (pathlib.Path(torch.__file__).parents[1], pathlib.Path(__file__).resolve().parent):
        text = text.replace(f"{folder}/", "")
    FOLDER.joinpath("model.json").write_text(text)
    state = {k: v.contiguous() for k, v in module.state_dict().items() if k not in ("embed.weight", "head.weight")}
    # A file may have another float, and another name.
    first = {"tokens.weight": module.embed.weight.detach().to(torch.bfloat16)}
    module.embed.weight.data = first["tokens.weight"].float()
    state.update(first)
    second = {k: v for k, v in state.items() if k not in first}
    names = {"model-00001-of-00002.safetensors": first, "model-00002-of-00002.safetensors": second}
    for file, part in names.items():
        save_file(part, FOLDER / file)
    index = {"metadata": {"total_size": 1}, "weight_map": {k: file for file, part in names.items() for k in part}}
    FOLDER.joinpath("model.safetensors.index.json").write_text(json.dumps(index, indent=1) + "\n")
    with torch.no_grad():
        save_file({"x": x, "shift": module.shift, "y": module(x)}, FOLDER / "model_run.safetensors")


FOLDER.mkdir(exist_ok=True)
blocks()
model()
