"""The program's own wording in prompts, read once from `resources/prompts`."""

from __future__ import annotations

import re
from functools import cache

from familiar_app.domain.errors import UsageError
from familiar_app.domain.text import tr
from familiar_app.store.resource import resource

SILENCE_SENTINEL = "<silent>"

_BLANK = re.compile(r"\{(\w+)\}")


@cache
def modes() -> tuple[str, ...]:
    """Return the names of the operating modes there are."""
    stems = (path.stem for path in resource("prompts", "mode").glob("*.md"))
    return tuple(sorted(stem for stem in stems if not stem.endswith("_group")))


def check_mode(mode: str) -> None:
    """Raise UsageError where there is no such mode."""
    if mode not in modes():
        raise UsageError(tr("There is no such mode."), tr("Known modes: {names}.", names=", ".join(modes())))


@cache
def prompt_text(name: str) -> str:
    """Return the text of `resources/prompts/<name>.md` without white space at its ends."""
    return resource("prompts", *f"{name}.md".split("/")).read_text(encoding="utf-8").strip()


def fill(text: str, /, **values: str) -> str:
    """Replace `{name}` by its value, in one pass: what a value contains is not replaced again."""
    return _BLANK.sub(lambda blank: values.get(blank[1], blank[0]), text)
