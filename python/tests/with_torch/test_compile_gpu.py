"""torch.compile with the backend litz on a GPU; these need PyTorch with CUDA and a device."""

import copy

import pytest

torch = pytest.importorskip("torch")
from torch._dynamo.utils import counters
from shared import compiled, fresh  # noqa: F401 (a fixture of all tests)
from torch.nn import functional as F

if not torch.cuda.is_available():
    pytest.skip("PyTorch has no GPU", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("default")


def tensor(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def error(got, want):
    """The relative error of the whole."""
    return ((got.double() - want.double()).norm() / want.double().norm().clamp_min(1e-30)).item()


def check(function, inputs, most=1e-2):
    """Results and gradients in reduced floats have about the error that eager execution has, against float64."""
    kinds = [x.dtype for x in inputs if x.is_floating_point()]
    cotangents = {}

    def results(run, dtype=None):
        given = [x.detach().to(dtype or x.dtype) if x.is_floating_point() else x for x in inputs]
        given = [x.requires_grad_() if x.is_floating_point() else x for x in given]
        out = run(*given)
        cotangent = cotangents.setdefault("of the result", torch.randn_like(out)).to(out.dtype)
        gradients = torch.autograd.grad(out, [x for x in given if x.is_floating_point()], cotangent)
        return [out.detach(), *gradients]

    exact, eager, ours = results(function, torch.float64), results(function), results(compiled(function, fullgraph=True))
    assert [t.dtype for t in ours[1:]] == kinds
    for a, b, c in zip(ours, eager, exact, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        assert error(a, c) <= max(1.5 * error(b, c), most), (error(a, c), error(b, c))


def test_norms_keep_their_statistics():
    check(lambda x, w, b: F.layer_norm(x, (256,), w, b), [tensor(64, 256), tensor(256), tensor(256)])
    check(lambda x, w, b: F.group_norm(x, 4, w, b), [tensor(4, 32, 8, 8), tensor(32), tensor(32)])
    check(lambda x, w: F.rms_norm(x, (256,), w), [tensor(64, 256), tensor(256)])
    check(lambda x, w, b: F.batch_norm(x, None, None, w, b, True), [tensor(8, 32, 9, 9), tensor(32), tensor(32)])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("beside", [False, True])
def test_attention_and_its_gradient(causal, beside):
    def of_one(x):
        q, k, v = x.view(2, 256, 3, 4, 64).permute(2, 0, 3, 1, 4)
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    if beside:
        check(of_one, [tensor(2, 256, 3 * 4 * 64)])
    else:
        operands = [tensor(2, 4, 256, 64) for _ in range(3)]
        check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal), operands)


def test_attention_under_a_mask_and_of_other_widths():
    mask = torch.rand(256, 192, device="cuda") > 0.3
    operands = [tensor(2, 4, 256, 64), tensor(2, 4, 192, 64), tensor(2, 4, 192, 64)]
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, mask), operands)
    check(F.scaled_dot_product_attention, [tensor(2, 4, 64, 40), tensor(2, 4, 96, 40), tensor(2, 4, 96, 24)])
    check(F.scaled_dot_product_attention, [tensor(2, 4, 64, 40), tensor(2, 4, 96, 40), tensor(2, 4, 96, 40)])


def test_attention_with_dropout_drops_out():
    operands = [tensor(1, 2, 128, 64) for _ in range(3)]
    program = compiled(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, dropout_p=0.5), fullgraph=True)
    with torch.no_grad():
        one, other = program(*operands), program(*operands)
        want = F.scaled_dot_product_attention(*operands)
    assert not torch.equal(one, other)
    mean = torch.stack([program(*operands).float() for _ in range(400)]).mean(0)
    assert error(mean, want) < 0.2


def test_cross_entropy_and_lookups():
    labels = torch.randint(1000, (64,), device="cuda")
    labels[5] = -100
    check(lambda x, y: F.cross_entropy(x.float(), y, reduction="none"), [tensor(64, 1000), labels])
    check(lambda w, i: F.embedding(i, w), [tensor(100, 32), torch.randint(100, (64,), device="cuda")])


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_convolutions_and_pooling(layout):
    def net(x, w):
        return F.max_pool2d(F.conv2d(x, w, padding=1).relu(), 3, 2, 1)

    check(net, [tensor(4, 16, 16, 16).to(memory_format=layout), tensor(32, 16, 3, 3).to(memory_format=layout)])


def test_results_of_sizes_alone_lie_where_the_arguments_do():
    for function in (torch.ones_like, lambda x: x.new_full((3, 2), 7.0)):
        assert compiled(function)(tensor(4, 5)).device.type == "cuda"


def test_statistics_and_counters_of_norms_move():
    """Few channels, whose sums take all blocks, and values that cannot be written where they lie."""
    blocks = [torch.nn.Sequential(torch.nn.Conv2d(64, 64, 3, padding=1), torch.nn.BatchNorm2d(64)) for _ in range(3)]
    eager = torch.nn.Sequential(*blocks).cuda().to(memory_format=torch.channels_last)
    ours = copy.deepcopy(eager)
    program = compiled(ours)
    for _ in range(3):
        x = tensor(8, 64, 32, 32, dtype=torch.float32).to(memory_format=torch.channels_last)
        for model in (eager, program):
            model(x).square().mean().backward()
    for (name, own), other in zip(ours.named_buffers(), eager.buffers(), strict=True):
        torch.testing.assert_close(own, other, rtol=1e-3, atol=1e-3, msg=lambda text, name=name: f"{name}: {text}")


def test_training_has_the_losses_of_eager_execution():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens = torch.nn.Embedding(50, 64)
            self.layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
            self.head = torch.nn.Linear(64, 50)

        def forward(self, tokens, labels):
            return F.cross_entropy(self.head(self.layer(self.tokens(tokens))).flatten(0, 1), labels.flatten())

    eager = Model().cuda()
    ours = copy.deepcopy(eager)
    program = compiled(ours)
    optimizers = [torch.optim.AdamW(m.parameters(), 1e-3) for m in (eager, ours)]
    for _ in range(20):
        tokens, labels = torch.randint(50, (2, 4, 16), device="cuda")
        losses = eager(tokens, labels), program(tokens, labels)
        torch.testing.assert_close(*losses, rtol=1e-4, atol=1e-4)
        for loss, optimizer in zip(losses, optimizers, strict=True):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert counters["litz"]["compiled"] == 2
