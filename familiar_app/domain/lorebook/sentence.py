"""Says in a sentence why an entry fires or does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from familiar_app.domain.lorebook.verdict import Outcome, Reason
from familiar_app.domain.text import ntr, number, ptr, tr, tr_later

Detail = Mapping[str, Any]


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


def quoted(keys: Iterable[str]) -> str:
    """Return keys in quotation marks, one after another."""
    return ", ".join(tr("“{key}”", key=key) for key in keys)


def short_number(value: float) -> str:
    """Write a number as shortly as it can be, with the language's decimal mark and no others."""
    return f"{value:g}".replace(".", ptr("decimal mark", "."))


_FAR_MEANINGS = {"vector", "vector-wait", "vector-off"}
_FAR = {Reason.DISABLED, Reason.NO_KEYS, Reason.NAME_FILTER, Reason.TAG_FILTER, Reason.TRIGGER}
_WHERE = {
    "message": (tr_later("{key} is in message {message}."), tr_later("{key} is in message {message}, with {others}.")),
    "recursion": (
        tr_later("{key} is in an entry that fired before."),
        tr_later("{key} is in an entry that fired before, with {others}."),
    ),
    "source": (
        tr_later("{key} is in the character's own texts."),
        tr_later("{key} is in the character's own texts, with {others}."),
    ),
    "injection": (
        tr_later("{key} is in an inserted prompt."),
        tr_later("{key} is in an inserted prompt, with {others}."),
    ),
}
_ELSEWHERE = (tr_later("{key} matches."), tr_later("{key} matches, with {others}."))
_NOTHING = tr_later("None of its keys is in the text.")
_NEAREST = {
    "case": tr_later("{key} is there, but with other capitals."),
    "word-boundary": tr_later("{key} is there only as part of a longer word."),
    "time": tr_later("The pattern {key} took too long and was given up."),
    "vector-wait": tr_later("None of its keys is in the text; its meaning is compared from the next message on."),
    "vector-off": tr_later("None of its keys is in the text, and no embedder is on that could compare meanings."),
    "path": tr_later("{key} looks like a path and is taken as plain text."),
}
_LOGIC = {
    "and-any": tr_later("{key} is there, but one of its secondary keys has to be there too, and none is."),
    "and-all": tr_later("{key} is there, but all of its secondary keys have to be there too; missing: {others}."),
    "not-any": tr_later("{key} is there, but none of its secondary keys may be there, but there is: {others}."),
    "not-all": tr_later("{key} is there, but not all of its secondary keys may be there, but they are."),
}
_NOT_NAMED = {
    "and-all": tr_later("{key} is there, but all of its secondary keys have to be there too."),
    "not-any": tr_later("{key} is there, but none of its secondary keys may be there."),
}
_NOWHERE = {
    "empty": tr_later("It fires, but stands nowhere in the prompt: empty."),
    "no-outlet-name": tr_later("It fires, but stands nowhere in the prompt: no outlet name."),
    "note-off": tr_later("It fires, but stands nowhere in the prompt: note off."),
    "outlet-not-used": tr_later("It fires, but stands nowhere in the prompt: outlet not used."),
}

_NOWHERE_AT_ALL = tr_later("It fires, but stands nowhere in the prompt.")


def _key(detail: Detail) -> str:
    alone, together = _WHERE.get(str(detail.get("where")), _ELSEWHERE)
    key, hit = quoted([detail.get("key", "")]), detail.get("secondary_hit")
    return tr(together if hit else alone, key=key, message=int(detail.get("index", 0)) + 1, others=quoted(hit or ()))


def _no_match(detail: Detail) -> str:
    nearest = detail.get("nearest")
    if not nearest:
        return tr(_NOTHING)
    key = quoted([nearest.get("key", "")])
    if nearest["kind"] == "window":
        return ntr(
            "{key} is {n} message back; only the last {depth} are looked at.",
            "{key} is {n} messages back; only the last {depth} are looked at.",
            nearest["messages_back"],
            key=key,
            depth=nearest["depth"],
        )
    if nearest["kind"] == "vector":
        return tr(
            "None of its keys is in the text, and its meaning is not near enough: {similarity} of {threshold}.",
            similarity=number(nearest["similarity"], 2),
            threshold=short_number(nearest["threshold"]),
        )
    return tr(_NEAREST.get(nearest["kind"], _NOTHING), key=key)


def _vector(detail: Detail) -> str:
    return tr(
        "Its meaning is near what was said: {similarity}, at least {threshold}.",
        similarity=number(detail.get("similarity", 0), 2),
        threshold=short_number(detail.get("threshold", 0)),
    )


def _secondary(detail: Detail) -> str:
    logic, key = str(detail.get("logic")), quoted([detail.get("key", "")])
    named = {"and-all": "secondary_missed", "not-any": "secondary_hit"}.get(logic)
    others = list(detail.get(named, ())) if named else []
    if named and not others:
        return tr(_NOT_NAMED[logic], key=key)
    if logic in _LOGIC:
        return tr(_LOGIC[logic], key=key, others=quoted(others))
    return tr("{key} is there, but its secondary keys do not fit.", key=key)


