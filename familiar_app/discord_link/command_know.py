"""`/what-do-you-know`: what is kept about whoever asks, with buttons to have each piece forgotten or put right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from familiar_app.discord_link.own_record import Known, identities, known_of, memory_mark, memory_text, when
from familiar_app.discord_link.page import (
    STALE,
    Ask,
    DeclinedError,
    Form,
    Page,
    Press,
    Routes,
    number_in,
    shortened,
    turned,
)
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact, FactId, NewFact
from familiar_app.domain.fact_text import normalise
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.saved_memory.memory import SavedMemory

SIZE = 4
_SHOWN_CHARS = 280
_DOSSIER_CHARS = 500
_MAX_CORRECTION_CHARS = 500
_PAGE, _FORGET, _WRONG, _CORRECT, _UNDO = "know.page", "know.forget", "know.wrong", "know.correct", "know.undo"


def add_routes(routes: Routes) -> None:
    """Say what the buttons of these pages do."""
    routes.does |= {_PAGE: show, _FORGET: _forget, _CORRECT: _correct, _UNDO: _undo}
    routes.opens[_WRONG] = _ask_what_is_right


async def show(ask: Ask) -> Page:
    """Show a page of what is known."""
    return _page(ask, await known_of(ask.host, ask.asker), number_in(ask.args))


def _page(ask: Ask, known: Known, start: int, note: str = "") -> Page:
    if not known.level.allows_memories:
        return Page(_nothing_by_choice(ask, known))
    entries: list[Fact | SavedMemory] = [*known.facts, *known.memories, *known.named_in]
    start = start if start < len(entries) else max(0, (len(entries) - 1) // SIZE * SIZE)
    lines = [note, f"**What {ask.host.name} knows about you**"]
    if start == 0 and known.dossier:
        lines.append(f"> {shortened(known.dossier, _DOSSIER_CHARS)}")
    rows: list[tuple[Press, ...]] = []
    for number, entry in enumerate(entries[start : start + SIZE], start + 1):
        lines.append(_line(ask, number, entry, named=entry in known.named_in))
        if buttons := _buttons(number, entry, start, named=entry in known.named_in):
            rows.append(buttons)
    if not entries and not known.dossier:
        lines.append("Nothing that you may be told here.")
    if known.withheld:
        lines.append(
            f"-# {known.withheld} more were learned where you cannot read from here: in a closed channel, on another "
            "server or in private. `/forget everything` takes them too."
        )
    if turning := turned(_PAGE, start, SIZE, len(entries)):
        rows.append(turning)
    file = ("what-i-know.txt", known.dossier) if start == 0 and len(known.dossier) > _DOSSIER_CHARS else None
    return Page("\n".join(line for line in lines if line), tuple(rows), file)


def _nothing_by_choice(ask: Ask, known: Known) -> str:
    return (
        f"{ask.host.name} keeps no notes about you (level: {known.level}), and uses none. What was noted before is "
        "hidden. /privacy changes that; /forget erases it."
    )


def _line(ask: Ask, number: int, entry: Fact | SavedMemory, *, named: bool) -> str:
    if isinstance(entry, Fact):
        return f"**{number}.** {shortened(entry.text, _SHOWN_CHARS)} · {when(entry.created_at)}"
    kind = "kept about this server" if named else "saved"
    text = memory_text(entry, char=ask.host.name, user=ask.asker.name)
    return f"**{number}.** {shortened(text, _SHOWN_CHARS)} · {kind} {when(entry.created_at)}"


def _buttons(number: int, entry: Fact | SavedMemory, start: int, *, named: bool) -> tuple[Press, ...]:
    if named:
        return ()
    if isinstance(entry, Fact):
        args = (str(entry.id), str(start))
        return (Press(f"Forget {number}", _FORGET, args, "danger"), Press(f"{number} is wrong", _WRONG, args))
    marked = (str(entry.id), memory_mark(entry))
    return (
        Press(f"Forget {number}", "forget.memory", marked, "danger"),
        Press(f"{number} is wrong", "memory.edit", (*marked, "me", str(start))),
    )


async def _fact(ask: Ask) -> tuple[Fact | None, Known]:
    """Return the fact that a button names, if whoever presses it may decide about it."""
    known = await known_of(ask.host, ask.asker)
    return next((one for one in known.facts if one.id == number_in(ask.args)), None), known


async def _forget(ask: Ask) -> Page:
    fact, known = await _fact(ask)
    if fact is None:
        return _page(ask, known, number_in(ask.args, 1), STALE)
    try:
        await ask.host.vault.facts.retire_by_owner(fact.id, decided_by=ask.asker.key)
    except UserError:
        return _page(ask, await known_of(ask.host, ask.asker), number_in(ask.args, 1), STALE)
    return _after(await show(replace(ask, args=ask.args[1:])), ask, fact, "no longer believes")


def _after(page: Page, ask: Ask, fact: Fact, what: str) -> Page:
    """Put before a page what was just done, with the way back."""
    undo = Press("Undo", _UNDO, (str(fact.id), str(number_in(ask.args, 1))))
    done = (
        f"{ask.host.name} {what}: {shortened(fact.text, 120)}\n"
        "-# It is used nowhere any more. The words it came from go when you have that message forgotten."
    )
    rows = (*page.rows[:-1], (*page.rows[-1], undo)) if page.rows else ((undo,),)
    return replace(page, text=f"{done}\n{page.text}", rows=rows)


async def _undo(ask: Ask) -> Page:
    keys = await identities(ask.host, ask.asker)
    fact = await ask.host.vault.facts.get(FactId(number_in(ask.args)))
    # Only what this very person has taken back, not what somebody else did.
    if fact is None or fact.hidden or fact.superseded_at is None or fact.beliefs[-1].ended_by not in keys:
        return _page(ask, await known_of(ask.host, ask.asker), number_in(ask.args, 1), STALE)
    await ask.host.vault.facts.restore_by_owner(fact.id, decided_by=ask.asker.key)
    return await show(replace(ask, args=ask.args[1:]))


async def _ask_what_is_right(ask: Ask) -> Form | Page:
    fact, known = await _fact(ask)
    if fact is None:
        return _page(ask, known, number_in(ask.args, 1), STALE)
    return Form(
        "What is right?",
        "As it should read, in one sentence",
        _CORRECT,
        ask.args,
        value=fact.text[:_MAX_CORRECTION_CHARS],
        max_chars=_MAX_CORRECTION_CHARS,
    )


async def _correct(ask: Ask) -> Page:
    fact, known = await _fact(ask)
    if fact is None:
        return _page(ask, known, number_in(ask.args, 1), STALE)
    text = " ".join(ask.text.split())
    if not normalise(text):
        raise DeclinedError("An empty sentence says nothing. 'Forget' takes the note away.")
    if text == fact.text:
        return _page(ask, known, number_in(ask.args, 1))
    new = _corrected(ask, fact, text, await identities(ask.host, ask.asker))
    await ask.host.vault.facts.edit_by_owner(fact.id, new, decided_by=ask.asker.key)
    return _page(ask, await known_of(ask.host, ask.asker), number_in(ask.args, 1), "Thank you, that is put right.")


def _corrected(ask: Ask, fact: Fact, text: str, keys: Sequence[PersonKey]) -> NewFact:
    """Return what is believed instead: about nobody but whoever says so, and by their word, not by an earlier one's."""
    return NewFact(
        ask.host.familiar,
        text,
        "owner",
        tuple(one for one in fact.subjects if one.key in keys),
        channel=fact.channel,
        importance=fact.importance,
        valid_from=fact.valid.since,
        valid_to=fact.valid.until,
    )
