"""Matrix products on a real GPU by the own templates, against float64: layouts, odd sizes, batches, epilogues, few rows.

    python3 tests/gpu/products.py path/to/liblitz.so path/to/acceptance

Needs PyTorch, which exports the graphs and gives the reference, and `litz_client.py` of the acceptance programs.
"""
import os, sys, tempfile
import torch
import torch.nn.functional as F

sys.path.insert(0, sys.argv[2])
import litz_client

CASES = []


def case(name, function, *shapes):
    CASES.append((name, function, shapes))


for M, N, K in ((1000, 1304, 712), (129, 1001, 328), (64, 64, 64), (77, 72, 8), (256, 4096, 1024), (1024, 768, 768),
                (1024, 3072, 768), (1024, 768, 3072), (300, 520, 4096), (2048, 2048, 256), (16, 1024, 4096)):
    case(f"rows {M},{N},{K}", lambda a, b: a @ b.t(), (M, K), (N, K))
    case(f"columns {M},{N},{K}", lambda a, b: a @ b, (M, K), (K, N))
    case(f"both transposed {M},{N},{K}", lambda a, b: a.t() @ b.t(), (K, M), (N, K))
    case(f"left transposed {M},{N},{K}", lambda a, b: a.t() @ b, (K, M), (K, N))
case("linear, gelu", lambda x, w, b: F.gelu(F.linear(x, w, b), approximate="tanh"), (3, 333, 512), (1024, 512), (1024,))
case("odd columns", lambda x, w, b: F.gelu(F.linear(x, w, b)), (333, 512), (1021, 512), (1021,))
case("residual", lambda x, w, b, y: torch.relu(F.linear(x, w, b) + y), (700, 256), (512, 256), (512,), (700, 512))
case("scaled", lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2.0), (256, 384), (256, 128), (128, 384))
def exchanged(x):
    return x.transpose(0, 1)


case("rows of exchanged dimensions", lambda x, w, b, y: exchanged(F.gelu(F.linear(exchanged(x), w, b))) + y, (24, 50, 128), (192, 128), (192,), (24, 50, 192))
case("exchanged, its own order", lambda x, w: F.linear(exchanged(x), w), (24, 50, 128), (192, 128))
case("exchanged, a view", lambda x, w, b: torch.relu(F.linear(exchanged(x).reshape(1200, 128), w, b)).view(50, 24, 192)[1:, 3:], (24, 50, 128), (192, 128), (192,))
case("exchanged twice", lambda x, w, v: F.linear(F.relu(F.linear(exchanged(x), w)), v), (24, 50, 128), (192, 128), (64, 192))
case("batch", torch.bmm, (5, 200, 96), (5, 96, 136))
case("heads", lambda q, k: q.view(2, 65, 4, 64).transpose(1, 2) @ k.view(2, 77, 4, 64).permute(0, 2, 3, 1), (2, 65, 256), (2, 77, 256))
case("shared right", lambda a, b: a @ b, (2, 3, 70, 64), (64, 128))
case("shared left", lambda a, b: a @ b, (72, 64), (4, 64, 128))
case("slices", lambda a, b: a[:, 64:192] @ b[8:136, 16:144], (150, 256), (160, 160))
case("rows apart by 200 bytes", lambda a, b: a @ b.t(), (130, 100), (70, 100))
case("odd strides", lambda a, b: a @ b, (130, 101), (101, 77))
for M in (1, 2, 3, 4, 5, 8):
    case(f"few rows {M}", lambda a, b: a @ b.t(), (M, 1240), (1011, 1240))
    case(f"few rows, by columns {M}", lambda a, b: torch.relu(a @ b), (M, 1240), (1240, 1016))
    case(f"few columns {M}", lambda a, b: b @ a.t(), (M, 512), (1000, 512))
    case(f"few columns, transposed {M}", lambda a, b: b.t() @ a.t(), (M, 512), (512, 1000))
case("vector", lambda a, b: a @ b, (1003, 640), (640,))
case("long", lambda a, b, c: F.linear(a, b, c), (1, 4096), (16384, 4096), (16384,))
case("batch of vectors", lambda a, b: a @ b, (6, 1, 256), (6, 256, 520))
case("short", lambda a, b: a @ b.t(), (2, 24), (50, 24))


class Cases(torch.nn.Module):
    def forward(self, *tensors):
        results, k = [], 0
        for _, function, shapes in CASES:
            results.append(function(*tensors[k:k + len(shapes)]))
            k += len(shapes)
        return tuple(results)


def run(litz, dtype, mode, **more):
    """How many results are wrong."""
    torch.manual_seed(0)
    tensors = [torch.randn(*shape, device="cuda").to(dtype) for _, _, shapes in CASES for shape in shapes]
    with torch.no_grad():
        exact, peer = Cases()(*[t.double() for t in tensors]), Cases()(*tensors)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "products.pt2")
        torch.export.save(torch.export.export(Cases(), tuple(tensors), strict=False), path)
        graph = litz.from_pt2(path)
    options = litz.options(**{"backend": "cuda", "mode": mode, "artifact.vendor": "off", **more})
    executable = litz.compile(graph, options)
    results = [torch.empty_like(p) for p in peer]
    step = executable.bind_into(tensors, results, torch.cuda.current_stream().cuda_stream)
    for _ in range(3):  # run, recorded, replayed
        for result in results:
            result.fill_(float("nan"))
        step()
    torch.cuda.synchronize()
    wrong = 0
    for (name, _, _), got, want, other in zip(CASES, results, exact, peer):
        error, theirs = ((x.double() - want).norm() / want.norm() for x in (got, other))
        if not error <= max(2 * theirs, 5e-4 if more else 1e-6):
            print(f"WRONG {dtype} {mode} {more} {name}: {error:.2e}, PyTorch {theirs:.2e}")
            wrong += 1
    kinds = [k["kind"] for k in executable.describe()["kernels"] if k["stage"] == "run"]
    print(dtype, mode, more or "", f"{len(results)} products, {wrong} wrong;", {kind: kinds.count(kind) for kind in sorted(set(kinds))}, flush=True)
    return wrong


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    litz = litz_client.Lib(sys.argv[1])
    modes = [(torch.bfloat16, "default"), (torch.bfloat16, "reduce-overhead"), (torch.float16, "default"), (torch.float32, "default")]
    wrong = sum(run(litz, *which) for which in modes)
    # With ten bits of each operand.
    wrong += run(litz, torch.float32, "default", **{"cuda.tf32": "true"})
    sys.exit(1 if wrong else 0)


main()
