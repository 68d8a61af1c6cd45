"""Convolutions on a real GPU by cuDNN and by the own template, against float64: sizes, strides, groups, dtypes; JIT, CUDA
graphs and artifacts. Prints the time of each beside PyTorch's.

    python3 tests/gpu/convolutions.py path/to/liblitz.so path/to/acceptance

Needs PyTorch, which exports the graphs and gives the reference, and `litz_client.py` of the acceptance programs.
"""
import os, sys, tempfile
import torch
import torch.nn.functional as F

sys.path.insert(0, sys.argv[2])
import litz_client

# Images; filters and window; stride, padding, dilation, groups.
CASES = [((8, 64, 56, 56), (64, 3, 3), 1, 1, 1, 1), ((8, 3, 224, 224), (64, 7, 7), 2, 3, 1, 1), ((8, 256, 28, 28), (512, 1, 1), 2, 0, 1, 1),
         ((2, 48, 33, 65), (96, 5, 3), (2, 1), (0, 2), (1, 2), 1), ((4, 64, 30, 30), (64, 3, 3), 1, 1, 1, 4), ((1, 32, 300, 1), (64, 9, 1), 1, (4, 0), 1, 1)]


class Convolution(torch.nn.Module):
    def __init__(self, stride, padding, dilation, groups):
        super().__init__()
        self.settings = (stride, padding, dilation, groups)

    def forward(self, x, w, b):
        return F.relu(F.conv2d(x, w, b, *self.settings))


def timed(step):
    for _ in range(3):
        step()
    times = []
    for _ in range(20):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        step()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def check(litz, case, dtype, folder):
    images, filters, *settings = case
    torch.manual_seed(0)
    shapes = [images, (filters[0], images[1] // settings[3], *filters[1:]), (filters[0],)]
    tensors = [torch.randn(*s, device="cuda").to(dtype) for s in shapes]
    module, path, wrong = Convolution(*settings), os.path.join(folder, "convolution.pt2"), 0
    exact, peer = module(*[t.double() for t in tensors]), module(*tensors)
    torch.export.save(torch.export.export(module, tuple(tensors), strict=False), path)
    graph, said = litz.from_pt2(path), [f"PyTorch {timed(lambda: module(*tensors)):.3f} ms"]
    theirs = (peer.double() - exact).norm() / exact.norm()
    ways = [{}, {"mode": "reduce-overhead"}, {"artifact.vendor": "off"}, {"cuda.tf32": "true"}, None]
    for way in ways:
        options = litz.options(**{"backend": "cuda", **(way or {})})
        if way is None:
            saved = os.path.join(folder, "convolution.so")
            litz.artifact(graph, saved, options)
            executable = litz.open(saved)
        else:
            executable = litz.compile(graph, options)
        result = torch.empty_like(peer)
        step = executable.bind_into(tensors, [result], torch.cuda.current_stream().cuda_stream)
        time = timed(step)
        result.fill_(float("nan"))
        step()
        torch.cuda.synchronize()
        error = (result.double() - exact).norm() / exact.norm()
        allowed = 2e-3 if way and "cuda.tf32" in way and dtype == torch.float32 else max(2 * theirs.item(), 1e-6)
        names = [k["name"] if k["name"] == "cuDNN" else k["kind"] for k in executable.describe()["kernels"]]
        said.append(f"{'artifact' if way is None else way or 'default'}: {time:.3f} ms, {error:.0e} off, {'+'.join(names)}")
        if not error <= allowed:
            said.append("WRONG")
            wrong += 1
        executable.release()
    print(case, dtype, "; ".join(said), flush=True)
    return wrong


def main():
    torch.backends.cudnn.allow_tf32 = False
    litz, wrong = litz_client.Lib(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        for dtype in (torch.float32, torch.float64, torch.bfloat16):
            for case in CASES:
                wrong += check(litz, case, dtype, folder)
    sys.exit(1 if wrong else 0)


main()
