"""Makes tests/data/strides.json.gz: small exported programs over inputs of several layouts, each with the strides that
PyTorch gives its results and with which earlier result each shares its memory; and tests/data/constants_with_strides.pt2, whose
parameters and buffers have layouts of their own; and tests/data/gradients_with_strides.pt2, with the strides of its gradients. Needs PyTorch 2.10 or later."""

import gzip
import json
import pathlib

import torch
from torch._export.serde.serialize import serialize
from torch.nn import functional as F

OUT = pathlib.Path(__file__).parent / "data" / "strides.json.gz"
HELD = OUT.with_name("constants_with_strides.pt2")
TRAINED = OUT.with_name("gradients_with_strides.pt2")

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

def volumes(*shape):
    """Ones with channels last."""
    return torch.ones(shape).contiguous(memory_format=torch.channels_last_3d)


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
    "roll_flat": lambda x: x.roll(1),
    "roll_round": lambda x: (x.roll(2, 0), x.roll((1, 0), (0, 1))),
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


I = torch.tensor

def meshgrid_written(x):
    p = x[0] + 1
    grid = torch.meshgrid(p, x[:, 0] * 2, indexing="xy")
    p.mul_(2)
    return grid[0] + 0, grid[1]


def broadcast_written(x):
    y = x[0] * 2
    wide, same = torch.broadcast_tensors(y, x * 3)
    y.add_(1)
    same.mul_(2)
    return wide + 0, same


def unsafe_written(x):
    y = x + 1
    torch.unsafe_split(y, 3, 0)[0].mul_(2)
    return y, torch.unsafe_chunk(y, 2, 1)[1]


