"""Says in a sentence why an entry fires or does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from familiar_app.domain.lorebook.verdict import Outcome, Reason

Detail = Mapping[str, Any]
_LOGIC = {
    "and-any": "one of its secondary keys has to be there too, and none is",
    "and-all": "all of its secondary keys have to be there too; missing",
    "not-any": "none of its secondary keys may be there, but there is",
    "not-all": "not all of its secondary keys may be there, but they are",
}


def sentence(outcome: Outcome) -> str:
    """Return the reason of an outcome as a sentence for people."""
    maker = _MAKERS.get(outcome.reason)
    return maker(outcome.detail) if maker is not None else outcome.reason.value


def near(outcome: Outcome) -> bool:
    """Tell whether an entry that stayed out came close: a key was there, or nearly."""
    if outcome.accepted or outcome.reason in _FAR:
        return False
    nearest = outcome.detail.get("nearest")
    return outcome.reason is not Reason.NO_MATCH or (nearest is not None and nearest["kind"] not in _FAR_MEANINGS)


_FAR_MEANINGS = {"vector", "vector-wait", "vector-off"}
_FAR = {Reason.DISABLED, Reason.NO_KEYS, Reason.NAME_FILTER, Reason.TAG_FILTER, Reason.TRIGGER}


def _key(detail: Detail) -> str:
    text = f"“{detail.get('key', '')}” {_where(detail)}"
    hit = detail.get("secondary_hit")
    return f"{text}, with “{'”, “'.join(hit)}”." if hit else f"{text}."


def _where(detail: Detail) -> str:
    places = {
        "message": f"is in message {int(detail.get('index', 0)) + 1}",
        "recursion": "is in an entry that fired before",
        "source": "is in the character's own texts",
        "injection": "is in an inserted prompt",
    }
    return places.get(str(detail.get("where")), "matches")


def _no_match(detail: Detail) -> str:
    nearest = detail.get("nearest")
    if not nearest:
        return "None of its keys is in the text."
    key = f"“{nearest.get('key', '')}”"
    if nearest["kind"] == "window":
        back, depth = nearest["messages_back"], nearest["depth"]
        return f"{key} is {back} messages back; only the last {depth} are looked at."
    if nearest["kind"] == "vector":
        similarity, threshold = nearest["similarity"], nearest["threshold"]
        return (
            f"None of its keys is in the text, and its meaning is not near enough: {similarity:.2f} of {threshold:g}."
        )
    return {
        "case": f"{key} is there, but with other capitals.",
        "word-boundary": f"{key} is there only as part of a longer word.",
        "time": f"The pattern {key} took too long and was given up.",
        "vector-wait": "None of its keys is in the text; its meaning is compared from the next message on.",
        "vector-off": "None of its keys is in the text, and no embedder is on that could compare meanings.",
        "path": f"{key} looks like a path and is taken as plain text.",
    }.get(nearest["kind"], "None of its keys is in the text.")


def _vector(detail: Detail) -> str:
    similarity, threshold = detail.get("similarity", 0), detail.get("threshold", 0)
    return f"Its meaning is near what was said: {similarity:.2f}, at least {threshold:g}."


def _secondary(detail: Detail) -> str:
    logic = str(detail.get("logic"))
    text = f"“{detail.get('key', '')}” is there, but {_LOGIC.get(logic, 'its secondary keys do not fit')}"
    named = {"and-all": "secondary_missed", "not-any": "secondary_hit"}.get(logic)
    keys = list(detail.get(named, ())) if named else []
    return f"{text}: “{'”, “'.join(keys)}”." if keys else f"{text}."


def _budget(detail: Detail) -> str:
    if "limit_entries" in detail:
        return f"Its key is there, but {detail['limit_entries']} entries are in already, which is the most."
    if "gave_way_to" in detail:
        return f"It was in and made room for {detail['gave_way_to']}, as its text asks."
    text = f"No room: it would make {detail.get('total', 0):,} of {detail.get('limit', 0):,} tokens"
    takers = detail.get("taken_by") or []
    if takers:
        return f"{text}. Most is taken by {', '.join(f'{name} ({tokens:,})' for name, tokens in takers[:3])}."
    return f"{text}."


def _disabled(detail: Detail) -> str:
    return f"Its folder {detail['folder']} is switched off." if "folder" in detail else "It is switched off."


def _wait(detail: Detail) -> str:
    return f"It waits for recursion level {detail.get('level')}; level {detail.get('open_level')} is open."


def _roll(detail: Detail) -> str:
    return f"The dice said {detail.get('roll', 0):.0f}; it needs less than {detail.get('limit', 0):g}."


def _group(detail: Detail) -> str:
    winner = detail.get("to") or detail.get("winner") or detail.get("by")
    group = detail.get("group")
    return f"In its group{f' {group}' if group else ''}, {winner or 'another entry'} was taken instead."


def _not_inserted(detail: Detail) -> str:
    why = str(detail.get("why", "")).replace("-", " ")
    return f"It fires, but stands nowhere in the prompt: {why}."


def _decorator(detail: Detail) -> str:
    text = f"Its text says {detail.get('decorator')}"
    if "messages" in detail:
        return f"{text}; the character has spoken {_times(int(detail['messages']))}."
    if "greeting" in detail:
        begun = detail["greeting"]
        return f"{text}; the chat began with {'no greeting' if begun is None else f'greeting {begun}'}."
    for name, what in (("missed", "none of them is there"), ("found", "in the text there is")):
        if name in detail:
            keys = f"“{'”, “'.join(detail[name])}”"
            return f"{text}, and {what}: {keys}."
    return f"{text}."


def _times(count: int) -> str:
    return {0: "not yet", 1: "once"}.get(count, f"{count:,} times")


def _sticky(detail: Detail) -> str:
    if "decorator" in detail:
        return f"It came in before, and its text says {detail['decorator']}."
    return f"It stays for {detail.get('messages_left', 0)} more messages."


def _cooldown(detail: Detail) -> str:
    if "decorator" in detail:
        return f"It came in before, and its text says {detail['decorator']}."
    return f"It rests for {detail.get('messages_left', 0)} more messages."


def _filtered(detail: Detail) -> str:
    return "It is not for this character." if detail.get("exclude") else "It is for other characters."


def _fixed(text: str) -> Callable[[Detail], str]:
    return lambda _detail: text


_MAKERS: dict[Reason, Callable[[Detail], str]] = {
    Reason.KEY: _key,
    Reason.VECTOR: _vector,
    Reason.CONSTANT: _fixed("It is always in."),
    Reason.STICKY: _sticky,
    Reason.FORCED: _fixed("Something outside the book asked for it."),
    Reason.DECORATOR: _decorator,
    Reason.DISABLED: _disabled,
    Reason.TRIGGER: _fixed("It is for other kinds of answers."),
    Reason.NAME_FILTER: _filtered,
    Reason.TAG_FILTER: _filtered,
    Reason.DELAY: lambda detail: (
        f"It waits for {detail.get('wanted', 0)} messages; there are {detail.get('messages')}."
    ),
    Reason.COOLDOWN: _cooldown,
    Reason.WAIT_RECURSION: _wait,
    Reason.EXCLUDE_RECURSION: _fixed("It does not fire through other entries."),
    Reason.NO_KEYS: _fixed("It has no keys, so nothing can wake it."),
    Reason.NO_MATCH: _no_match,
    Reason.SECONDARY: _secondary,
    Reason.GROUP_LOST: _group,
    Reason.GROUP_HELD: _group,
    Reason.ROLL: _roll,
    Reason.BUDGET: _budget,
    Reason.NOT_INSERTED: _not_inserted,
}
