"""One model: exported, compiled, run and compared."""

import json
import pathlib
import time
import traceback

import torch
from torch.utils import _pytree as pytree

RELATIVE, ABSOLUTE = 1e-3, 1e-4
torch.set_num_threads(1)


def warm():
    """Loads what exporting needs, so that each model's process has it."""
    torch.export.export(Flat(torch.nn.Linear(2, 2)), (torch.ones(2, 2),), dynamic_shapes=None, strict=False)


class Flat(torch.nn.Module):
    """A model whose results are a tuple of tensors, whatever classes the package has for them."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *args, **kwargs):
        return tuple(tensors(self.inner(*args, **kwargs)))


def tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for v in value.values():
            yield from tensors(v)
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from tensors(v)
    elif hasattr(value, "__dict__") and not isinstance(value, torch.nn.Module):
        # Caches of keys and values, and the like.
        for v in vars(value).values():
            yield from tensors(v)


@torch.no_grad()
def stir(module):
    """Makes random what packages initialise to constants: a scale of zero would hide the layers behind it."""
    for p in module.parameters():
        if p.is_floating_point() and p.numel() > 1 and (p == p.flatten()[0]).all():
            p.add_(torch.randn_like(p) * 0.05)
    for m in module.modules():
        if isinstance(m, torch.nn.modules.batchnorm._BatchNorm) and m.running_mean is not None:
            m.running_mean.normal_(0, 0.1)
            m.running_var.uniform_(0.6, 1.4)


def grown(value, to):
    """A batch of `to`: the first dimension of each tensor, filled by repeating and turned so that rows differ."""
    if not isinstance(value, torch.Tensor) or value.dim() == 0:
        return value
    more = torch.cat([value] * (to // value.shape[0] + 1))[:to]
    return more.flip(-1).contiguous() if value.is_floating_point() and value.dim() > 1 else more.contiguous()


def export(model, args, kwargs, batch):
    """The exported program, with any batch size if it may be, and whether it is so."""
    if batch:
        size = torch.export.Dim("batch", min=1, max=64)
        mark = lambda v: {0: size} if isinstance(v, torch.Tensor) and v.dim() else None  # noqa: E731
        shapes = {k: pytree.tree_map(mark, v) for k, v in (("args", args), ("kwargs", kwargs)) if v}
        try:
            return torch.export.export(model, args, kwargs, dynamic_shapes=shapes, strict=False), True
        except Exception as error:  # noqa: BLE001
            print("any batch size:", type(error).__name__, str(error)[:500], flush=True)
    return torch.export.export(model, args, kwargs, strict=False), False


def prepared(name, folder):
    """The exported program's file, and sets of inputs with eager's results."""
    from models import build

    stem = name.replace("/", "+")
    file, data, about = (folder / (stem + end) for end in (".pt2", ".pt", ".json"))
    if not about.exists():
        print("stage building", flush=True)
        torch.manual_seed(1)
        given = build(name)
        model, args, kwargs = Flat(given.module.eval()).eval(), tuple(given.args), dict(given.kwargs)
        if given.stir:
            stir(model)
        print("stage PyTorch", flush=True)
        with torch.no_grad():
            want = model(*args, **kwargs)
            cases = [(args, kwargs, want)]
            print("stage exporting", flush=True)
            program, any_batch = export(model, args, kwargs, given.batch)
            # What the program asserts of sizes that data give may not hold of these inputs. The function that checks sizes of
            # inputs is left out: some are printed with names that it does not define.
            program.module(check_guards=False)(*args, **kwargs)
            if any_batch:
                more = pytree.tree_map(lambda v: grown(v, 3), (args, kwargs))
                cases.append((*more, model(*more[0], **more[1])))
        torch.export.save(program, file)
        torch.save(cases, data)
        counts = {}
        for module in program.graph_module.modules():
            if isinstance(module, torch.fx.GraphModule):
                for node in module.graph.nodes:
                    if node.op == "call_function":
                        counts[str(node.target)] = counts.get(str(node.target), 0) + 1
        about.write_text(json.dumps({"batch": any_batch, "nodes": sum(counts.values()), "operators": counts}))
    described = json.loads(about.read_text())
    return file, torch.load(data, weights_only=False), described


def difference(got, want):
    """The largest error relative to the tensor's largest value, or the share of whole numbers that differ; and what is wrong."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return 0.0, f"{got.dtype} {list(got.shape)} instead of {want.dtype} {list(want.shape)}"
    if want.numel() == 0:
        return 0.0, None
    wide = torch.complex128 if want.is_complex() else torch.float64
    a, b = got.to(wide), want.to(wide)
    if not want.is_floating_point() and not want.is_complex():
        unequal = int((a != b).sum())
        return unequal / want.numel(), f"{unequal} of {want.numel()} whole numbers differ" if unequal else None
    same = (a == b) | (a.isnan() & b.isnan())
    finite = b.isfinite() & a.isfinite()
    if not (same | finite).all():
        return float("inf"), f"{int((~(same | finite)).sum())} of {want.numel()} are not finite in one of both"
    if not finite.any():
        return 0.0, None
    error, scale = (a - b).abs()[finite], b.abs()[finite].max()
    # Half precision has eps instead.
    loose = max(1.0, torch.finfo(want.dtype).eps / 1e-4 * 4)
    far = error > loose * (RELATIVE * b.abs()[finite] + ABSOLUTE * scale)
    worst = float(error.max() / scale.clamp_min(1e-300))
    return worst, f"{int(far.sum())} of {want.numel()} differ, by {worst:.1e} of the largest" if far.any() else None


