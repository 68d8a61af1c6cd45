"""Classifies handwritten digits with a network that PyTorch exported; neither PyTorch nor NumPy is needed.

    classify.py LIBLITZ DIGITS_FOLDER
"""

import array
import json
import struct
import sys

import litz


def safetensors(path):
    """The tensors of a safetensors file: name to (dtype, shape, bytes)."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    return {
        name: (t["dtype"], t["shape"], data[slice(*t["data_offsets"])])
        for name, t in header.items()
        if name != "__metadata__"
    }


def main(library_path, folder):
    library = litz.Library(library_path)
    program = library.compile_pt2(folder + "/digits_cnn.pt2")
    described = json.loads(program.describe())
    print("inputs:", ", ".join(i["name"] for i in described["inputs"]))

    tensors = safetensors(folder + "/digits.safetensors")
    _, shape, data = tensors["test.images"]
    images = array.array("f", data)
    labels = array.array("q", tensors["test.labels"][2])
    ((scores, (count, classes)),) = program.run([(images, [shape[0], 1, shape[1], shape[2]])])
    rows = [scores[k * classes : (k + 1) * classes] for k in range(count)]
    right = sum(row.index(max(row)) == label for row, label in zip(rows, labels))
    print(f"{right} of {count} images are classified rightly")

    try:
        program.run([(array.array("f", [0.0] * 12), [1, 1, 3, 4])])
    except litz.Error as error:
        print("an image of another size is refused with status", error.status)


if __name__ == "__main__":
    main(*sys.argv[1:])
