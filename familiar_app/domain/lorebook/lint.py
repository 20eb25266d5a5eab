"""Finds what is odd about a lorebook before anybody talks: entries that can never come in, keys that match too much.

Nothing is changed and nothing is evaluated. Entries that are off are passed over: nobody expects anything of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from familiar_app.domain.lorebook.alike import same_content, same_keys
from familiar_app.domain.lorebook.decoration import decorated, idle_decorators, read_content
from familiar_app.domain.lorebook.decorators import DONT_ACTIVATE
from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry, Position, SecondaryLogic
from familiar_app.domain.lorebook.group import group_names
from familiar_app.domain.lorebook.implied import implies
from familiar_app.domain.lorebook.keytable import KeyForm, KeyOptions, KeyTable, LiteralKey
from familiar_app.domain.lorebook.oddity import LoreWarning, Oddity
from familiar_app.domain.lorebook.pattern import KeyPattern
from familiar_app.domain.lorebook.rules import FIXED, Rules
from familiar_app.domain.lorebook.scene import TRIGGERS, LoreSettings
from familiar_app.domain.lorebook.sentence import quoted
from familiar_app.domain.lorebook.shadow import beats, is_sure
from familiar_app.domain.lorebook.word import stands_alone
from familiar_app.domain.text import ntr, tr

Uid = int | str
_PATTERN_TIME_S = 0.05
_SHORT = 2
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "about all and any are been but can could did does for from get had has have her him his how into its just "
        "not now off one our out say see she some that the their them then there they this too was what when where "
        "which who why will with would yes you your",
    )
)


@dataclass(frozen=True, slots=True)
class LintTerms:
    """What the oddities depend on beside the book. Without `count_tokens` no entry is too large."""

    settings: LoreSettings = field(default_factory=LoreSettings)
    rules: Rules = FIXED
    budget_tokens: int = 0
    count_tokens: Callable[[str], int] | None = None


Found = dict[Uid, tuple[LoreWarning, ...]]


class Linter:
    """Looks books over again and again; what it found about an entry by itself is kept until the entry changes."""

    def __init__(self) -> None:
        self._terms: LintTerms | None = None
        self._table = KeyTable(FIXED)
        self._own: dict[Uid, tuple[LoreEntry, tuple[LoreWarning, ...]]] = {}

    def run(self, book: LoreBook, terms: LintTerms | None = None) -> Found:
        """Return the warnings of each entry that has any. Linear in the entries of the book."""
        terms = terms or LintTerms()
        if terms != self._terms:
            self._terms, self._table, self._own = terms, KeyTable(terms.rules), {}
        folders = {one.id: one for one in book.folders}
        found: dict[Uid, list[LoreWarning]] = {}
        own: dict[Uid, tuple[LoreEntry, tuple[LoreWarning, ...]]] = {}
        for entry in book.entries:
            if not entry.enabled:
                continue
            known = self._own.get(entry.uid)
            own[entry.uid] = known if known and known[0] is entry else (entry, tuple(self._about(entry, terms)))
            warnings = [*own[entry.uid][1]]
            folder = folders.get(entry.folder)
            if folder is not None and not folder.enabled:
                warnings.append(
                    LoreWarning(Oddity.FOLDER_OFF, tr("Its folder {folder} is switched off.", folder=folder.name))
                )
            elif entry.folder and folder is None:
                warnings.append(
                    LoreWarning(Oddity.UNKNOWN_FOLDER, tr("It names a folder that the book does not have."))
                )
            found[entry.uid] = warnings
        self._own = own
        active = [one for one in book.entries if one.enabled]
        for uid, warning in (*self._alike(active, terms), *self._shadowed(active, terms)):
            found[uid].append(warning)
        return {uid: tuple(warnings) for uid, warnings in found.items() if warnings}

    # ---- one entry by itself

    def _about(self, entry: LoreEntry, terms: LintTerms) -> Iterator[LoreWarning]:
        marks, content = read_content(entry.content, terms.rules)
        yield from (LoreWarning(Oddity.IDLE_DECORATOR, one.text) for one in idle_decorators(entry, terms.rules))
        entry = decorated(entry, terms.rules)
        if not marks.activate:
            yield from self._about_keys(entry, terms)
        if marks.dont_activate and not marks.activate:
            yield LoreWarning(Oddity.SAYS_NO, tr("Its text says {decorator}.", decorator=DONT_ACTIVATE))
        if entry.use_probability and entry.probability <= 0:
            yield LoreWarning(Oddity.NO_CHANCE, tr("Its probability is 0, so it never gets in."))
        if entry.triggers and not set(entry.triggers) & set(TRIGGERS):
            yield LoreWarning(Oddity.NO_TRIGGER, tr("It is only for kinds of answers that do not exist."))
        if entry.delay_until_recursion and entry.exclude_recursion:
            yield LoreWarning(
                Oddity.DEAD_MIX, tr("It waits for recursion and may not fire through it: no moment is left.")
            )
        elif entry.delay_until_recursion and not terms.settings.recursive and not terms.rules.levels_run_alone:
            yield LoreWarning(Oddity.DEAD_MIX, tr("It waits for recursion, and recursion is off."))
        if not content.strip():
            yield LoreWarning(Oddity.EMPTY, tr("It has no content, so it brings nothing in."))
        elif terms.count_tokens is not None and not entry.ignore_budget and terms.budget_tokens > 0:
            tokens = terms.count_tokens(content)
            if tokens >= terms.budget_tokens:
                text = ntr(
                    "Its {n} token never fits into a budget of {budget}.",
                    "Its {n} tokens never fit into a budget of {budget}.",
                    tokens,
                    budget=terms.budget_tokens,
                )
                yield LoreWarning(Oddity.TOO_LARGE, text)
        if entry.position is Position.OUTLET and not entry.outlet_name.strip():
            yield LoreWarning(Oddity.NO_OUTLET, tr("It stands at an outlet and names none, so it stands nowhere."))

    def _about_keys(self, entry: LoreEntry, terms: LintTerms) -> Iterator[LoreWarning]:
        by_pattern = terms.rules.obeys_use_regex and entry.use_regex is True
        if entry.constant and by_pattern:
            yield LoreWarning(
                Oddity.NOT_CONSTANT, tr("Its keys are all patterns, so that it is always in does not count.")
            )
        elif entry.constant:
            return
        keys = [key for key in entry.keys if key.strip() or terms.rules.blank_keys_match]
        if not keys:
            if not entry.vectorized:
                yield LoreWarning(Oddity.NO_KEYS, tr("It has no keys and is not always in, so nothing wakes it."))
            return
        forms = self._forms(entry, keys, terms)
        for key in keys:
            yield from _about_key(key, forms[key], by_pattern=by_pattern)
        if all(form is None and not _has_macro(key) for key, form in forms.items()):
            yield LoreWarning(Oddity.DEAD_KEYS, tr("None of its keys can ever match."))
        for key, count in Counter(key.strip().casefold() for key in keys).items():
            if count > 1:
                yield LoreWarning(
                    Oddity.REPEATED_KEY,
                    ntr("It has the key {key} {n} time.", "It has the key {key} {n} times.", count, key=quoted([key])),
                )
        if entry.selective and entry.secondary_keys and not by_pattern:
            yield from self._about_logic(entry, forms, terms)

    def _about_logic(
        self, entry: LoreEntry, forms: dict[str, KeyForm | None], terms: LintTerms
    ) -> Iterator[LoreWarning]:
        """Tell where every primary key brings along what the secondary keys forbid."""
        logic = entry.logic or SecondaryLogic.AND_ANY
        others = self._forms(entry, list(entry.secondary_keys), terms)
        first, second = list(forms.values()), list(others.values())
        dead = [form is None and not _has_macro(key) for key, form in others.items()]
        implied = [[implies(one, other, terms.rules) for other in second] for one in first]
        if logic is SecondaryLogic.NOT_ANY and all(map(any, implied)):
            text = tr("Each of its keys contains a secondary key, and none of those may be there.")
            yield LoreWarning(Oddity.CONTRADICTION, text)
        elif logic is SecondaryLogic.NOT_ALL and all(map(all, implied)):
            text = tr("Each of its keys contains all secondary keys, and one of those has to be missing.")
            yield LoreWarning(Oddity.CONTRADICTION, text)
        elif logic is SecondaryLogic.AND_ANY and all(dead):
            yield LoreWarning(
                Oddity.CONTRADICTION, tr("One secondary key has to be there, and none of them can match.")
            )
        elif logic is SecondaryLogic.AND_ALL and any(dead):
            yield LoreWarning(
                Oddity.CONTRADICTION, tr("All secondary keys have to be there, and one of them can't match.")
            )

    def _forms(self, entry: LoreEntry, keys: list[str], terms: LintTerms) -> dict[str, KeyForm | None]:
        settings = terms.settings
        options = KeyOptions(
            settings.case_sensitive if entry.case_sensitive is None else entry.case_sensitive,
            settings.match_whole_words if entry.match_whole_words is None else entry.match_whole_words,
            entry.use_regex,
        )
        found: dict[str, KeyForm | None] = {}
        for key in keys:
            number = None if _has_macro(key) else self._table.number(key, options)
            found[key] = None if number is None else self._table.forms[number]
        return found

    # ---- entries beside each other

    def _alike(self, active: list[LoreEntry], terms: LintTerms) -> Iterator[tuple[Uid, LoreWarning]]:
        """Tell which entries have the same keys, or the same content, without sharing a group."""
        by_keys: dict[tuple[object, ...], list[LoreEntry]] = {}
        by_content: dict[str, list[LoreEntry]] = {}
        for one in active:
            if one.keys and not one.constant:
                secondary = (frozenset(one.secondary_keys), one.logic) if one.selective and one.secondary_keys else ()
                further = read_content(one.content, terms.rules)[0].further_keys
                by_keys.setdefault((frozenset(map(str.casefold, one.keys)), secondary, further, one.group), []).append(
                    one
                )
            if one.content.strip():
                by_content.setdefault(one.content.strip(), []).append(one)
        for alike in by_keys.values():
            if len(alike) > 1 and not alike[0].group:
                for one in alike:
                    yield one.uid, LoreWarning(Oddity.SAME_KEYS, same_keys(_others(one, alike)))
        for alike in by_content.values():
            if len(alike) > 1:
                for one in alike:
                    yield one.uid, LoreWarning(Oddity.SAME_CONTENT, same_content(_others(one, alike)))

    def _shadowed(self, active: list[LoreEntry], terms: LintTerms) -> Iterator[tuple[Uid, LoreWarning]]:
        """Tell which entries always lose to one that goes first in their group."""
        if terms.settings.group_scoring:
            return
        groups: dict[str, list[LoreEntry]] = {}
        for one in active:
            for name in group_names(one.group, loose=False) if one.group else ():
                groups.setdefault(name, []).append(decorated(one, terms.rules))
        for name, members in groups.items():
            leaders = [one for one in members if one.group_override and is_sure(one, terms.rules)]
            for one in members:
                leader = next((other for other in leaders if beats(other, one, terms.rules)), None)
                if leader is not None:
                    text = tr("In its group {group}, {winner} always goes first.", group=name, winner=leader.name)
                    yield one.uid, LoreWarning(Oddity.SHADOWED, text)


def _about_key(key: str, form: KeyForm | None, *, by_pattern: bool) -> Iterator[LoreWarning]:
    if isinstance(form, KeyPattern):
        if _matches_nothing_said(form):
            yield LoreWarning(
                Oddity.BROAD_KEY, tr("The pattern {key} matches any text, even an empty one.", key=quoted([key]))
            )
    elif by_pattern and not _has_macro(key):
        yield LoreWarning(
            Oddity.BAD_PATTERN, tr("{key} is no pattern that can be read, so it never matches.", key=quoted([key]))
        )
    elif isinstance(form, LiteralKey):
        text = form.text.casefold()
        if len(text) > _SHORT and text.startswith("/") and text.rstrip("gimsuyvd").endswith("/"):
            yield LoreWarning(
                Oddity.BAD_PATTERN,
                tr("{key} can't be read as a pattern and is taken as plain text.", key=quoted([key])),
            )
        elif len(text) <= _SHORT and text.isalpha() and not any(map(_is_glued, text)):
            yield LoreWarning(
                Oddity.BROAD_KEY, tr("The key {key} is very short, so it matches often.", key=quoted([key]))
            )
        elif text in _STOP_WORDS:
            yield LoreWarning(Oddity.BROAD_KEY, tr("The key {key} is in almost every text.", key=quoted([key])))


def _matches_nothing_said(form: KeyPattern) -> bool:
    try:
        return form.search("", _PATTERN_TIME_S) is not None
    except TimeoutError:
        return False


def _has_macro(key: str) -> bool:
    return "{{" in key or "<" in key


def _is_glued(letter: str) -> bool:
    """Tell whether a letter belongs to a script without spaces, where one letter can be a whole word."""
    return stands_alone(f"a{letter}a", 1, 2, unicode_words=True)


def _others(one: LoreEntry, alike: list[LoreEntry]) -> list[str]:
    return [other.name for other in alike if other.uid != one.uid]