# What PyTorch lays out by a rule of the operator's own: by the shape that it is for.
OWN = {
    (4, 6): {
        "nonzero_static": lambda x: torch.nonzero_static(x, size=5),
        "masked_fill": lambda x: x.masked_fill(x > 0, 0.0),
        "scatter": lambda x: x.scatter(0, torch.zeros(2, 6, dtype=torch.int64), 1.0),
        "scatter_add": lambda x: x.scatter_add(0, torch.zeros(4, 6, dtype=torch.int64), x),
        "scatter_reduce": lambda x: x.scatter_reduce(0, torch.zeros(4, 6, dtype=torch.int64), x, "amax"),
        "index_add": lambda x: x.index_add(0, I([0, 1]), x[:2]),
        "index_copy": lambda x: x.index_copy(0, I([0, 1]), x[2:]),
        "index_fill": lambda x: x.index_fill(0, I([0, 1]), 3.0),
        "index_reduce": lambda x: x.index_reduce(0, I([0, 1]), x[:2], "amin"),
        "renorm": lambda x: x.renorm(2, 0, 1.0),
        "cummax": lambda x: x.cummax(0),
        "cummin": lambda x: x.cummin(1),
        "diff": lambda x: x.diff(dim=0),
        "diff_prepend": lambda x: x.diff(prepend=x[:, :1]),
        "glu": lambda x: F.glu(x),
        "rot90": lambda x: (x.rot90(), x.rot90(2), x.rot90(3), x.rot90(4)),
        "quantile": lambda x: x.quantile(I([0.25, 0.5]), dim=0),
        "quantile_keepdim": lambda x: x.quantile(I([0.25, 0.5, 0.75]), dim=1, keepdim=True),
        "addr": lambda x: torch.addr(x, x[:, 0], x[0]),
        "mvlgamma": lambda x: (x + 5).mvlgamma(3),
        "resize_as_it_is": lambda x: (x + 0).resize_(4, 6),
        "resize_flat": lambda x: (x + 0).resize_(24),
        "rsub": lambda x: torch.rsub(x, (x * 2).t().contiguous().t()),
        "sum_to_size": lambda x: x.sum_to_size(4, 6),
        "inner": lambda x: torch.inner(torch.ones(()), x),
        "zero_": lambda x: x.zero_(),
        "masked_fill_": lambda x: x.masked_fill_(x > 0, 0.0),
        "meshgrid": lambda x: torch.meshgrid(x[0] + 1, x[:, 0] * 2, indexing="ij"),
        "meshgrid_xy": lambda x: torch.meshgrid(x[0] + 1, x[:, 0] * 2, indexing="xy"),
        "meshgrid_of_one": lambda x: (y := x[0] * 2, *torch.meshgrid(y, indexing="ij")),
        "meshgrid_written": meshgrid_written,
        "broadcast_tensors": lambda x: (y := x[0] * 2, *torch.broadcast_tensors(y, x)),
        "broadcast_written": broadcast_written,
        "cartesian_prod_of_one": lambda x: (torch.cartesian_prod(x[0]), torch.cartesian_prod(x[0], x[0])),
        "kron": lambda x: torch.kron(x, (x * 2).t().contiguous().t() if x.stride(0) == 1 else x),
        "kron_larger": lambda x: torch.kron(x[:1].contiguous(), torch.ones(2, 1, 3)),
        "ldexp": lambda x: torch.ldexp(x.unsqueeze(1), x[:, :1].contiguous().expand(4, 6).t().contiguous().t()),
        "ldexp_of_integers": lambda x: torch.ldexp(x.unsqueeze(1), (x * 0 + 2).long()),
        "positive": lambda x: (torch.positive(x), y := x + 1, torch.positive(y)),
        "conj_physical": lambda x: (torch.conj_physical(x), y := x + 1, torch.conj_physical(y)),
        "sum_to_its_size": lambda x: (x.sum_to_size(4, 6), y := x + 1, y[1:].sum_to_size(3, 6)),
        "ravel": lambda x: (x.ravel(), y := x + 1, y.ravel(), y[1:].ravel(), y[:, ::2].ravel()),
        "unsafe_views": lambda x: (y := x + 1, *torch.unsafe_chunk(y, 2, 1), *torch.unsafe_split(y, 3, 0)),
        "unsafe_written": unsafe_written,
        "to_what_it_is": lambda x: (x.float(), y := x[1:] + 1, y.float(), y[1:].to(torch.float32), y.type_as(x)),
        "to_a_format": lambda x: (x.to(torch.float32, memory_format=torch.contiguous_format), x.double()),
        "contiguous_of_a_part": lambda x: (y := (x + 1).contiguous(), y[2:].contiguous(), y[:, 1:].contiguous()),
    },
    (2, 3, 4): {
        "adaptive_avg_pool1d": lambda x: F.adaptive_avg_pool1d(x, 2),
        "adaptive_max_pool1d": lambda x: F.adaptive_max_pool1d(x, 2, return_indices=True),
        "avg_pool1d": lambda x: F.avg_pool1d(x, 2),
        "max_pool1d": lambda x: F.max_pool1d(x, 2),
        "conv1d": lambda x: F.conv1d(x, torch.ones(4, 3, 2)),
        "conv1d_filter": lambda x: F.conv1d(x + 0, torch.ones(4, 2, 3).transpose(1, 2)),
        "conv_transpose1d": lambda x: F.conv_transpose1d(x, torch.ones(3, 2, 4).transpose(1, 2)),
        "conv2d_unbatched": lambda x: F.conv2d(x, torch.ones(3, 2, 2, 2).to(memory_format=torch.channels_last)),
        "instance_norm": lambda x: F.instance_norm(x),
        "kl_div": lambda x: F.kl_div(x, torch.ones(2, 3, 4), reduction="none"),
        "margin_ranking": lambda x: F.margin_ranking_loss(torch.zeros(2, 3, 4), torch.zeros(2, 3, 4), x, reduction="none"),
        "cross_entropy": lambda x: F.binary_cross_entropy(x.sigmoid(), torch.ones(2, 3, 4), reduction="none"),
        "poisson": lambda x: F.poisson_nll_loss(x, torch.ones(2, 3, 4), reduction="none"),
        "reflect": lambda x: F.pad(x, (1, 1), mode="reflect"),
    },
    (2, 3, 4, 4): {
        "conv_transpose2d": lambda x: F.conv_transpose2d(x, torch.ones(3, 2, 2, 2)),
        "conv_transpose2d_filter": lambda x: F.conv_transpose2d(
            x, torch.ones(3, 4, 2, 2).to(memory_format=torch.channels_last)
        ),
        "batch_norm_training": lambda x: F.batch_norm(x, None, None, training=True),
        "native_group_norm": lambda x: torch.native_group_norm(x, None, None, 2, 3, 16, 3, 1e-5),
        "instance_norm": lambda x: F.instance_norm(x),
        "reflect": lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"),
        "replicate": lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"),
        "circular": lambda x: F.pad(x, (1, 1, 1, 1), mode="circular"),
        "adaptive_pool3d_unbatched": lambda x: F.adaptive_avg_pool3d(x, 2),
        "channel_shuffle": lambda x: F.channel_shuffle(x, 3),
        "max_unpool": lambda x: F.max_unpool2d(x, torch.arange(16).reshape(4, 4).expand(2, 3, 4, 4) * 2, 2),
        "attention": lambda x: F.scaled_dot_product_attention(x, x, x),
        "attention_masked": lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(4, 4)),
        "attention_3d": lambda x: F.scaled_dot_product_attention(x[0], x[1], x[0]),
        "conv3d_unbatched": lambda x: F.conv3d(x, volumes(2, 2, 2, 2, 2)),
    },
    **{
        (batch, 2, 4, 5, 4): {
            "avg_pool3d": lambda x: F.avg_pool3d(x, 2),
            "max_pool3d": lambda x: F.max_pool3d(x, 2, return_indices=True),
            "adaptive_avg_pool3d": lambda x: F.adaptive_avg_pool3d(x, (3, 2, 2)),
            "adaptive_max_pool3d": lambda x: F.adaptive_max_pool3d(x, (3, 2, 2), return_indices=True),
            "area": lambda x: F.interpolate(x, size=(3, 3, 3), mode="area"),
            "conv3d": lambda x: F.conv3d(x, volumes(3, 2, 2, 2, 2)),
            "conv3d_plain_filter": lambda x: F.conv3d(x, torch.ones(3, 2, 2, 2, 2)),
            "conv3d_wide_filter": lambda x: F.conv3d(x, volumes(3, 2, 2, 4, 4)),
            "conv3d_groups": lambda x: F.conv3d(x, torch.ones(4, 1, 2, 2, 2), groups=2),
            "conv3d_double": lambda x: F.conv3d(x.double(), volumes(3, 2, 2, 2, 2).double()),
            "conv_transpose3d": lambda x: F.conv_transpose3d(x, volumes(2, 3, 2, 2, 2)),
            "conv_transpose3d_wide": lambda x: F.conv_transpose3d(x, volumes(2, 3, 2, 4, 4), stride=2, output_padding=1),
            "conv_transpose3d_padded": lambda x: F.conv_transpose3d(
                x, volumes(2, 3, 2, 2, 2), stride=2, dilation=3, output_padding=2
            ),
        }
        for batch in (1, 2)
    },
}

