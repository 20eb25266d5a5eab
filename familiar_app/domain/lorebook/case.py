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
from familiar_app.domain.lorebook.case_part import a_list, an_object, entry_key, number, objects, text, texts, whole
from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry
from familiar_app.domain.lorebook.fieldmap import quiet
from familiar_app.domain.lorebook.kind import finite_number, number_or, whole_text
from familiar_app.domain.lorebook.likeness import Likeness
from familiar_app.domain.lorebook.rules import FIXED, Rules
from familiar_app.domain.lorebook.scene import LoreSettings, Scene, Strategy
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
    chance, count_tokens = _replayed(given.get("rng")), _counter(case, given, rules)
    if given.get("timeline"):
        return {"steps": _run_steps(case.get("steps") or given.get("steps"), given, engine, chance)}
    activation = engine.activate(
        _scene(given, texts(given.get("chat"), "chat")),
        chance=chance,
        count_tokens=count_tokens,
        timers=Timers.from_json(given.get("timers") or {}),
    )
    return activation.to_json(verdicts=verdicts)


def _run_steps(
    steps: Any, given: Mapping[str, Any], engine: LoreEngine, chance: Callable[[], float]
) -> list[dict[str, Any]]:
    chat = texts(given.get("chat"), "chat")
    timers = Timers.from_json(given.get("timers") or {})
    results = []
    for step in objects(steps, "steps"):
        if "add" in step:
            chat.append(text(step["add"], "steps"))
        activation = engine.activate(_scene(given, chat), chance=chance, count_tokens=count_words, timers=timers)
        timers = activation.timers
        shown = {"add": step["add"]} if "add" in step else {}
        results.append({**shown, "length": len(chat), "activated": activation.names})
    return results


def _books(given: Mapping[str, Any]) -> BoundBooks:
    raw = dict(an_object(given.get("books"), "books"))
    if "entries" in given:
        raw.setdefault(_DEFAULT_BOOK, given["entries"])
    books = {name: _book(name, value) for name, value in raw.items()}

    def bound(names: Any, field: str) -> tuple[LoreBook, ...]:
        listed = [names] if isinstance(names, str) else texts(names, field)
        return tuple(books[name] for name in listed if name in books)

    meta = an_object(given.get("chatMeta"), "chatMeta")
    own, further = given.get("characterBook"), a_list(given.get("characterExtraBooks"), "characterExtraBooks")
    return BoundBooks(
        everywhere=bound(given.get("globalBooks", [_DEFAULT_BOOK]), "globalBooks"),
        chat=bound(meta.get("world_info") or given.get("chatBook"), "chatBook"),
        persona=bound(given.get("personaBook"), "personaBook"),
        character=bound([name for name in (own, *further) if name], "characterBook"),
    )


def _book(name: str, value: Any) -> LoreBook:
    """Read the entries of a book: a list, an object by id, or either within a world object."""
    budget = None
    if isinstance(value, Mapping) and "entries" in value:
        budget = finite_number(value.get("token_budget"))
        value = value["entries"]
    listed = objects(list(value.values()) if isinstance(value, Mapping) else value, name)
    entries = [_entry(raw, position) for position, raw in enumerate(listed)]
    entries.sort(key=lambda entry: entry.uid if isinstance(entry.uid, int) else 0)
    return LoreBook(name=name, entries=tuple(entries), token_budget=None if budget is None else int(budget))


def _entry(raw: Mapping[str, Any], position: int) -> LoreEntry:
    said = raw.get("useRegex")
    return replace(entry_from_world(raw, position, quiet), use_regex=said if isinstance(said, bool) else None)


def _settings(given: Mapping[str, Any]) -> LoreSettings:
    raw = an_object(given.get("settings"), "settings")
    values: dict[str, Any] = {}
    for name, ours in CASE_SETTINGS.items():
        default = getattr(_CASE_DEFAULTS, ours)
        if isinstance(default, bool):
            values[ours] = bool(raw.get(name, default))
        elif isinstance(default, Strategy):
            values[ours] = _strategy(number_or(raw.get(name), default), name)
        else:
            values[ours] = type(default)(number_or(raw.get(name), default))
    return LoreSettings(**values)


def _strategy(told: float, name: str) -> Strategy:
    try:
        return Strategy(int(told))
    except ValueError as error:
        raise BadInputError("this has to be 0, 1 or 2.", field=name) from error


def _scene(given: Mapping[str, Any], chat: Iterable[str]) -> Scene:
    sources = an_object(given.get("sources"), "sources")
    injections = objects(list(an_object(given.get("injections"), "injections").values()), "injections")
    character = text(given.get("character"), "character") or _DEFAULT_CHARACTER
    return Scene(
        messages=tuple(chat),
        length=whole(given.get("length"), "length"),
        said=whole(given.get("characterMessages"), "characterMessages"),
        greeting=whole(given.get("greeting"), "greeting"),
        injections=tuple(
            text(one["value"], "injections") for one in injections if one.get("scan") and one.get("value")
        ),
        sources={SOURCE_NAMES[name]: text(said, name) for name, said in sources.items() if name in SOURCE_NAMES},
        trigger=text(sources.get("trigger"), "trigger") or "normal",
        character=character,
        character_tags=_tags(an_object(given.get("tagMap"), "tagMap"), character),
        note_inserted=bool(given.get("an")),
        prompt_tokens=int(number_or(given.get("maxContext"), 100_000)),
        expand=_expander(an_object(given.get("macros"), "macros")),
        forced=frozenset(entry_key(one, "force") for one in objects(given.get("force"), "force")),
        likeness=_likeness(given.get("likeness")),
        dry_run=bool(given.get("dryRun")),
    )


def _likeness(told: Any) -> Likeness | None:
    if not isinstance(told, Mapping):
        return None
    listed = objects(told.get("cosines"), "cosines")
    cosines = {entry_key(one, "cosines"): number(one.get("cosine"), "cosines") for one in listed}
    return Likeness(cosines, number_or(told.get("threshold"), 1), int(number_or(told.get("limit"), 0)))


def _tags(tag_map: Mapping[str, Any], character: str) -> frozenset[str] | None:
    for name, tags in tag_map.items():
        if character in (name, name.rpartition(".")[0]):
            return frozenset(texts(tags, "tagMap"))
    return None


def _expander(macros: Mapping[str, Any]) -> Callable[[str], str]:
    values = {name.lower(): whole_text(str(value)) for name, value in macros.items()}
    if not values:
        return lambda text: text
    pattern = re.compile(r"\{\{(" + "|".join(map(re.escape, values)) + r")\}\}", re.IGNORECASE)
    return lambda text: pattern.sub(lambda match: values[match[1].lower()], text)


def _counter(case: Mapping[str, Any], given: Mapping[str, Any], rules: Rules) -> CountTokens:
    """Return the counts of a case one by one, under the rules they were recorded with; then words."""
    recorded = iter(a_list(given.get("counts"), "counts") if case.get("rules") == rules.name else ())

    def count(text: str) -> int:
        told = next(recorded, None)
        return count_words(text) if told is None else int(number(told, "counts"))

    return count


def _replayed(numbers: Any) -> Callable[[], float]:
    """Return the given random numbers one by one, then 0.5."""
    source = iter([number(one, "rng") for one in a_list(numbers, "rng")])
    return lambda: next(source, 0.5)
