"""Options as keywords: `cpu_threads=4` is the option `cpu.threads`."""

from __future__ import annotations

from . import _native
from .registry import _default
from .texts import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .registry import Registry

__all__ = ["describe_options", "options"]


_known: dict[str, str] = {}


def _keys() -> dict[str, str]:
    """The options' keys by their keywords."""
    if not _known:
        _known.update({str(o["key"]).replace(".", "_"): str(o["key"]) for o in describe_options()})
    return _known


def describe_options() -> list[dict[str, object]]:
    """Every option with its key, type, default and meaning."""
    return loads(_native.options_list())


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return value if isinstance(value, str) else str(value)


def options(
    values: Mapping[str, object] | _native.Options | None = None,
    *,
    log: Callable[[int, str], object] | None = None,
    log_level: int = 2,
    trace: Callable[[str], object] | None = None,
    registry: Registry | None = None,
    **keywords: object,
) -> _native.Options | None:
    """Options of a mapping by their keys, and of keywords, where `_` stands for the key's dot.

    `log(level, message)` gets messages up to `log_level` (0 errors, 1 warnings, 2 information, 3 debugging), and
    `trace(line)` each event as a line of JSON. Both are called on the thread that does the work.
    `registry` has operators and decompositions of the caller's; without it these are what `litz.register_operator` and its like added.
    The option that is called `log` is set by `values={"log": ...}`.
    """
    if isinstance(values, _native.Options):
        if keywords or log or trace or registry:
            raise TypeError("options that were made already take no keywords beside them")
        return values
    for name, function in (("log", log), ("trace", trace)):
        if function is not None and not callable(function):
            raise TypeError(f"{name} is called with each message; it cannot be {function!r}")
    if registry is None and _default:
        registry = _default[0]
    if not values and not keywords and log is None and trace is None and registry is None:
        return None
    texts = {key: _text(value) for key, value in (values or {}).items()}
    for keyword, value in keywords.items():
        # A keyword that no key fits goes on as it is: the library's error names the nearest keys.
        key = keyword if "_" not in keyword else _keys().get(keyword, keyword)
        if value is not None:
            texts[key] = _text(value)
    return _native.Options(texts, log, log_level, trace, registry)
