"""Lorebook cases: one JSON object with books, chat, settings and random numbers in, what activates out.

Owners attach such objects to reports, and tests replay them. Tokens are counted as words between white space, unless
the case brings `counts` of its own. `case_write` makes such objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.lorebook.budget import CountTokens
from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.entry import BoundBooks, EntryKey, LoreBook, LoreEntry
from familiar_app.domain.lorebook.fieldmap import quiet
from familiar_app.domain.lorebook.kind import finite_number, number_or
from familiar_app.domain.lorebook.likeness import Likeness
from familiar_app.domain.lorebook.rules import FIXED, Rules
from familiar_app.domain.lorebook.scene import LoreSettings, Scene
from familiar_app.domain.lorebook.timer import Timers
from familiar_app.domain.lorebook.worldentry import entry_from_world

SOURCE_NAMES = {
    "personaDescription": "persona_description",
    "characterDescription": "character_description",
    "characterPersonality": "character_personality",
    "characterDepthPrompt": "character_depth_prompt",
    "scenario": "scenario",
    "creatorNotes": "creator_notes",
}
CASE_SETTINGS = {
    "world_info_depth": "depth",
    "world_info_budget": "budget_percent",
    "world_info_budget_cap": "budget_cap",
    "world_info_recursive": "recursive",
    "world_info_max_recursion_steps": "max_passes",
    "world_info_min_activations": "min_activations",
    "world_info_min_activations_depth_max": "min_activations_depth",
    "world_info_case_sensitive": "case_sensitive",
    "world_info_match_whole_words": "match_whole_words",
    "world_info_use_group_scoring": "group_scoring",
    "world_info_character_strategy": "strategy",
    "constants_first": "constants_first",
    "fill_gaps": "fill_gaps",
    "max_entries": "max_entries",
}
"""The settings of a case and what they are called here."""
_CASE_DEFAULTS = LoreSettings(budget_percent=100, match_whole_words=False)
_DEFAULT_CHARACTER = "Alice"
_DEFAULT_BOOK = "G"
_NEEDED = "entries (or books) and a chat"


def count_words(text: str) -> int:
    """Count tokens as cases do."""
    return len(text.split())


def run_case(case: Mapping[str, Any], rules: Rules = FIXED, *, verdicts: bool = False) -> dict[str, Any]:
    """Run one case and return what it is expected to give.

    A timeline gives `steps`, each with its length and activated entries; any other case gives `activated`, `passes`,
    `overflowed` and the places that hold text. With `verdicts`, the reasons too. Raises BadInputError.
    """
    given = case.get("input", case)
    if not isinstance(given, Mapping):
        raise BadInputError(f"this has to be an object with {_NEEDED}.", field="input")
    if not any(name in given for name in ("entries", "books", "chat")):
        raise BadInputError(f"a case needs {_NEEDED}; there is neither.")
    engine = LoreEngine(_books(given), _settings(given), rules)
    chance, count_tokens = _replayed(given.get("rng") or ()), _counter(case, given, rules)
    if given.get("timeline"):
        return {"steps": _run_steps(case.get("steps") or given.get("steps") or (), given, engine, chance)}
    activation = engine.activate(
        _scene(given, given.get("chat") or ()),
        chance=chance,
        count_tokens=count_tokens,
        timers=Timers.from_json(given.get("timers") or {}),
    )
    return activation.to_json(verdicts=verdicts)


def _run_steps(
    steps: Iterable[Mapping[str, Any]], given: Mapping[str, Any], engine: LoreEngine, chance: Callable[[], float]
) -> list[dict[str, Any]]:
    chat = list(given.get("chat") or ())
    timers = Timers.from_json(given.get("timers") or {})
    results = []
    for step in steps:
        if "add" in step:
            chat.append(step["add"])
        activation = engine.activate(_scene(given, chat), chance=chance, count_tokens=count_words, timers=timers)
        timers = activation.timers
        shown = {"add": step["add"]} if "add" in step else {}
        results.append({**shown, "length": len(chat), "activated": activation.names})
    return results


def _books(given: Mapping[str, Any]) -> BoundBooks:
    raw = dict(given.get("books") or {})
    if "entries" in given:
        raw.setdefault(_DEFAULT_BOOK, given["entries"])
    books = {name: _book(name, value) for name, value in raw.items()}

    def bound(names: Any) -> tuple[LoreBook, ...]:
        listed = [names] if isinstance(names, str) else names or ()
        return tuple(books[name] for name in listed if name in books)

    meta = given.get("chatMeta") or {}
    character = [given.get("characterBook"), *(given.get("characterExtraBooks") or ())]
    return BoundBooks(
        everywhere=bound(given.get("globalBooks", [_DEFAULT_BOOK])),
        chat=bound(meta.get("world_info") or given.get("chatBook")),
        persona=bound(given.get("personaBook")),
        character=bound([name for name in character if name]),
    )


def _book(name: str, value: Any) -> LoreBook:
    """Read the entries of a book: a list, an object by id, or either within a world object."""
    budget = None
    if isinstance(value, Mapping) and "entries" in value:
        budget = finite_number(value.get("token_budget"))
        value = value["entries"]
    listed = list(value.values()) if isinstance(value, Mapping) else list(value or ())
    if not all(isinstance(entry, Mapping) for entry in listed):
        raise BadInputError("entries have to be objects.", field=name)
    entries = [_entry(raw, position) for position, raw in enumerate(listed)]
    entries.sort(key=lambda entry: entry.uid if isinstance(entry.uid, int) else 0)
    return LoreBook(name=name, entries=tuple(entries), token_budget=None if budget is None else int(budget))


def _entry(raw: Mapping[str, Any], position: int) -> LoreEntry:
    said = raw.get("useRegex")
    return replace(entry_from_world(raw, position, quiet), use_regex=said if isinstance(said, bool) else None)


def _settings(given: Mapping[str, Any]) -> LoreSettings:
    raw = given.get("settings") or {}
    values: dict[str, Any] = {}
    for name, ours in CASE_SETTINGS.items():
        default = getattr(_CASE_DEFAULTS, ours)
        if isinstance(default, bool):
            values[ours] = bool(raw.get(name, default))
        else:
            values[ours] = type(default)(number_or(raw.get(name), default))
    return LoreSettings(**values)


def _scene(given: Mapping[str, Any], chat: Iterable[str]) -> Scene:
    sources = given.get("sources") or {}
    injections = (given.get("injections") or {}).values()
    character = given.get("character") or _DEFAULT_CHARACTER
    forced = given.get("force") or ()
    return Scene(
        messages=tuple(chat),
        length=_whole(given.get("length")),
        said=_whole(given.get("characterMessages")),
        greeting=_whole(given.get("greeting")),
        injections=tuple(one["value"] for one in injections if one.get("scan") and one.get("value")),
        sources={SOURCE_NAMES[name]: text for name, text in sources.items() if name in SOURCE_NAMES},
        trigger=sources.get("trigger") or "normal",
        character=character,
        character_tags=_tags(given.get("tagMap") or {}, character),
        note_inserted=bool(given.get("an")),
        prompt_tokens=int(number_or(given.get("maxContext"), 100_000)),
        expand=_expander(given.get("macros") or {}),
        forced=frozenset(EntryKey(one["book"], one["uid"]) for one in forced if isinstance(one, Mapping)),
        likeness=_likeness(given.get("likeness")),
        dry_run=bool(given.get("dryRun")),
    )


def _whole(told: Any) -> int | None:
    return None if told is None else int(told)


def _likeness(told: Any) -> Likeness | None:
    if not isinstance(told, Mapping):
        return None
    cosines = {EntryKey(one["book"], one["uid"]): float(one["cosine"]) for one in told.get("cosines") or ()}
    return Likeness(cosines, number_or(told.get("threshold"), 1), int(number_or(told.get("limit"), 0)))


def _tags(tag_map: Mapping[str, Iterable[str]], character: str) -> frozenset[str] | None:
    for name, tags in tag_map.items():
        if character in (name, name.rpartition(".")[0]):
            return frozenset(tags)
    return None


def _expander(macros: Mapping[str, str]) -> Callable[[str], str]:
    values = {name.lower(): str(value) for name, value in macros.items()}
    if not values:
        return lambda text: text
    pattern = re.compile(r"\{\{(" + "|".join(map(re.escape, values)) + r")\}\}", re.IGNORECASE)
    return lambda text: pattern.sub(lambda match: values[match[1].lower()], text)


def _counter(case: Mapping[str, Any], given: Mapping[str, Any], rules: Rules) -> CountTokens:
    """Return the counts of a case one by one, under the rules they were recorded with; then words."""
    recorded = iter(given.get("counts") or () if case.get("rules") == rules.name else ())

    def count(text: str) -> int:
        told = next(recorded, None)
        return count_words(text) if told is None else int(told)

    return count


def _replayed(numbers: Iterable[float]) -> Callable[[], float]:
    """Return the given random numbers one by one, then 0.5."""
    source = iter(numbers)
    return lambda: next(source, 0.5)
