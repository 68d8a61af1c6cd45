"""JSON, whose module is imported when it is first needed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def loads(text: str) -> Any:
    """The value of a JSON text."""
    import json

    return json.loads(text)


def dumps(value: Any) -> str:
    """A value as a JSON text."""
    import json

    return json.dumps(value)
