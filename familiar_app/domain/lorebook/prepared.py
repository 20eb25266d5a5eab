"""Bound books made ready for many evaluations: scan order, decorators, numbered keys, one automaton."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from familiar_app.domain.lorebook.decoration import Decoration, decorated, read_content
from familiar_app.domain.lorebook.entry import BoundBooks, EntryKey, LoreBook, LoreEntry
from familiar_app.domain.lorebook.keytable import KeyOptions, KeyTable, LiteralKey
from familiar_app.domain.lorebook.rules import Rules
from familiar_app.domain.lorebook.scanner import Scanner
from familiar_app.domain.lorebook.scanorder import scan_order
from familiar_app.domain.lorebook.scene import LoreSettings

Expand = Callable[[str], str]
_MACRO_STARTS = ("{", "<")


@dataclass(frozen=True, slots=True)
class Key:
    """A key as written; `number` is its place in the key table, unless it has placeholders to fill in first."""

    text: str
    number: int | None
    has_macro: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry in scan order, prepared: with the settings that its decorators ask for, its content without them.

    `needed`, `banned` and `banned_together` are their keys, `marks` what else they ask for. `book_budget` is 0 where
    its book has none. `swift` ones can't come in without a literal key that is in reach.
    """

    index: int
    key: EntryKey
    entry: LoreEntry
    content: str
    marks: Decoration
    options: KeyOptions
    primary: tuple[Key, ...]
    secondary: tuple[Key, ...]
    needed: tuple[tuple[Key, ...], ...]
    banned: tuple[Key, ...]
    banned_together: tuple[Key, ...]
    scan_depth: int | None
    closed_folder: str | None
    book_budget: int
    swift: bool


class PreparedBooks:
    """Books, settings and rules of one chat. Make it anew when any of them changes."""

    def __init__(self, books: BoundBooks, settings: LoreSettings, rules: Rules) -> None:
        self.settings = settings
        self.rules = rules
        self.table = KeyTable(rules)
        ranked = scan_order(books, settings.strategy, self._rank)
        self.candidates = tuple(self._prepare(index, *pair) for index, pair in enumerate(ranked))
        self.scanner = Scanner(self.table.forms, unicode_words=rules.unicode_words)
        self.slow_path = tuple(candidate for candidate in self.candidates if not candidate.swift)
        self.reaches = {(one.scan_depth, one.entry.sources) for one in self.candidates if one.swift}
        self.by_key: dict[int, list[Candidate]] = {}
        for candidate in self.candidates:
            if candidate.swift:
                for number in {key.number for key in candidate.primary if key.number is not None}:
                    self.by_key.setdefault(number, []).append(candidate)
        self.timed = {str(one.key): one for one in self.candidates if one.entry.sticky or one.entry.cooldown}
        self.delay_levels = sorted({one.entry.delay_until_recursion for one in self.candidates} - {0})

    def number(self, key: Key, candidate: Candidate, expand: Expand) -> int | None:
        """Return a key's number, with its placeholders filled in."""
        return self.table.number(expand(key.text), candidate.options) if key.has_macro else key.number

    def _rank(self, entry: LoreEntry) -> float:
        rank = read_content(entry.content, self.rules)[0].rank
        return entry.order if rank is None else rank

    def _prepare(self, index: int, book: LoreBook, entry: LoreEntry) -> Candidate:
        settings = self.settings
        marks, content = read_content(entry.content, self.rules)
        entry = decorated(entry, self.rules)
        options = KeyOptions(
            settings.case_sensitive if entry.case_sensitive is None else entry.case_sensitive,
            settings.match_whole_words if entry.match_whole_words is None else entry.match_whole_words,
            entry.use_regex,
        )
        depth = entry.scan_depth
        if depth is None and self.rules.books_set_depth:
            depth = book.scan_depth
        primary = self._keys(entry.keys, options)
        return Candidate(
            index,
            EntryKey(book.name, entry.uid),
            entry,
            content,
            marks,
            options,
            primary,
            self._keys(entry.secondary_keys, options),
            tuple(self._keys(keys, options) for keys in marks.needed),
            self._keys(marks.banned, options),
            self._keys(marks.banned_together, options),
            depth,
            next((one.name for one in book.folders if one.id == entry.folder and not one.enabled), None),
            (book.token_budget or 0) if self.rules.books_set_budget else 0,
            self._is_swift(entry, marks, primary),
        )

    def _keys(self, texts: Iterable[str], options: KeyOptions) -> tuple[Key, ...]:
        return tuple(self._key(text, options) for text in texts)

    def _key(self, text: str, options: KeyOptions) -> Key:
        has_macro = any(start in text for start in _MACRO_STARTS)
        return Key(text, None if has_macro else self.table.number(text, options), has_macro)

    def _is_swift(self, entry: LoreEntry, marks: Decoration, primary: tuple[Key, ...]) -> bool:
        return not entry.constant and not marks.activate and all(self._is_literal(key) for key in primary)

    def _is_literal(self, key: Key) -> bool:
        if key.has_macro:
            return False
        form = None if key.number is None else self.table.forms[key.number]
        return form is None or (isinstance(form, LiteralKey) and form.text != "")
