"""Writes what was tried out as a case file, which gives the same result wherever it is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from familiar_app.domain.lorebook.activation import Activation
from familiar_app.domain.lorebook.case import CASE_SETTINGS, SOURCE_NAMES
from familiar_app.domain.lorebook.entry import DEFAULT_DEPTH, BoundBooks, EntryKey, LoreBook, LoreEntry
from familiar_app.domain.lorebook.fieldmap import values_of, write_fresh
from familiar_app.domain.lorebook.likeness import Likeness
from familiar_app.domain.lorebook.rules import Rules
from familiar_app.domain.lorebook.scene import LoreSettings, Scene
from familiar_app.domain.lorebook.worldentry import WORLD_FIELDS

_OLD_MACROS = {"bot": "{{char}}", "user": "{{user}}"}
_OLD_MACRO = re.compile(r"<(bot|user)>", re.IGNORECASE)


def case_of(
    books: BoundBooks,
    settings: LoreSettings,
    rules: Rules,
    scene: Scene,
    activation: Activation,
    *,
    title: str = "",
    macros: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return JSON values from which `run_case` repeats `activation`. `macros` are the values of placeholders by name.

    Entries are numbered anew in file order; chance and token counts are replayed. Effects that were running are not
    told, so the scene has to be a dry run where there were any.
    """
    given = {
        **_books(books, rules),
        "settings": {case: _plain(getattr(settings, ours)) for case, ours in CASE_SETTINGS.items()},
        **_scene(scene, _new_numbers(books)),
        "macros": dict(macros or {}),
        "rng": list(activation.rolls),
        "counts": list(activation.counts),
    }
    return {"title": title, "rules": rules.name, "input": given, "expect": activation.to_json(verdicts=False)}


def _books(books: BoundBooks, rules: Rules) -> dict[str, Any]:
    """Return the books by name, and what binds each of them."""
    return {
        "books": {name: _book(book, rules) for name, book in _all_by_name(books).items()},
        "globalBooks": [book.name for book in books.everywhere],
        "chatBook": [book.name for book in books.chat],
        "personaBook": [book.name for book in books.persona],
        "characterExtraBooks": [book.name for book in books.character],
    }


def _all_by_name(books: BoundBooks) -> dict[str, LoreBook]:
    return _by_name([*books.character, *books.persona, *books.chat, *books.everywhere])


def _new_numbers(books: BoundBooks) -> dict[EntryKey, EntryKey]:
    """Return each entry's place in its file, which is its number in the case."""
    return {
        EntryKey(book.name, entry.uid): EntryKey(book.name, number)
        for book in _all_by_name(books).values()
        for number, entry in enumerate(book.entries)
    }


def _by_name(books: Iterable[LoreBook]) -> dict[str, LoreBook]:
    return {book.name: book for book in books}


def _book(book: LoreBook, rules: Rules) -> dict[str, Any]:
    closed = {folder.id for folder in book.folders if not folder.enabled}
    entries = {}
    for number, entry in enumerate(book.entries):
        depth = book.scan_depth if entry.scan_depth is None and rules.books_set_depth else entry.scan_depth
        told = replace(
            entry,
            comment=entry.name,
            enabled=entry.enabled and entry.folder not in closed,
            scan_depth=depth,
            depth=DEFAULT_DEPTH if entry.depth is None else entry.depth,
        )
        entries[str(number)] = _entry(told, number)
    return (
        {"entries": entries} if book.token_budget is None else {"entries": entries, "token_budget": book.token_budget}
    )


def _entry(entry: LoreEntry, number: int) -> dict[str, Any]:
    values = values_of(entry)
    values |= {name: tuple(map(_with_new_macros, values[name])) for name in ("keys", "secondary_keys")}
    values["content"] = _with_new_macros(entry.content)
    written = write_fresh(values, WORLD_FIELDS, {"uid": number})
    return written if entry.use_regex is None else written | {"useRegex": entry.use_regex}


def _with_new_macros(text: str) -> str:
    return _OLD_MACRO.sub(lambda match: _OLD_MACROS[match[1].lower()], text)


def _scene(scene: Scene, numbers: Mapping[EntryKey, EntryKey]) -> dict[str, Any]:
    names = {ours: case for case, ours in SOURCE_NAMES.items()}
    told: dict[str, Any] = {
        "chat": list(scene.messages),
        "injections": {str(n): {"value": text, "scan": True} for n, text in enumerate(scene.injections)},
        "sources": {names[name]: text for name, text in scene.sources.items()} | {"trigger": scene.trigger},
        "character": scene.character,
        "an": scene.note_inserted,
        "maxContext": scene.prompt_tokens,
        "force": [{"book": key.book, "uid": key.uid} for key in _numbered(scene.forced, numbers)],
        "dryRun": scene.dry_run,
    }
    if scene.likeness is not None:
        told["likeness"] = _likeness(scene.likeness, numbers)
    numbers_told = {"length": scene.length, "characterMessages": scene.said, "greeting": scene.greeting}
    told |= {name: number for name, number in numbers_told.items() if number is not None}
    if scene.character_tags is not None:
        told["tagMap"] = {scene.character: sorted(scene.character_tags)}
    return told


def _likeness(likeness: Likeness, numbers: Mapping[EntryKey, EntryKey]) -> dict[str, Any]:
    cosines = [
        {"book": numbers[key].book, "uid": numbers[key].uid, "cosine": cosine}
        for key, cosine in likeness.cosines.items()
        if key in numbers
    ]
    return {"cosines": cosines, "threshold": likeness.threshold, "limit": likeness.limit}


def _numbered(keys: Iterable[EntryKey], numbers: Mapping[EntryKey, EntryKey]) -> list[EntryKey]:
    return sorted((numbers[key] for key in keys if key in numbers), key=str)


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value