# Random results, of which the layout alone is compared.
DROPPED = {
    f"{name} {p} {train}": lambda x, drop=getattr(F, name), p=p, train=train: drop(x, p, train)
    for name in ("dropout", "dropout2d", "alpha_dropout", "feature_alpha_dropout")
    for p, train in ((0.0, True), (0.5, True), (0.5, False), (1.0, True))
}

# Short-time transforms, of which the layout alone is compared.
FRAMED = {
    "stft_frames": lambda x: torch.stft(x, 8, hop_length=3, center=False, return_complex=True),
    "stft_window": lambda x: torch.stft(x, 8, window=torch.ones(8), center=False, return_complex=True),
    "stft_centered": lambda x: torch.stft(x, 8, window=torch.ones(6), win_length=6, return_complex=True),
    "stft_whole": lambda x: torch.stft(x, 8, center=False, onesided=False, return_complex=True),
    "stft_of_complex": lambda x: torch.stft(torch.complex(x, x), 8, center=False, return_complex=True),
}

# Operators of the second library, of which the layout alone is compared.
FACTORS = {
    "cholesky": lambda x: torch.linalg.cholesky(x @ x.mT + torch.eye(4)),
    "cholesky_inverse": lambda x: torch.cholesky_inverse(x + 9 * torch.eye(4)),
    "cholesky_solve": lambda x: torch.cholesky_solve(x[..., :2], x + 9 * torch.eye(4)),
    "inv": lambda x: torch.linalg.inv(x + 9 * torch.eye(4)),
    "inverse_power": lambda x: torch.linalg.matrix_power(x + 9 * torch.eye(4), -1),
    "matrix_sqrth": lambda x: torch.linalg.matrix_sqrth(x @ x.mT + torch.eye(4)),
    "solve": lambda x: torch.linalg.solve(x + 9 * torch.eye(4), x[..., :2]),
    "solve_left": lambda x: torch.linalg.solve(x + 9 * torch.eye(4), x[..., :2, :], left=False),
    "solve_triangular": lambda x: torch.linalg.solve_triangular(x + 9 * torch.eye(4), x[..., :2], upper=True),
    "lu_factor": lambda x: torch.linalg.lu_factor(x),
    "lu": lambda x: torch.linalg.lu(x),
    "lu_solve": lambda x: torch.linalg.lu_solve(*torch.linalg.lu_factor(x + 9 * torch.eye(4)), x[..., :2]),
    "qr": lambda x: torch.linalg.qr(x),
    "qr_tall": lambda x: torch.linalg.qr(x[..., :2], mode="complete"),
    "svd": lambda x: torch.linalg.svd(x[..., :3]),
    "svd_few": lambda x: torch.linalg.svd(x[..., :3], full_matrices=False),
    "svd_old": lambda x: torch.svd(x[..., :3]),
    "eigh": lambda x: torch.linalg.eigh(x + x.mT),
    "householder": lambda x: torch.linalg.householder_product(x[..., :3], x[..., 0, :3]),
    "geqrf": lambda x: torch.geqrf(x),
    "ormqr": lambda x: torch.ormqr(x, x[..., 0, :], x),
    "ldl_factor": lambda x: torch.linalg.ldl_factor(x + x.mT),
    "stft": lambda x: torch.view_as_real(torch.stft(x.reshape(-1, 16), 8, window=torch.ones(8), return_complex=True)),
}


