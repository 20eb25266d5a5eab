"""Looks through the prompts that are kept: by what they were for, and then, newest first, by the words in them.

What is in them lies packed in the vault and nowhere else, so it is unpacked for each search, a few at a time and off
the window's loop. Knows no Qt.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from familiar_app.domain.clock import local_time
from familiar_app.domain.ids import ChannelKey, FamiliarId, TraceId
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.projector_name import purpose_name
from familiar_app.ui.search.found import Found, made
from familiar_app.ui.search.wanted import Wanted

if TYPE_CHECKING:
    from datetime import tzinfo

    from familiar_app.domain.trace import TraceSummary
    from familiar_app.services import Services
    from familiar_app.ui.search.reading import Names

AT_ONCE = 20
"""So many are unpacked before it is told how far one is."""
DEEPEST = 2000
"""Older ones than so many are not unpacked."""
_STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Looked:
    """How far the prompts were looked through: `count` of `total`, and what was found since the last time."""

    count: int
    total: int
    found: tuple[Found, ...] = ()


class PromptSearch:
    """Looks through the prompts of one familiar."""

    def __init__(self, services: Services, familiar: FamiliarId, zone: tzinfo) -> None:
        self._services, self._familiar, self._zone = services, familiar, zone

    async def headed(self, wanted: Wanted, names: Names, most: int) -> list[Found]:
        """Return those whose channel, model, purpose and day have every word."""
        return [
            self._found(one, wanted, names) for one, missing in await self._passing(wanted, names, most) if not missing
        ]

    async def worded(self, wanted: Wanted, names: Names, most: int) -> AsyncGenerator[Looked]:
        """Look into the others, from the newest on: those that have the words that do not stand above them."""
        others = [(one, missing) for one, missing in await self._passing(wanted, names, most) if missing]
        yield Looked(0, len(others))
        for start in range(0, min(len(others), DEEPEST), AT_ONCE):
            few = others[start : min(start + AT_ONCE, DEEPEST)]
            pieces = await self._services.vault.traces.holding({TraceId(one.id): words for one, words in few})
            found = tuple(
                self._found(one, wanted, names, piece)
                for one, _words in few
                if (piece := pieces.get(TraceId(one.id))) is not None
            )
            yield Looked(start + len(few), len(others), found)

    async def _passing(self, wanted: Wanted, names: Names, most: int) -> Sequence[tuple[TraceSummary, Sequence[str]]]:
        """Return the newest that pass the filters, each with the words that do not stand above it."""
        if wanted.person is not None:
            return ()
        traces = await self._services.vault.traces.list(familiar=self._familiar, limit=most)

        def sorted_out() -> Sequence[tuple[TraceSummary, Sequence[str]]]:
            passing = (one for one in traces if wanted.there(names.channel_of(one.channel)) and wanted.at(one.at))
            return [(one, self._missing(one, wanted, names)) for one in passing]

        return await asyncio.to_thread(sorted_out)

    def _missing(self, trace: TraceSummary, wanted: Wanted, names: Names) -> Sequence[str]:
        """Return the words that do not stand in what is known of a prompt without unpacking it."""
        day = f"{local_time(trace.at, self._zone):%Y-%m-%d}"
        parts = (_place(trace, names), trace.channel, trace.model, purpose_name(trace.purpose), day, _fate(trace))
        whole = "\n".join(parts).casefold()
        return [word for word in wanted.words if word not in whole]

    def _found(self, trace: TraceSummary, wanted: Wanted, names: Names, piece: str = "") -> Found:
        text = piece or ntr("{model}, {n} token", "{model}, {n} tokens", trace.tokens, model=trace.model)
        ways, place = (("prompts", str(trace.id)),), _place(trace, names)
        title = purpose_name(trace.purpose)
        return replace(
            made("prompt", str(trace.id), title, text, ways, wanted.words, at=trace.at, place=place),
            note=_fate(trace),
        )


def _place(trace: TraceSummary, names: Names) -> str:
    channel = names.keys.get(ChannelKey(trace.channel))
    return channel_title(channel) if channel is not None else trace.channel


def _fate(trace: TraceSummary) -> str:
    if trace.error == _STOPPED:
        return tr("stopped")
    return tr("failed") if trace.error else ""
