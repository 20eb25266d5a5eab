"""Makes facts of what an extractor answered, and trusts nothing of it but the words.

Sources must be turns that were shown, subjects people of the manifest, names those of the manifest. Whatever the model
claims beyond that is dropped, and counted by the guard that dropped it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from familiar_app.domain.clock import parse_time
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.fact_text import normalise
from familiar_app.domain.ids import FamiliarId, PersonKey, TurnId, ego_key
from familiar_app.domain.saved_memory.named import names_somebody
from familiar_app.domain.self_ability import is_self_ability

MAX_ITEMS = 100
MAX_TEXT_CHARS = 2000
# Turns and facts begin like this where a model is shown them; a weak one hands them back as they are.
_ECHO = re.compile(r"\[\s*[TF]\s*#\s*\d+")
_NUMERAL = re.compile(r"[+-]?\d+(?:\.\d+)?\Z")


@dataclass(frozen=True, slots=True)
class NoteBatch:
    """What an extractor was shown: turns, those among them that the familiar said itself, and the people it may name.

    `machines` are the speakers of turns that another familiar or a bot said; they are evidence about that one alone.

    `people` has the familiar itself too; its values are the names that facts keep as `display_at_write`. About those in
    `private` nothing may be kept; `private_names` are the names of those among them who are not among `people`.
    """

    familiar: FamiliarId
    turns: tuple[TurnId, ...]
    own: frozenset[TurnId]
    people: Mapping[PersonKey, str]
    private: frozenset[PersonKey] = frozenset()
    private_names: frozenset[str] = frozenset()
    machines: Mapping[TurnId, PersonKey] = field(default_factory=dict)

    @property
    def ego(self) -> PersonKey:
        return ego_key(self.familiar)

    def as_basis(self) -> dict[str, Any]:
        """Return what the ledger keeps of it."""
        kept: dict[str, Any] = {"turns": list(self.turns), "own": sorted(self.own), "people": dict(self.people)}
        if self.private:
            kept["private"] = sorted(self.private)
        if self.private_names:
            kept["private_names"] = sorted(self.private_names)
        if self.machines:
            kept["machines"] = [[turn, key] for turn, key in sorted(self.machines.items())]
        return kept

    def speakers(self, sources: Sequence[TurnId]) -> frozenset[PersonKey] | None:
        """Return who said these turns where no person did, else None."""
        said = [self.ego if turn in self.own else self.machines.get(turn) for turn in sources]
        known = frozenset(key for key in said if key is not None)
        return None if None in said else known


def batch_of(basis: Mapping[str, Any], familiar: FamiliarId) -> NoteBatch:
    """Read what `NoteBatch.as_basis` wrote."""
    return NoteBatch(
        familiar,
        tuple(TurnId(turn) for turn in basis["turns"]),
        frozenset(TurnId(turn) for turn in basis["own"]),
        {PersonKey(key): name for key, name in basis["people"].items()},
        frozenset(PersonKey(key) for key in basis.get("private", ())),
        frozenset(basis.get("private_names", ())),
        {TurnId(turn): PersonKey(key) for turn, key in basis.get("machines", ())},
    )


@dataclass(frozen=True, slots=True)
class Notes:
    """The facts of an answer, each with its place in it, and how often each guard dropped something."""

    kept: tuple[tuple[int, NewFact], ...]
    rejected: Mapping[str, int]


def notes_of(answer: object, batch: NoteBatch, origin: str) -> Notes:
    """Return the facts that an answer may become. Anything but a list of objects becomes none."""
    items = answer if isinstance(answer, list) else []
    rejected: Counter[str] = Counter()
    if len(items) > MAX_ITEMS:
        rejected["too many"] += len(items) - MAX_ITEMS
    kept: list[tuple[int, NewFact]] = []
    for place, item in enumerate(items[:MAX_ITEMS]):
        new = _note(item, batch, origin, rejected)
        if new is not None:
            kept.append((place, new))
    return Notes(tuple(kept), dict(rejected))


def importance_of(value: object) -> int | None:
    """Return a number or numeral cut to an integer between 1 and 10; None for anything else."""
    if isinstance(value, str):
        if not _NUMERAL.match(value.strip()):
            return None
        value = float(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return min(10, max(1, int(value)))


def sources_of(value: object, shown: Sequence[TurnId]) -> tuple[TurnId, ...]:
    """Return the shown turns that are cited, in order; all of them where none is."""
    cited = set(ids_in(value))
    found = tuple(turn for turn in shown if turn in cited)
    return found or tuple(shown)


def ids_in(value: object) -> list[int]:
    """Return the whole numbers in a list, numerals too; what is no list is taken as its one element."""
    found: list[int] = []
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            digits = re.fullmatch(r"\s*(?:[TF]\s*)?#?\s*(\d{1,18})\s*", one)
            one = int(digits[1]) if digits else None
        if isinstance(one, float) and one.is_integer():
            one = int(one)
        if isinstance(one, int) and not isinstance(one, bool):
            found.append(one)
    return found


def subjects_of(value: object, people: Mapping[PersonKey, str]) -> tuple[Subject, ...]:
    """Return the people of the manifest that are named, under the names of the manifest."""
    keys = value if isinstance(value, list) else [value]
    named = dict.fromkeys(PersonKey(key.strip()) for key in keys if isinstance(key, str))
    return tuple(Subject(key, people[key]) for key in named if key in people)


def _note(item: object, batch: NoteBatch, origin: str, rejected: Counter[str]) -> NewFact | None:
    text = item.get("text") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(text, str) or not normalise(text):
        rejected["no text"] += 1
        return None
    if len(text) > MAX_TEXT_CHARS:
        rejected["too long"] += 1
        return None
    if _ECHO.search(text):
        rejected["echo of the request"] += 1
        return None
    subjects = subjects_of(item.get("subject_keys"), batch.people)
    if _is_about_private(text, item.get("subject_keys"), batch):
        rejected["privacy"] += 1
        return None
    if _is_about_own_ability(text, subjects, batch):
        rejected["own ability"] += 1
        return None
    sources = sources_of(item.get("source_turn_ids"), batch.turns)
    if (speakers := batch.speakers(sources)) is not None:
        about_others = any(subject.key not in speakers for subject in subjects)
        rejected["own word about others" if speakers == {batch.ego} else "a bot's word about others"] += about_others
        subjects = tuple(subject for subject in subjects if subject.key in speakers)
    valid_from, valid_to = _instant(item.get("valid_from")), _instant(item.get("valid_to"))
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        rejected["ends before it begins"] += 1
        valid_from = valid_to = None
    return NewFact(
        familiar=batch.familiar,
        text=text.strip(),
        origin=origin,
        subjects=subjects,
        source_turns=sources,
        importance=importance_of(item.get("importance")),
        valid_from=valid_from,
        valid_to=valid_to,
    )


def _is_about_private(text: str, keys: object, batch: NoteBatch) -> bool:
    """Tell whether a text is about somebody who does not want to be remembered, or names them."""
    if subjects_of(keys, dict.fromkeys(batch.private, "")):
        return True
    names = (name for key, name in batch.people.items() if key in batch.private)
    return names_somebody(text, (*names, *batch.private_names))


def _is_about_own_ability(text: str, subjects: Sequence[Subject], batch: NoteBatch) -> bool:
    """Tell whether a text is about the model's abilities. Somebody else of the same name may well be unable."""
    name = batch.people.get(batch.ego, "")
    keys = {subject.key for subject in subjects}
    namesakes = {key for key, label in batch.people.items() if key != batch.ego and _same_name(label, name)}
    if namesakes & keys and batch.ego not in keys:
        return is_self_ability(text, "")
    return is_self_ability(text, name)


def _same_name(label: str, name: str) -> bool:
    return bool(name.strip()) and label.casefold().split()[:1] == name.casefold().split()[:1]


def _instant(value: object) -> datetime | None:
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        return parse_time(value)
    except BadInputError:
        # A date the model made up in no known form says nothing.
        return None