def each_dim(transform):
    """Over each dimension alone."""
    return lambda x: [transform(x, dim=d) for d in range(x.dim())]


def complex_of(transform):
    return lambda x: transform(torch.complex(x, x))


# Fourier transforms and operators of several tensors, of which the layout alone is compared.
CONTRACTED = {
    **{name: each_dim(getattr(torch.fft, name)) for name in ("fft", "ifft", "rfft", "ihfft")},
    **{f"complex_{name}": complex_of(each_dim(getattr(torch.fft, name))) for name in ("fft", "ifft", "irfft", "hfft")},
    **{name: getattr(torch.fft, name) for name in ("fftn", "rfftn", "ihfftn", "fft2", "rfft2")},
    **{f"complex_{name}": complex_of(getattr(torch.fft, name)) for name in ("fftn", "ifftn", "irfftn", "irfft2", "hfftn")},
    "complex_angle": complex_of(torch.angle),
    "fftn_dims": complex_of(lambda x: torch.fft.fftn(x, dim=(1, 0))),
    "rfftn_dims": lambda x: torch.fft.rfftn(x, dim=(1, 0)),
    "fft_padded": lambda x: torch.fft.fft(x, n=9, dim=0),
    "fft_cut": complex_of(lambda x: torch.fft.fft(x, n=2, dim=0)),
    "irfft_size": complex_of(lambda x: torch.fft.irfft(x, n=5, dim=0)),
    "fft_integers": lambda x: torch.fft.fft((x * 8).long(), dim=0),
    "einsum_product": lambda x: [torch.einsum(e, x, x) for e in ("...ij,...kj->...ik", "...ij,...kj->...ki")],
    "einsum_turned": lambda x: [torch.einsum(e, x, x) for e in ("...ij,...kj->ik...", "...ij,...ik->kj...")],
    "einsum_outer": lambda x: [torch.einsum(e, x, x) for e in ("...ij,...kl->...ijkl", "...ij,...kl->lkji...")],
    "einsum_elements": lambda x: [torch.einsum(e, x, x) for e in ("...ij,...ij->...ij", "...ij,...ij->ji...")],
    "einsum_sums": lambda x: [torch.einsum(e, x) for e in ("...ij->j...", "...ij->i", "...ij->...", "...ij->")],
    "einsum_views": lambda x: [torch.einsum(e, x + 0) for e in ("...ij->...ji", "...ij->ij...")],
    "einsum_one_row": lambda x: torch.einsum("...ij,...kj->...ki", x[..., :1, :], x),
    "einsum_three": lambda x: torch.einsum("...ij,...kj,...kl->l...i", x, x, x),
    "einsum_path": lambda x: torch.ops.aten.einsum("...ij,...kj,...kl->l...i", [x, x, x], path=[1, 2, 0, 1]),
    "tensorinv": lambda x: torch.linalg.tensorinv(torch.cat([x, x + 1, x * x]).flatten()[:36].reshape(2, 3, 6) + torch.eye(6).reshape(2, 3, 6) * 9),
    "tensorinv_one": lambda x: torch.linalg.tensorinv(
        torch.cat([x, x + 1, x * x]).flatten()[:36].reshape(2, 3, 6).permute(2, 1, 0) + torch.eye(6).reshape(6, 3, 2) * 9, ind=1
    ),
}


