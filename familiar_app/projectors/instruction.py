"""The wording of the projectors' requests, read once from `resources/prompts/memory`."""

from __future__ import annotations

import re
from functools import cache

from familiar_app.store.resource import resource

_BLANK = re.compile(r"\{(\w+)\}")


@cache
def _text(name: str) -> str:
    return resource("prompts", "memory", f"{name}.md").read_text(encoding="utf-8").strip()


def instruction(name: str, /, **values: str) -> str:
    """Return an instruction with its blanks filled in; what a value contains is not filled again."""
    return _BLANK.sub(lambda blank: values.get(blank[1], blank[0]), _text(name))
