"""Writes the messages of a channel to a file, as the command line does. Without Qt."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.domain.turn import Channel
from familiar_app.interchange.turn_export import ExportReport, export_turns
from familiar_app.store.turn import Turns
from familiar_app.ui.kit.channel_title import channel_title

FILTERS = (tr_later("Turns, one a line (*.jsonl)"),)
_UNFIT = re.compile(r"[^\w .-]+")


def file_name(channel: Channel) -> str:
    """Suggest what to call the file."""
    return f"{_UNFIT.sub('-', channel_title(channel)).strip(' .-') or tr('messages')}.jsonl"


async def export_channel(turns: Turns, channel: Channel, path: Path, progress: Callable[[int], object]) -> ExportReport:
    """Write every message of a channel; what stood in the file is replaced. Raises UserError, OutsideError."""
    chunks = turns.stream(channel.id, inactive=True, hidden=True)
    return await export_turns(chunks, path, overwrite=True, progress=progress)


def exported_words(report: ExportReport, path: Path) -> str:
    """Say what was written, and what was not."""
    left = sum(report.left_out.values())
    if not left:
        return ntr(
            "{n} message exported to {file}.", "{n} messages exported to {file}.", report.written, file=path.name
        )
    return ntr(
        "{n} message exported to {file}; {left} removed or replaced left out.",
        "{n} messages exported to {file}; {left} removed or replaced left out.",
        report.written,
        file=path.name,
        left=left,
    )
