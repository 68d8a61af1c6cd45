"""What the tests of torch.compile share."""

import pytest
import torch
from torch._dynamo.utils import counters


@pytest.fixture(autouse=True)
def fresh():
    torch.compiler.reset()
    counters.clear()
    torch.manual_seed(0)


def compiled(function, **kwargs):
    return torch.compile(function, backend="litz", **kwargs)
