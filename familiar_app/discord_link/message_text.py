"""Turns what stands in a message on Discord into words: mentions, emoji, times, and what is attached to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from familiar_app.discord_link.name import safe_name

_MAX_ATTACHMENT_CHARS = 2000
_MAX_PREVIEW_CHARS = 300
_MARKUP = re.compile(
    r"<@!?(?P<person>\d{1,20})>|<@&(?P<role>\d{1,20})>|<#(?P<channel>\d{1,20})>|<a?:(?P<emoji>\w{1,64}):\d{1,20}>"
    r"|<t:(?P<time>-?\d{1,13})(?::[tTdDfFsSR])?>|</(?P<command>[^<>:\n]{1,100}):\d{1,20}>|<id:(?P<page>\w{1,20})>"
)


@dataclass(frozen=True, slots=True)
class Labels:
    """What numbers in a message stand for, as far as it is known."""

    people: Mapping[int, str] = field(default_factory=dict)
    roles: Mapping[int, str] = field(default_factory=dict)
    channels: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Extra:
    """Something beside the words of a message."""

    kind: str
    name: str = ""
    detail: str = ""


def readable(content: str, labels: Labels) -> str:
    """Return the words of a message with everything in angle brackets spelled out."""
    words: dict[str, Callable[[str], str]] = {
        "person": lambda number: f"@{_label(labels.people, number, 'somebody')}",
        "role": lambda number: f"@{_label(labels.roles, number, 'a role')}",
        "channel": lambda number: f"#{_label(labels.channels, number, 'a channel')}",
        "emoji": lambda name: f":{name}:",
        "time": _moment,
        "command": lambda name: f"/{name}",
        "page": lambda name: f"#{name}",
    }

    def spell(match: re.Match[str]) -> str:
        kind = match.lastgroup or ""
        return words[kind](match[kind])

    return _MARKUP.sub(spell, content)


def unmarked(content: str) -> str:
    """Return the words of a message without anything in angle brackets."""
    return _MARKUP.sub(" ", content)


def described(extras: Iterable[Extra]) -> str | None:
    """Return what came with a message as one line; None where nothing did."""
    lines = [text for extra in extras if (text := _describe(extra))]
    return "; ".join(lines)[:_MAX_ATTACHMENT_CHARS] or None


def _describe(extra: Extra) -> str:
    name, detail = _one_line(extra.name), _one_line(extra.detail)
    words = f"{name}: {detail}" if name and detail else name or detail
    return f"{extra.kind} {words}".strip() if words or extra.kind != "link" else ""


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_PREVIEW_CHARS else f"{line[:_MAX_PREVIEW_CHARS].rstrip()}…"


def _label(labels: Mapping[int, str], number: str, unknown: str) -> str:
    return safe_name(labels.get(int(number), "")) or unknown


def _moment(seconds: str) -> str:
    try:
        return f"{datetime.fromtimestamp(int(seconds), UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError, OSError):
        return "some time"
