#!/usr/bin/env python3
"""Writes tests/data/attention/vendor.pt2 and .safetensors: attention by FlashAttention and by cuDNN with their gradients, as graphs
that are exported for a GPU and decomposed have it. Needs PyTorch and safetensors.

Shapes of these operators are known without a GPU; the results are those of attention by PyTorch's plain operators.
"""
import math, os

import torch
from safetensors.torch import save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data/attention")
SCALE = 0.3
aten = torch.ops.aten


class Attentions(torch.nn.Module):
    def forward(self, q, k, v, bias, g):
        flash = aten._scaled_dot_product_flash_attention.default(q, k, v, 0.0, True, scale=SCALE)
        out, sums, cum_q, cum_k, max_q, max_k, state, unused, _ = flash
        grads = aten._scaled_dot_product_flash_attention_backward.default(
            g, q, k, v, out, sums, cum_q, cum_k, max_q, max_k, 0.0, True, state, unused, scale=SCALE)
        cudnn = aten._scaled_dot_product_cudnn_attention.default(q, k, v, bias, True)
        # The sizes among the results are numbers that a program may calculate with.
        return out * max_k, sums, *grads, cudnn[0], cudnn[1] - cudnn[4]


def attention(q, k, v, bias, scale):
    scores = q @ k.mT * scale + bias
    return scores.softmax(-1) @ v, scores.logsumexp(-1)


def main():
    torch.manual_seed(0)
    q, k, v, g = (torch.randn(2, 3, 9, 16, dtype=torch.float32) for _ in range(4))
    bias = torch.randn(2, 3, 9, 9, dtype=torch.float32)
    program = torch.export.export(Attentions(), (q, k, v, bias, g))
    torch.export.save(program, os.path.join(DATA, "vendor.pt2"))
    wide = [t.double().requires_grad_() for t in (q, k, v)]
    causal = torch.full((9, 9), -math.inf, dtype=torch.float64).triu(1)
    out, sums = attention(*wide, causal, SCALE)
    grads = torch.autograd.grad(out, wide, g.double())
    biased, others = attention(*wide, bias.double(), 16 ** -0.5)
    results = [(out * 9).float(), sums.float(), *(t.float() for t in grads), biased.float(), (others - 9).float().unsqueeze(-1)]
    tensors = {f"in{n}": t for n, t in enumerate((q, k, v, bias, g))} | {f"out{n}": t.detach().contiguous() for n, t in enumerate(results)}
    save_file(tensors, os.path.join(DATA, "vendor.safetensors"))


if __name__ == "__main__":
    main()
