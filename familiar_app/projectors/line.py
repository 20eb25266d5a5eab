"""Writes turns and facts as projectors show them to a model: verbatim, with their ids, and nobody can forge one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from familiar_app.domain.clock import format_time
from familiar_app.domain.fact import Fact
from familiar_app.domain.fact_render import render
from familiar_app.domain.ids import PersonKey, ego_key
from familiar_app.domain.speech import clean_name, clean_text
from familiar_app.domain.turn import Role, Turn

# A line within somebody's words that looks like the beginning of another turn or fact is shown as a quotation.
_FORGED = re.compile(r"^(?=\W*[TF]\s*#\s*\d)", re.MULTILINE)
# Through these a person speaks, although Discord calls what brings their words a bot.
_PROXIES = ("proxy:", "pk:")


def machine_of(turn: Turn) -> PersonKey | None:
    """Return the key of a familiar or a bot that said a turn, None where a person did (through whatever program)."""
    if turn.role is Role.ASSISTANT and turn.familiar is not None:
        return ego_key(turn.familiar)
    is_bot = turn.author is not None and turn.author.bot and not turn.author.key.startswith(_PROXIES)
    return turn.author.key if turn.author is not None and is_bot else None


def turn_line(turn: Turn, people: Mapping[PersonKey, str], ego: PersonKey) -> str:
    """Return a turn as `[T#12 2024-05-01T12:00:00Z local:main | Ann (discord:1)] text`, for the familiar `ego`."""
    body = _harmless(turn.content)
    if turn.attachments:
        body = f"{body}\n(attached: {_harmless(turn.attachments)})".strip()
    return f"[T#{turn.id} {format_time(turn.at)} {clean_name(turn.channel_key)} | {_speaker(turn, people, ego)}] {body}"


def fact_line(fact: Fact, labels: Mapping[PersonKey, str], claimants: Sequence[str] = ()) -> str:
    """Return a fact as `[F#7 since 2024-05-01, importance 8, as told by Ben] text`."""
    about = [f"F#{fact.id}"]
    if fact.valid.since is not None:
        about.append(f"since {fact.valid.since:%Y-%m-%d}")
    if fact.valid.until is not None:
        about.append(f"until {fact.valid.until:%Y-%m-%d}")
    if fact.importance is not None:
        about.append(f"importance {fact.importance}")
    if claimants:
        about.append(f"as told by {', '.join(clean_name(name) for name in claimants)}")
    return f"[{about[0]}{' ' if about[1:] else ''}{', '.join(about[1:])}] {_harmless(render(fact, labels))}"


def people_lines(people: Mapping[PersonKey, str]) -> str:
    """Return the manifest: a key and a name a line."""
    return "\n".join(f"{key} = {clean_name(name) or key}" for key, name in people.items())


def _speaker(turn: Turn, people: Mapping[PersonKey, str], ego: PersonKey) -> str:
    if turn.role is Role.TOOL:
        return "a tool"
    if turn.author is None:
        return "a note" if turn.role is Role.SYSTEM else "somebody"
    name = clean_name(people.get(turn.author.key, turn.author.name)) or "somebody"
    is_bot = turn.author.bot or machine_of(turn) not in (None, ego)
    return f"{name} ({clean_name(turn.author.key)}{', a bot' if is_bot else ''})"


def _harmless(text: str) -> str:
    return _FORGED.sub("> ", clean_text(text).strip())