# Inputs that repeat elements.
REPEATED = {
    "columns": lambda: numbers(2, 3, 1, 4).expand(2, 3, 4, 4),
    "images": lambda: numbers(1, 3, 4, 4).expand(2, 3, 4, 4),
    "scalar": lambda: numbers(1).expand(2, 3, 4, 4),
    "windows": lambda: numbers(2, 3, 7).unfold(2, 4, 1),
}


def channels_last():
    return torch.ones(2, 3, 4, 4).contiguous(memory_format=torch.channels_last)


# Operands that lie otherwise than one another.
MIXED = {
    "copy": lambda x: (x + 1, x.clone(), x.permute(0, 2, 3, 1) * 2, x.sum(1)),
    "first": lambda x: (x + channels_last(), torch.where(x > 0, x, channels_last())),
    "second": lambda x: (channels_last() + x, torch.cat([channels_last(), x], 1)),
    "reversed": lambda x: (torch.rsub(channels_last(), x), torch.rsub(x, channels_last()), 2**x, torch.float_power(2, x)),
    "filter": lambda x: F.conv2d(x, torch.ones(4, 3, 2, 2).to(memory_format=torch.channels_last)),
}


def loop(x):
    step = lambda n, y: (n + 1, (y.transpose(2, 3) + 1).transpose(2, 3))
    return torch._higher_order_ops.while_loop(lambda n, y: n < 2, step, (torch.zeros((), dtype=torch.int64), x + 0))[1]


# Results of branches and loops lie as those of their graphs do.
CONTROL = {
    "cond": lambda x: torch.cond(
        x.sum() > 0, lambda a: ((a + 1).transpose(1, 3), a * 2), lambda a: ((a * 3).transpose(1, 3), a - 1), (x,)
    ),
    "while_loop": loop,
}


class Held(torch.nn.Module):
    """Constants with layouts of their own, which decide how results lie."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 2).to(memory_format=torch.channels_last)
        self.register_buffer("image", channels_last())
        self.register_buffer("turned", numbers(5, 4).t())
        self.register_buffer("repeated", numbers(4, 1).expand(4, 5))
        self.register_buffer("sliced", numbers(4, 10)[:, ::2])

    def forward(self, x):
        rows = self.repeated + torch.ones(5, 4).t()
        same = self.image[:, 0]
        self.image.add_(1)
        return self.conv(x), self.image * 2, same, self.image, self.turned + 1, self.turned, rows, self.sliced * 2


class Program(torch.nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        out = self.fn(x)
        return tuple(out) if isinstance(out, (tuple, list)) else (out,)


# Operators whose results lie as their operands do, or as what they are reshaped to, over sizes that a run gives.
DYNAMIC = {name: UNARY[name] for name in ("relu", "neg_", "clone", "contiguous", "to_double", "transpose", "permute", "flatten",
    "select", "slice", "input_view", "sum", "mean", "softmax", "cumsum", "flip", "roll", "cat", "where", "zeros_like", "gelu", "views",
    "chain")} | {
    "bias": lambda x: x + torch.arange(x.shape[-1]),
    "channels": lambda x: x * torch.arange(x.shape[1]).reshape(-1, *[1] * (x.dim() - 2)),
    "two": lambda x: x + x.transpose(0, 1).contiguous().transpose(0, 1),
    "larger": lambda x: torch.maximum(x.flatten().reshape(x.shape), x),
}


def record(name, fn, x, dynamic=False):
    sizes = ({d: torch.export.Dim.AUTO for d in range(x.dim())},) if dynamic else None
    program = torch.export.export(Program(fn), (x,), dynamic_shapes=sizes)
    if program.constants or program.state_dict:
        # Numbers that the module makes become inputs of a program without weights.
        constants = list(program.constants.values())
    else:
        constants = []
    document = json.loads(serialize(program).exported_program)
    for node in document["graph_module"]["graph"]["nodes"]:
        node["metadata"] = {}
    given, results = x.contiguous().flatten().tolist(), Program(fn)(x)
    storages, shares = [x.untyped_storage().data_ptr()], []
    for r in results:
        place = r.untyped_storage().data_ptr()
        shares.append(storages.index(place) - 1 if place in storages else None)
        storages.append(place)
    values = [[float(f"{v:.6g}") for v in r.detach().double().flatten().tolist()] for r in results]
    return {
        "name": name,
        "program": {k: document[k] for k in ("graph_module", "range_constraints", "schema_version")},
        "x": given,
        "x_shape": list(x.shape),
        "constants": [c.double().flatten().tolist() for c in constants],
        "results": [
            {"shape": list(r.shape), "strides": list(r.stride()), "shares": s, "values": v}
            for r, s, v in zip(results, shares, values)
        ],
    }


class Trained(torch.nn.Module):
    """Parameters with layouts of their own, and results that a pass could give other strides."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 2).to(memory_format=torch.channels_last)
        self.turned = torch.nn.Parameter(numbers(5, 4).t())
        self.sliced = torch.nn.Parameter(numbers(4, 8)[:, ::2])
        self.inner = torch.nn.Parameter(numbers(4, 2, 3).permute(1, 0, 2))

    def forward(self, x, z):
        image = self.conv(x).relu()
        rows = (z @ self.turned.t() + self.sliced) * self.inner.sum()
        return image, image.contiguous() * 2, image.clone(memory_format=torch.contiguous_format), rows.t(), rows * 2


