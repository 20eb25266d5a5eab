"""A turn on its way into or out of a file, and the report of what happened to it. Formats live in their own modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import BinaryIO

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Author, Role

MAX_KEPT_BAD_LINES = 20
MAX_KINDS = 40


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn as a file has it, checked. `channel_title` is only set where the file names the channel itself.

    `others` are answers to the message `reply_to` that this one was chosen over.
    """

    channel: ChannelKey
    role: Role
    content: str
    at: datetime
    author: Author | None = None
    guild: str | None = None
    message_id: str | None = None
    reply_to: str | None = None
    mode: str | None = None
    attachments: str | None = None
    channel_title: str | None = None
    others: tuple[str, ...] = ()


@dataclass(slots=True)
class ReadReport:
    """What a reader met: lines it could not take, and what it left out, changed or lost, each kind with its count.

    The texts describe kinds of things; they never quote the file.
    """

    bad_lines: int = 0
    first_bad_lines: list[BadInputError] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)

    def bad(self, error: BadInputError) -> None:
        """Count a line that cannot be taken; the first few are kept to be named."""
        self.bad_lines += 1
        if len(self.first_bad_lines) < MAX_KEPT_BAD_LINES:
            self.first_bad_lines.append(error)


def count_kind(kinds: Counter[str], what: str) -> None:
    """Count one more of `what`; after many different ones the rest is counted together, so that memory is bounded."""
    kinds[what if what in kinds or len(kinds) < MAX_KINDS else tr("other things")] += 1


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a reader has to know besides the file.

    `channel` is where turns go when the format does not name one. `own_key` is the key of the account in the file
    whose turns are the familiar's own. `zone` is where times without a time zone were written.
    """

    familiar_name: str
    source: str
    channel: ChannelKey | None = None
    own_key: str | None = None
    zone: tzinfo = UTC


TurnReader = Callable[[BinaryIO, ReadOptions, ReadReport], Iterator[TurnRecord]]
