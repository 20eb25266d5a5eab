"""Answers to commands as plain values: a text with buttons under it, or a form. Knows nothing of the client library.

A button carries everything that a press needs in its id, so that it still works after a restart. What it names may have
changed since, which whoever handles the press has to see to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from familiar_app.discord_link.split import LIMIT, units
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import FamiliarId

if TYPE_CHECKING:
    from familiar_app.discord_link.asker import Asker
    from familiar_app.discord_link.command_desk import Host

ID_PATTERN = r"familiar:[a-z.]+:[0-9a-f]{8}(?::[\w-]*)*"
_MARK_CHARS = 8
Style = Literal["plain", "danger", "good"]
STALE = "This has changed since; here is how it stands now."


class DeclinedError(UserError):
    """Something that is not done, with the sentence that whoever asked is told."""

    def __init__(self, message: str) -> None:
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Press:
    """A button: what it says, and what is done when it is pressed."""

    label: str
    action: str
    args: tuple[str, ...] = ()
    style: Style = "plain"
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """What is shown: a text, rows of buttons, and a text file that goes with it."""

    text: str
    rows: tuple[tuple[Press, ...], ...] = ()
    file: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """A box to write in. What is written goes to `action`."""

    title: str
    label: str
    action: str
    args: tuple[str, ...] = ()
    value: str = ""
    placeholder: str = ""
    max_chars: int = 1000
    long: bool = True


@dataclass(frozen=True, slots=True)
class Ask:
    """Somebody wants something of a familiar: who, by which button or command, and what they wrote."""

    host: Host
    asker: Asker
    args: tuple[str, ...] = ()
    text: str = ""


Does = Callable[[Ask], Awaitable[Page]]
Opens = Callable[[Ask], Awaitable[Form | Page]]


@dataclass(slots=True)
class Routes:
    """What each action does. `does` puts a page in the place of the one whose button was pressed, `aside` shows it to
    whoever pressed and leaves the message, which others see, as it is; what `opens` a form is answered at once.
    """

    does: dict[str, Does] = field(default_factory=dict)
    aside: dict[str, Does] = field(default_factory=dict)
    opens: dict[str, Opens] = field(default_factory=dict)


def id_of(action: str, familiar: FamiliarId, args: Sequence[str] = ()) -> str:
    """Return the id of a button or form. A familiar is named by a mark, since its own id may be long."""
    return ":".join(("familiar", action, mark_of(familiar), *args))


def parts_of(custom_id: str) -> tuple[str, str, tuple[str, ...]]:
    """Read what `id_of` wrote: the action, the mark of the familiar, and the arguments."""
    _, action, familiar, *args = custom_id.split(":")
    return action, familiar, tuple(args)


def mark_of(*parts: object) -> str:
    """Return a short mark that is another one once something has changed."""
    text = "\x1f".join(str(part) for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_CHARS]


def shortened(text: str, most: int) -> str:
    """Return a text on one line, cut where it is longer than `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def fitting(text: str) -> str:
    """Return a text cut to what one message may hold, as Discord counts it."""
    while (over := units(text) - LIMIT) > 0:
        text = f"{text[: len(text) - (over + 3) // 2]}…"
    return text


def number_in(args: Sequence[str], place: int = 0) -> int:
    """Return the number in an argument of a button, 0 where there is none."""
    text = args[place] if place < len(args) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def turned(action: str, start: int, size: int, total: int) -> tuple[Press, ...]:
    """Return the buttons with which pages are turned; none where everything fits on one."""
    if total <= size:
        return ()
    back, ahead = max(0, start - size), start + size
    return (
        Press("‹ Back", action, (str(back),), disabled=start == 0),
        Press("Next ›", action, (str(ahead),), disabled=ahead >= total),
    )