def record_gradients():
    module = Trained()
    x = numbers(2, 3, 5, 5).contiguous(memory_format=torch.channels_last)
    z = numbers(5, 4).t()
    program = torch.export.export(module, (x, z))
    given = [t.clone().requires_grad_() for t in (x, z)]
    results = module(*given)
    torch.autograd.backward(results, [torch.ones_like(r) for r in results])
    gradients = dict(zip(("x", "z"), given)) | dict(module.named_parameters())
    extra = {
        "results": json.dumps([list(r.stride()) for r in results]),
        "gradients": json.dumps({k: [list(t.grad.stride()), t.grad.contiguous().flatten().tolist()] for k, t in gradients.items()}),
        "parameters": json.dumps({k: list(t.stride()) for k, t in module.named_parameters()}),
        "inputs": json.dumps([t.contiguous().flatten().tolist() for t in (x, z)]),
    }
    torch.export.save(program, TRAINED, extra_files=extra)


def main():
    torch.manual_seed(0)
    record_gradients()
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
    for shape, programs in OWN.items():
        for layout, make in LAYOUTS.items():
            if layout == "channels_last" and len(shape) < 3:
                continue
            for name, fn in programs.items():
                cases.append(record(f"{name} {layout} {shape}", fn, make(*shape)))
    for layout, make in LAYOUTS.items():
        for shape in ((2, 3), (2, 3, 4), (2, 3, 4, 4)):
            # The strides of a slice are a symbol that no size gives.
            if layout != "sliced" and (layout != "channels_last" or len(shape) > 2):
                for name, fn in DYNAMIC.items():
                    cases.append(record(f"dynamic {name} {layout} {shape}", fn, make(*shape), dynamic=True))
    for layout in ("contiguous", "transposed"):
        for shape in ((4, 4), (2, 4, 4)):
            for name, fn in FACTORS.items():
                case = record(f"{name} {layout} {shape}", fn, LAYOUTS[layout](*shape))
                for result in case["results"]:
                    del result["values"]
                cases.append(case)
    for layout in ("contiguous", "transposed", "permuted", "sliced"):
        for shape in ((4, 6), (3, 4, 6)):
            for name, fn in CONTRACTED.items():
                case = record(f"{name} {layout} {shape}", fn, LAYOUTS[layout](*shape))
                for result in case["results"]:
                    del result["values"]
                cases.append(case)
    for names, shapes in ((DROPPED, ((2, 3, 4, 4),)), (FRAMED, ((3, 40), (1, 40)))):
        for layout in ("contiguous", "transposed", "sliced"):
            for shape in shapes:
                for name, fn in names.items():
                    case = record(f"{name} {layout} {shape}", fn, LAYOUTS[layout](*shape))
                    for result in case["results"]:
                        del result["values"]
                    cases.append(case)
    for layout, make in (REPEATED | {"transposed": lambda: numbers(2, 3, 4, 4).mT}).items():
        for name, fn in MIXED.items():
            cases.append(record(f"{name} of {layout}", fn, make()))
    for layout, make in LAYOUTS.items():
        for name, fn in CONTROL.items():
            cases.append(record(f"{name} {layout}", fn, make(2, 3, 4, 4)))
    module, image = Held().eval(), numbers(2, 3, 4, 4)
    program = torch.export.export(module, (image,))
    strides = [list(r.stride()) for r in module(image)]
    torch.export.save(program, HELD, extra_files={"strides": json.dumps(strides)})
    text = json.dumps(cases, separators=(",", ":"))
    with gzip.GzipFile(OUT, "wb", mtime=0) as file:
        file.write(text.encode())
    print(len(cases), "programs")


main()
