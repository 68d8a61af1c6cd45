"""Times workloads side by side: PyTorch eager, torch.compile, and Litz through its C ABI, on the same tensors.

scripts/bench --torch PYTHON calls it. Needs PyTorch; LITZ_LIB names liblitz.so. A result of Litz that differs from
eager's is an error and gives no figure.
"""
import ctypes, os, sys, tempfile, time

# torch.compile's cache is emptied too, so that its first call is as cold as Litz's.
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", tempfile.mkdtemp())
import torch
import torch.nn.functional as F


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


CODES = {torch.float32: (2, 32), torch.float64: (2, 64), torch.float16: (2, 16), torch.bfloat16: (4, 16),
         torch.int64: (0, 64), torch.int32: (0, 32), torch.bool: (6, 8)}


def borrow(tensors):
    """An array of DLTensor pointers, and what must outlive it."""
    structs, keep = [], list(tensors)
    for t in tensors:
        shape, strides = (ctypes.c_int64 * max(t.dim(), 1))(*t.shape), (ctypes.c_int64 * max(t.dim(), 1))(*t.stride())
        structs.append(DLTensor(t.data_ptr(), 1, 0, t.dim(), *CODES[t.dtype], 1, shape, strides, 0))
    keep += structs
    return (ctypes.POINTER(DLTensor) * max(len(structs), 1))(*[ctypes.pointer(s) for s in structs]), keep


class Litz:
    """A module compiled by Litz; called with tensors it writes into outputs that it keeps."""

    def __init__(self, lib, module, inputs, outputs):
        self.lib, self.n = lib, (ctypes.c_size_t(len(inputs)), ctypes.c_size_t(len(outputs)))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "module.pt2")
            torch.export.save(torch.export.export(module, inputs, strict=False), path)
            begin = time.perf_counter()
            graph, self.program = ctypes.c_void_p(), ctypes.c_void_p()
            self.call("litz_graph_from_pt2", path.encode(), None, ctypes.byref(graph))
            self.call("litz_compile", graph, None, ctypes.byref(self.program))
            self.seconds = time.perf_counter() - begin
            lib.litz_graph_release(graph)
        self.outputs = [torch.empty_like(o) for o in outputs]
        (self.ins, keep_in), (self.outs, keep_out) = borrow(inputs), borrow(self.outputs)
        self.keep = keep_in + keep_out

    def call(self, name, *arguments):
        error = ctypes.c_void_p()
        if getattr(self.lib, name)(*arguments, ctypes.byref(error)) != 0:
            self.lib.litz_error_message.restype = ctypes.c_char_p
            raise RuntimeError(self.lib.litz_error_message(error).decode())

    def __call__(self):
        self.call("litz_executable_run_into", self.program, self.ins, self.n[0], self.outs, self.n[1], None)


class Attention(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt2(torch.nn.Module):
    """GPT-2 small: 12 blocks, width 768."""

    def __init__(self, vocabulary=50304, width=768, heads=12, blocks=12, length=1024):
        super().__init__()
        self.tokens, self.places = torch.nn.Embedding(vocabulary, width), torch.nn.Embedding(length, width)
        self.blocks = torch.nn.Sequential(*[Block(width, heads) for _ in range(blocks)])
        self.norm, self.head = torch.nn.LayerNorm(width), torch.nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        return self.head(self.norm(self.blocks(x)))


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def workloads():
    yield "mm", Function(torch.matmul), (torch.randn(1024, 1024), torch.randn(1024, 1024))
    yield "softmax", Function(lambda a: torch.softmax(a, -1)), (torch.randn(2048, 1024),)
    yield "gpt2_small_forward", Gpt2().eval(), (torch.randint(0, 50304, (1, 128)),)


def median(function, budget=1.0):
    for _ in range(3):
        function()
    times, begin = [], time.perf_counter()
    while len(times) < 10 or (time.perf_counter() - begin < budget and len(times) < 500):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * sorted(times)[len(times) // 2]


def main():
    torch.manual_seed(0)
    lib = ctypes.CDLL(os.environ["LITZ_LIB"])
    wrong = False
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads; milliseconds a call, seconds of compiling")
    print(f"{'workload':20} {'eager':>9} {'compiled':>9} {'litz':>9} {'ratio':>6} {'compile':>8} {'litz':>7}")
    for name, module, inputs in workloads():
        with torch.no_grad():
            eager_result = module(*inputs)
            eager = median(lambda: module(*inputs))
            begin = time.perf_counter()
            compiled_module = torch.compile(module)
            compiled_module(*inputs)
            compiling = time.perf_counter() - begin
            compiled = median(lambda: compiled_module(*inputs))
            litz = Litz(lib, module, inputs, [eager_result])
            litz()
            scale = eager_result.abs().max().clamp_min(1e-30)
            if not ((litz.outputs[0] - eager_result).abs().max() / scale < 1e-3):
                print(f"{name:20} litz gives another result than eager")
                wrong = True
                continue
            ours = median(litz)
        print(f"{name:20} {eager:9.3f} {compiled:9.3f} {ours:9.3f} {ours / min(eager, compiled):6.2f}"
              f" {compiling:8.1f} {litz.seconds:7.2f}", flush=True)
    sys.exit(wrong)


main()
