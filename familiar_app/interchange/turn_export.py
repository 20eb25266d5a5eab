"""Writing a familiar's turns and what else it has to a file, whole or not at all."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import AsyncIterable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Role, Turn
from familiar_app.interchange.json_text import WRITABLE, settle_name
from familiar_app.interchange.target import refuse_target
from familiar_app.interchange.turns import render_turn


@dataclass(slots=True)
class ExportReport:
    """How many turns were written and which were left out, with the reason."""

    written: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def reason_to_leave_out(turn: Turn) -> str | None:
    """Tell why a turn is no part of an export; None where it is."""
    if turn.role is Role.OPERATOR:
        return tr("record of a decision of the owner")
    if turn.deleted:
        return tr("erased turn")
    if turn.hidden:
        return tr("removed turn")
    return None if turn.active else tr("answer that another one replaced")


async def write_turns(
    chunks: AsyncIterable[Sequence[Turn]], stream: BinaryIO, progress: Callable[[int], None]
) -> ExportReport:
    """Write turns in the order they come, in bounded memory."""
    report = ExportReport()
    async for chunk in chunks:
        lines = []
        for turn in chunk:
            if reason := reason_to_leave_out(turn):
                report.left_out[reason] += 1
            else:
                lines.append(render_turn(turn))
        await asyncio.to_thread(stream.writelines, lines)
        report.written += len(lines)
        progress(report.written)
    return report


async def export_turns(
    chunks: AsyncIterable[Sequence[Turn]], path: Path, *, overwrite: bool, progress: Callable[[int], None]
) -> ExportReport:
    """Write turns to `path` in one step: a failure leaves what was there. The file is readable by its owner only.

    Raises UserError where the file exists and `overwrite` is off, OutsideError where it cannot be written.
    """
    with _outside_errors(path):
        refuse_existing(path, overwrite)
        stream, part = await asyncio.to_thread(_open_part, path)
        try:
            with stream:
                report = await write_turns(chunks, stream, progress)
            await asyncio.to_thread(_put_in_place, part, path, overwrite)
        finally:
            _remove(part)
    return report


async def export_pieces(pieces: AsyncIterable[bytes], path: Path) -> None:
    """Write pieces to a new file in one step, readable by its owner only.

    Raises UserError where the file exists, OutsideError where it cannot be written.
    """
    with _outside_errors(path):
        refuse_existing(path, overwrite=False)
        stream, part = await asyncio.to_thread(_open_part, path)
        try:
            with stream:
                async for piece in pieces:
                    stream.write(piece)
            await asyncio.to_thread(_put_in_place, part, path, False)
        finally:
            _remove(part)


@contextmanager
def _outside_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutsideError(
            tr("{path} cannot be written: {reason}.", path=path, reason=error.strerror or type(error).__name__),
            tr(WRITABLE),
        ) from error


def _open_part(path: Path) -> tuple[BinaryIO, Path]:
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
    return os.fdopen(handle, "wb"), Path(name)


def _put_in_place(part: Path, path: Path, overwrite: bool) -> None:
    """Give a finished file its name, unless somebody took the name meanwhile."""
    with part.open("rb+") as stream:
        os.fsync(stream.fileno())
    if overwrite:
        part.replace(path)
    else:
        _take_name(part, path)
    settle_name(path)


def _take_name(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except FileExistsError:
        refuse_existing(path, overwrite=False)
    except OSError:  # no hard links on this file system
        refuse_existing(path, overwrite=False)
        part.replace(path)


def _remove(part: Path) -> None:
    part.unlink(missing_ok=True)


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raise UserError where `path` must not be written."""
    refuse_target(path)
    if os.path.lexists(path) and not overwrite:
        raise UserError(
            tr("{path} exists already.", path=path), tr("Choose another name, or write over it with --force.")
        )
