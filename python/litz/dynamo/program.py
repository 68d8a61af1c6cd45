"""What runs in the place of an FX graph: the compiled program, and how PyTorch's arguments reach it."""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.utils import counters
from torch._logging import trace_structured

from ..errors import Unsupported
from ..executable import Executable
from ..options import options as make_options
from .convert import Converter
from .effects import show
from .results import Converted

log = logging.getLogger("litz")
_LEVELS = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)


def compile_graph(
    gm: torch.fx.GraphModule,
    example_inputs: list[Any],
    *,
    kind: str,
    options: dict[str, Any],
    fallback: bool,
) -> Callable[[list[Any]], Any]:
    """Compiles a functional graph of ATen operators. The result takes its arguments as one list."""
    def compile_whole(part: torch.fx.GraphModule) -> Program:
        return _compile(part, kind, options, fallback)

    try:
        return compile_whole(gm)
    except Unsupported as error:
        if not fallback:
            raise
        from .fallback import compile_in_parts

        return compile_in_parts(gm, error, compile_whole)


def _compile(gm: torch.fx.GraphModule, kind: str, options: dict[str, Any], fallback: bool = False) -> Program:
    made = Converter(gm, kind).run()
    if fallback:
        # What PyTorch runs gives lazy tensors, too.
        made.lazy = list(range(len(made.inputs)))
    values = dict(options)
    if any(n.meta["val"].device.type == "cuda" for n in gm.graph.nodes if isinstance(n.meta.get("val"), torch.Tensor)):
        values.setdefault("backend", "cuda")
        values.setdefault("run.host_tensors", "copy")
    # Weights of 4 bits lie as this process's PyTorch packs and reads them.
    packed = torch.backends.cpu.get_cpu_capability().lower()
    if platform.machine() in ("x86_64", "AMD64") and packed in ("avx512", "avx2", "default"):
        values.setdefault("int4.layout", packed)
    program = Executable._compile(made.graph, make_options(values, **_listeners()))
    counters["litz"]["compiled"] += 1
    log.info("compiled a graph for %s: %d inputs, %d results", kind, len(made.inputs), len(made.results))
    trace_structured("artifact", lambda: {"name": f"litz_{kind}", "encoding": "json"}, payload_fn=program._describe)
    return Program(made, program, values.get("backend") == "cuda")


def _listeners() -> dict[str, Any]:
    """The log goes where TORCH_LOGS sends it; without a reader nothing is made up for it."""
    if not log.isEnabledFor(logging.INFO):
        return {}
    level = 3 if log.isEnabledFor(logging.DEBUG) else 2
    return {"log": lambda which, text: log.log(_LEVELS[which], "%s", text), "log_level": level}


class Program:
    """A compiled FX graph. Called with a list of its arguments, which is emptied."""

    def __init__(self, made: Converted, program: Executable, on_gpu: bool) -> None:
        # Wrappers of PyTorch's copy an instance's attributes, and pass one list because of this one.
        self._boxed_call = True
        self.program = program
        self._inputs = made.inputs
        self._lazy = made.lazy
        self._results = made.results
        # The results are the program's outputs, one after the other.
        self._direct = made.results == [("output", k) for k in range(len(program.outputs))]
        # An operator that may draw, as attention with a dropout of 0, leaves PyTorch's generator alone where it does not.
        self._random = made.random and program.describe()["random"]
        self._lines = made.lines
        self._numbers = made.numbers
        # Outputs that must lie otherwise than the program gives them.
        given = [o.strides for o in program.outputs]
        self._restrided = {k: s for k, s in made.strides.items() if not _same(s, given[k], program.outputs[k].max_shape)}
        self._written = [k for k, info in zip(made.inputs, program.inputs, strict=True) if info.mutated]
        # Without a tensor among the inputs no result is one of PyTorch's by itself.
        self._foreign = not made.tensors
        # A program for a GPU gives all results in one place: the host's memory where it reads no tensor on the GPU.
        elsewhere = {k: device for k, device in made.devices.items() if not made.on_gpu or device.type != "cuda"}
        self._devices = elsewhere if on_gpu else {}
        self._plain = not (self._numbers or self._restrided or self._foreign or self._devices)
        #: The FX graph gives one result by itself, not in a tuple.
        self.single = made.single

    def __call__(self, args: list[Any]) -> list[Any]:
        inputs = [args[k] for k in self._inputs]
        for k in self._lazy:
            value = inputs[k]
            if isinstance(value, torch.Tensor) and (value.is_neg() or value.is_conj()):
                if self._inputs[k] in self._written:
                    raise Unsupported(f"not supported: argument {self._inputs[k]} is a lazily negated view that is written to")
                inputs[k] = value.resolve_neg().resolve_conj()
            elif isinstance(value, torch.SymInt) and value.node.is_nested_int():
                # The length of a ragged dimension, of which programs see offsets and values alone.
                inputs[k] = 0
        seed = int(torch.randint(1 << 62, ()).item()) if self._random else None
        outputs = self.program.run(inputs, seed=seed)
        if not self._plain:
            self._finish(outputs)
        if self._lines:
            show(self._lines, outputs)
        results = outputs if self._direct else [_result(kind, what, outputs, args) for kind, what in self._results]
        args.clear()
        return results

    def _finish(self, outputs: list[Any]) -> None:
        if self._foreign:
            outputs[:] = [o if isinstance(o, torch.Tensor) else torch.from_dlpack(o) for o in outputs]
        for k, device in self._devices.items():
            if outputs[k].device != device:
                outputs[k] = outputs[k].to(device)
        for k in self._numbers:
            outputs[k] = outputs[k].item()
        for k, strides in self._restrided.items():
            value = outputs[k]
            outputs[k] = torch.empty_strided(value.shape, strides, dtype=value.dtype, device=value.device).copy_(value)


def _result(kind: str, what: Any, outputs: list[Any], args: list[Any]) -> Any:
    if kind == "output":
        return outputs[what]
    if kind == "argument":
        return args[what]
    if kind == "view":
        base, place = what
        return place.view(_result(*base, outputs, args), args)
    return what


def _same(expected: tuple[int, ...], given: tuple[int, ...] | None, shape: tuple[int | None, ...]) -> bool:
    """Whether strides name the same places: those of sizes 0 and 1 mean nothing."""
    if given is None or 0 in shape:
        return True
    return all(a == b or n == 1 for a, b, n in zip(expected, given, shape, strict=True))
