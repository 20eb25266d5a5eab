"""The words for a chat that is brought in: what is in its file, what does not come over, what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.text import ntr, number, tr, tr_later
from familiar_app.interchange.turn_import import ImportReport
from familiar_app.interchange.turn_record import ReadReport
from familiar_app.ui.chat.bringing import Seen, Speaker
from familiar_app.ui.kit.date_text import long_date

FORMATS: Mapping[str, str] = {
    "jsonl": tr_later("JSON Lines, one message a line"),
    "discord-chat-exporter": tr_later("DiscordChatExporter"),
    "sillytavern-chat": tr_later("SillyTavern"),
}
FILTERS = (tr_later("Chats (*.jsonl *.json)"), tr_later("All files (*)"))
MOST_NAMES = 4
MOST_LINES = 5


def facts(seen: Seen, zone: tzinfo) -> list[tuple[str, str]]:
    """Return pairs of a name and a value that tell what is in a file."""
    told = [
        (tr("Format"), tr(FORMATS.get(seen.format, seen.format))),
        (tr("Messages"), number(seen.turns)),
        (tr("People"), people(seen)),
    ]
    if seen.first is not None and seen.last is not None:
        first, last = (long_date(local_time(at, zone).date()) for at in (seen.first, seen.last))
        told.append((tr("Days"), first if first == last else tr("{first} to {last}", first=first, last=last)))
    return told


def people(seen: Seen) -> str:
    """Name who speaks; of many, those who said most."""
    names = [speaker_name(one) for one in seen.by_turns()]
    shown = ", ".join(names[:MOST_NAMES])
    left = len(names) - MOST_NAMES
    return ntr("{names} and {n} other", "{names} and {n} others", left, names=shown) if left > 0 else shown


def speaker_name(speaker: Speaker) -> str:
    """Return what to call a speaker of the file."""
    if speaker.name:
        return speaker.name
    return tr("(the assistant)") if speaker.own else tr("(no name)")


def speaker_line(speaker: Speaker) -> str:
    """Name a speaker with how much it said, to be chosen."""
    return ntr("{name} ({n} message)", "{name} ({n} messages)", speaker.turns, name=speaker_name(speaker))


def warnings(read: ReadReport) -> Iterator[str]:
    """Yield what does not come over as it stands in the file."""
    if read.bad_lines:
        yield ntr(
            "{n} line cannot be read and is left out:", "{n} lines cannot be read and are left out:", read.bad_lines
        )
        yield from (error.message for error in read.first_bad_lines[:MOST_LINES])
    yield from _counted(read.left_out, tr_later("Left out: {n} × {what}"))
    yield from _counted(read.changed, tr_later("Changed: {n} × {what}"))
    yield from _counted(read.lost, tr_later("Lost: {n} × {what}"))


def _counted(kinds: Counter[str], form: str) -> Iterator[str]:
    # What the command line says of its own options means nothing here.
    yield from (tr(form, n=count, what=what) for what, count in kinds.items() if "--" not in what)


def looked(turns: int) -> str:
    """Say how far a file was read."""
    return ntr("{n} message read…", "{n} messages read…", turns)


def stored(step: str, done: int, total: int | None) -> str:
    """Say how far an import is."""
    if step == "read" or not total:
        return ntr("{n} message checked…", "{n} messages checked…", done)
    return tr("{n} of {total} messages stored…", n=done, total=total)


def outcome(report: ImportReport) -> Iterator[str]:
    """Yield what came of an import."""
    yield ntr("{n} message was brought in.", "{n} messages were brought in.", report.taken)
    if report.already_there:
        yield ntr("{n} was there already.", "{n} were there already.", report.already_there)
    if report.unkept:
        yield ntr(
            "{n} was erased before, or is by somebody who wants nothing kept.",
            "{n} were erased before, or are by people who want nothing kept.",
            report.unkept,
        )


def stopped(done: int) -> str:
    """Say what became of an import that the person stopped."""
    if not done:
        return tr("Nothing was brought in.")
    return ntr(
        "Stopped: {n} message is in. Bring the same file in again for the rest; nothing comes twice.",
        "Stopped: {n} messages are in. Bring the same file in again for the rest; nothing comes twice.",
        done,
    )
