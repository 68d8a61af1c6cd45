"""The published training models as PyTorch modules: compiled, they have the losses of eager execution."""

import copy
import os
import pathlib

import pytest

torch = pytest.importorskip("torch")
load_file = pytest.importorskip("safetensors.torch").load_file
from torch._dynamo.utils import counters

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: Models as NAME_train.pt2, whose forward gives a loss, with NAME_train.safetensors beside each.
MODELS = pathlib.Path(os.environ.get("LITZ_MODELS", ROOT.parent / "shared" / "conformance" / "models"))
NAMES = sorted(path.stem for path in MODELS.glob("*_train.pt2"))
STEPS = 20

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.skipif(not NAMES, reason=f"no models in {MODELS}")]


@pytest.mark.parametrize("differentiate", ["torch", "litz"])
@pytest.mark.parametrize("name", NAMES)
def test_losses_are_those_of_eager_execution(name, differentiate):
    torch.compiler.reset()
    counters.clear()
    data = load_file(MODELS / f"{name}.safetensors")
    inputs = [data[f"in{k}"] for k in range(sum(key.startswith("in") for key in data))]
    module = torch.export.load(MODELS / f"{name}.pt2").module()
    eager, ours = copy.deepcopy(module), copy.deepcopy(module)
    program = torch.compile(ours, backend="litz", fullgraph=True, options={"differentiate": differentiate})
    optimizers = [torch.optim.AdamW(m.parameters(), 1e-3) for m in (eager, ours)]
    first = None
    for step in range(STEPS):
        losses = [torch.utils._pytree.tree_leaves(m(*copy.deepcopy(inputs)))[0] for m in (eager, program)]
        torch.testing.assert_close(losses[1], losses[0], rtol=1e-5, atol=1e-6, msg=lambda text: f"step {step}: {text}")
        for loss, optimizer in zip(losses, optimizers, strict=True):
            optimizer.zero_grad()
            loss.backward()
        for (key, want), have in zip(eager.named_parameters(), ours.parameters() if step == 0 else ()):
            torch.testing.assert_close(have.grad, want.grad, rtol=1e-3, atol=1e-5, msg=lambda text: f"{key}: {text}")
        for optimizer in optimizers:
            optimizer.step()
        first = first or losses[0].item()
    # They learn, so that equal losses say something.
    assert losses[0].item() < 0.95 * first
    assert dict(counters["litz"]) == {"compiled": 2 if differentiate == "torch" else 1}
