"""Tells once that the program is newer than when this vault was last open. It looks at nothing but itself."""

from __future__ import annotations

import re
from collections.abc import Callable

from familiar_app import __version__
from familiar_app.domain.text import tr
from familiar_app.store.state import State
from familiar_app.ui.kit.notice import Notice

KEY = "window.version"
PAGE = "changes"
"""The page of the help that lists what is new."""


async def tell_what_is_new(
    state: State, notice: Notice, go_to: Callable[[str, str], object], version: str = __version__
) -> None:
    """Note which version has the vault open, and tell where it is a newer one, with the way to what is new."""
    before = await state.get(KEY)
    if before == version:
        return
    await state.set(KEY, version)
    if isinstance(before, str) and _numbers(before) < _numbers(version):
        text = tr("Familiar was updated to {version}.", version=version)
        notice.tell(text, "good", step=tr("What is new"), run=lambda: go_to("help", PAGE))


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