def _budget(detail: Detail) -> str:
    if "limit_entries" in detail:
        return ntr(
            "Its key is there, but {n} entry is in already, which is the most.",
            "Its key is there, but {n} entries are in already, which is the most.",
            detail["limit_entries"],
        )
    if "gave_way_to" in detail:
        return tr("It was in and made room for {entry}, as its text asks.", entry=detail["gave_way_to"])
    total, limit = detail.get("total", 0), detail.get("limit", 0)
    takers = [f"{name} ({number(tokens)})" for name, tokens in (detail.get("taken_by") or [])[:3]]
    if takers:
        return tr(
            "No room: it would make {total} of {limit} tokens. Most is taken by {takers}.",
            total=total,
            limit=limit,
            takers=", ".join(takers),
        )
    return tr("No room: it would make {total} of {limit} tokens.", total=total, limit=limit)


def _disabled(detail: Detail) -> str:
    if "folder" in detail:
        return tr("Its folder {folder} is switched off.", folder=detail["folder"])
    return tr("It is switched off.")


def _wait(detail: Detail) -> str:
    level, is_open = detail.get("level"), detail.get("open_level")
    return tr("It waits for recursion level {level}; level {open} is open.", level=level, open=is_open)


def _delay(detail: Detail) -> str:
    return ntr(
        "It waits for {n} message; there are {there}.",
        "It waits for {n} messages; there are {there}.",
        detail.get("wanted", 0),
        there=detail.get("messages"),
    )


def _roll(detail: Detail) -> str:
    limit = short_number(detail.get("limit", 0))
    return tr("The dice said {roll}; it needs less than {limit}.", roll=number(detail.get("roll", 0), 0), limit=limit)


def _group(detail: Detail) -> str:
    winner, group = detail.get("to") or detail.get("winner") or detail.get("by"), detail.get("group")
    if winner and group:
        return tr("In its group {group}, {winner} was taken instead.", group=group, winner=winner)
    if winner:
        return tr("In its group, {winner} was taken instead.", winner=winner)
    if group:
        return tr("In its group {group}, another entry was taken instead.", group=group)
    return tr("In its group, another entry was taken instead.")


def _not_inserted(detail: Detail) -> str:
    return tr(_NOWHERE.get(str(detail.get("why")), _NOWHERE_AT_ALL))


def _decorator(detail: Detail) -> str:
    name = detail.get("decorator")
    if "messages" in detail:
        return _spoken(name, int(detail["messages"]))
    if "greeting" in detail and detail["greeting"] is None:
        return tr("Its text says {decorator}; the chat began with no greeting.", decorator=name)
    if "greeting" in detail:
        return tr(
            "Its text says {decorator}; the chat began with greeting {greeting}.",
            decorator=name,
            greeting=detail["greeting"],
        )
    if "missed" in detail:
        keys = quoted(detail["missed"])
        return tr("Its text says {decorator}, and none of them is there: {keys}.", decorator=name, keys=keys)
    if "found" in detail:
        keys = quoted(detail["found"])
        return tr("Its text says {decorator}, and in the text there is: {keys}.", decorator=name, keys=keys)
    return tr("Its text says {decorator}.", decorator=name)


def _spoken(name: object, count: int) -> str:
    if not count:
        return tr("Its text says {decorator}; the character has spoken not yet.", decorator=name)
    return ntr(
        "Its text says {decorator}; the character has spoken once.",
        "Its text says {decorator}; the character has spoken {n} times.",
        count,
        decorator=name,
    )


def _sticky(detail: Detail) -> str:
    if "decorator" in detail:
        return tr("It came in before, and its text says {decorator}.", decorator=detail["decorator"])
    left = detail.get("messages_left", 0)
    return ntr("It stays for {n} more message.", "It stays for {n} more messages.", left)


def _cooldown(detail: Detail) -> str:
    if "decorator" in detail:
        return tr("It came in before, and its text says {decorator}.", decorator=detail["decorator"])
    left = detail.get("messages_left", 0)
    return ntr("It rests for {n} more message.", "It rests for {n} more messages.", left)


def _filtered(detail: Detail) -> str:
    return tr("It is not for this character.") if detail.get("exclude") else tr("It is for other characters.")


def _fixed(text: str) -> Callable[[Detail], str]:
    return lambda _detail: tr(text)


_MAKERS: dict[Reason, Callable[[Detail], str]] = {
    Reason.KEY: _key,
    Reason.VECTOR: _vector,
    Reason.CONSTANT: _fixed(tr_later("It is always in.")),
    Reason.STICKY: _sticky,
    Reason.FORCED: _fixed(tr_later("Something outside the book asked for it.")),
    Reason.DECORATOR: _decorator,
    Reason.DISABLED: _disabled,
    Reason.TRIGGER: _fixed(tr_later("It is for other kinds of answers.")),
    Reason.NAME_FILTER: _filtered,
    Reason.TAG_FILTER: _filtered,
    Reason.DELAY: _delay,
    Reason.COOLDOWN: _cooldown,
    Reason.WAIT_RECURSION: _wait,
    Reason.EXCLUDE_RECURSION: _fixed(tr_later("It does not fire through other entries.")),
    Reason.NO_KEYS: _fixed(tr_later("It has no keys, so nothing can wake it.")),
    Reason.NO_MATCH: _no_match,
    Reason.SECONDARY: _secondary,
    Reason.GROUP_LOST: _group,
    Reason.GROUP_HELD: _group,
    Reason.ROLL: _roll,
    Reason.BUDGET: _budget,
    Reason.NOT_INSERTED: _not_inserted,
}
