"""What a trace says was left out, and why, in the person's language.

A trace is kept, so it is written as the source says it; whoever shows it puts it into words here.
"""

from __future__ import annotations

import re

from familiar_app.domain.text import ntr, tr, tr_later

_THINGS = tuple(
    (re.compile(form), text)
    for form, text in (
        (r"turns (?P<first>\d+) to (?P<last>\d+)", tr_later("turns {first} to {last}")),
        (r"all turns up to (?P<last>\d+)", tr_later("all turns up to {last}")),
        (r"end of turn (?P<number>\d+)", tr_later("end of turn {number}")),
        (r"end of (?P<name>\S+)", tr_later("end of {name}")),
        (r"entries among the turns", tr_later("entries among the turns")),
        (r"unread of (?P<name>.+)", tr_later("unread of {name}")),
        (r"dossier (?P<name>.+)", tr_later("dossier {name}")),
        (r"reflection (?P<number>\d+)", tr_later("reflection {number}")),
        (r"memory (?P<number>\d+)", tr_later("memory {number}")),
        (r"fact (?P<number>\d+)", tr_later("fact {number}")),
        (r"turn (?P<number>\d+)", tr_later("turn {number}")),
    )
)
_BETWEEN = re.compile(r"(?<=[.!?]) ")
_MISSING = re.compile(r"searched without the (\d+) oldest turns: they are not indexed yet")


def left_out_text(what: str) -> str:
    """Name a thing that a layer left out; what no rule knows stays as it is."""
    for form, text in _THINGS:
        found = form.fullmatch(what)
        if found is not None:
            return tr(text, **found.groupdict())
    return what


def reason_text(reason: str) -> str:
    """Say why it was left out, or what a prompt was made without; several reasons stand behind each other."""
    whole = tr(reason)
    if whole != reason:
        return whole
    return "; ".join(_single(one) for one in reason.split("; "))


def error_text(kept: str) -> str:
    """Say an error that was kept; a sentence that is not known by itself, since it has a name or number in it, stays.

    What an error says and what can be done about it stand behind each other, each in one sentence or more.
    """
    sentences, said = _BETWEEN.split(kept), []
    while sentences:
        for count in range(len(sentences), 0, -1):
            piece = " ".join(sentences[:count])
            if count == 1 or tr(piece) != piece:
                said.append(tr(piece))
                del sentences[:count]
                break
    return " ".join(said)


def _single(reason: str) -> str:
    found = _MISSING.fullmatch(reason)
    if found is None:
        return tr(reason)
    return ntr(
        "searched without the {n} oldest turn: it is not indexed yet",
        "searched without the {n} oldest turns: they are not indexed yet",
        int(found[1]),
    )
