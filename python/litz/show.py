"""How graphs and programs show themselves: in a line, and in a notebook."""

from __future__ import annotations

import html

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Pictures of larger graphs say nothing at a notebook's width.
_NODES_DRAWN = 200


def _leaf(info: Any) -> str:
    sizes = [
        str(low) if low == high else f"{low}..{'' if high is None else high}"
        for low, high in zip(info.min_shape, info.max_shape, strict=True)
    ]
    return f"{info.dtype}[{', '.join(sizes)}]"


def _signature(program: Any) -> str:
    given = ", ".join(f"{i.name}: {_leaf(i)}" for i in program.inputs)
    return f"({given}) -> ({', '.join(_leaf(o) for o in program.outputs)})"


def executable_repr(program: Any) -> str:
    """One line: what goes in, what comes out, and what runs it."""
    facts = program.describe()
    return f"<litz.Executable {_signature(program)}, {facts['backend']}, {len(facts['kernels'])} kernels>"


def _table(header: list[str], rows: list[list[Any]]) -> str:
    def cells(kind: str, row: list[Any]) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(str(cell))}</{kind}>" for cell in row) + "</tr>"

    return f"<table>{cells('th', header)}{''.join(cells('td', row) for row in rows)}</table>"


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)


def executable_html(program: Any) -> str:
    """The signature, the kernels with what they compute, and where the program has its graph, the picture."""
    from .errors import Unsupported

    facts = program.describe()
    rows = [
        [k.get("name", ""), ", ".join(map(str, k.get("nodes", []))), _number(k.get("bytes")), _number(k.get("flop"))]
        for k in facts["kernels"]
    ]
    parts = [
        f"<p><b>litz.Executable</b> {html.escape(_signature(program))}, {html.escape(facts['backend'])}</p>",
        f"<details open><summary>{len(rows)} kernels</summary>{_table(['kernel', 'computes', 'bytes', 'flop'], rows)}</details>",
    ]
    if len(facts.get("nodes", [])) <= _NODES_DRAWN:
        try:
            parts.append(f"<details><summary>graph</summary>{_svg(program.draw('svg'))}</details>")
        except Unsupported:
            # An artifact holds its graph only where it was asked to.
            pass
    return "".join(parts)


def _svg(picture: str) -> str:
    """The picture without the head that a file of its own needs."""
    return picture[picture.index("<svg") :]


def graph_html(graph: Any) -> str:
    """Inputs, outputs, operators, and the picture."""
    facts = graph.describe()
    count = sum(facts["operators"].values())
    rows = sorted(facts["operators"].items(), key=lambda item: -item[1])
    parts = [
        f"<p>{html.escape(repr(graph))}</p>",
        f"<details><summary>{count} nodes</summary>{_table(['operator', 'nodes'], [list(r) for r in rows])}</details>",
    ]
    if count <= _NODES_DRAWN:
        parts.append(_svg(graph.draw("svg")))
    return "".join(parts)