@torch.no_grad()
def own_changes(name, file, args, kwargs, want):
    """How far each of eager's own results moves, as `difference` measures, where the parameters change by a millionth."""
    from models import build

    # The package brings operators that the program names.
    build(name)
    program = torch.export.load(file)
    generator = torch.Generator().manual_seed(1)
    for value in program.state_dict.values():
        if value.is_floating_point():
            noise = torch.randn(value.shape, generator=generator, dtype=torch.float64)
            value.copy_(value * (1 + 1e-6 * noise).to(value.dtype))
    moved = pytree.tree_leaves(program.module(check_guards=False)(*args, **kwargs))
    return [difference(a, b)[0] for a, b in zip(moved, want)]


def without_places(message, file):
    """A message without this machine's folders."""
    for folder in (file.parent, pathlib.Path(__file__).resolve().parents[1], pathlib.Path(torch.__file__).parents[1]):
        message = message.replace(f"{folder}/", "")
    return message


def run(name, folder, backend, options, until):
    try:
        file, cases, about = prepared(name, pathlib.Path(folder))
    except Exception as error:  # noqa: BLE001
        return {"outcome": "not exported", "message": f"{type(error).__name__}: {error}"[:1500], "trace": traceback.format_exc()[-3000:]}
    about.pop("operators")
    if until == "export":
        return {"outcome": "ok", **about}
    import litz

    print("stage litz: compiling", flush=True)
    begin = time.monotonic()
    given = {k.replace(".", "_"): v for k, v in options.items()}
    try:
        program = litz.compile(str(file), backend=backend, **given)
    except litz.Error as error:
        kind = "refused" if isinstance(error, litz.Unsupported) else "crash"
        return {"outcome": kind, "message": without_places(f"{type(error).__name__}: {error}", file), **about}
    about["compile"] = round(time.monotonic() - begin, 1)
    if until == "compile":
        return {"outcome": "ok", **about}
    worst, kind = 0.0, "ok"
    for args, kwargs, want in cases:
        print("stage litz: running", flush=True)
        leaves = [v for v in pytree.tree_leaves((args, kwargs)) if isinstance(v, torch.Tensor)]
        try:
            got = program.run(leaves)
        except litz.Error as error:
            return {"outcome": "crash", "message": f"running: {type(error).__name__}: {error}", **about}
        got = [torch.from_dlpack(g) if not isinstance(g, torch.Tensor) else g for g in got]
        if len(got) != len(want):
            return {"outcome": "wrong", "message": f"{len(got)} results instead of {len(want)}", **about}
        changes = None
        for place, (a, b) in enumerate(zip(got, want)):
            error, message = difference(a, b)
            worst = max(worst, error)
            if message and error:
                changes = changes or own_changes(name, file, args, kwargs, want)
                if error <= 2 * changes[place]:
                    kind = "unstable"
                    continue
            if message:
                return {"outcome": "wrong", "message": f"result {place}: {message}", "error": worst, **about}
    return {"outcome": kind, "error": worst, **about}
