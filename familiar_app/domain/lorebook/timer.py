"""Timed effects: entries that stay, rest or wait for a number of messages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.lorebook.prepared import Candidate
from familiar_app.domain.lorebook.rules import Rules
from familiar_app.domain.text import tr

_RELEVANT = (
    "keys",
    "secondary_keys",
    "logic",
    "selective",
    "constant",
    "sticky",
    "cooldown",
    "delay",
)


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect that began when the chat had `start` messages and ends when it has `end`.

    A protected one outlives messages being taken back. `mark` tells a changed entry from the one it was set for.
    """

    start: int
    end: int
    mark: str
    protected: bool = False


@dataclass(frozen=True, slots=True)
class Timers:
    """The timed effects of one chat, by entry."""

    sticky: Mapping[str, Effect] = field(default_factory=dict)
    cooldown: Mapping[str, Effect] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the timers as JSON values."""
        return {
            kind: {key: asdict(effect) for key, effect in effects.items()}
            for kind, effects in (("sticky", self.sticky), ("cooldown", self.cooldown))
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Timers:
        """Read what `to_json` wrote. Raises BadInputError."""
        try:
            sticky, cooldown = (
                {str(key): Effect(**effect) for key, effect in value.get(kind, {}).items()}
                for kind in ("sticky", "cooldown")
            )
        except (TypeError, AttributeError) as error:
            raise BadInputError(tr("these are no lorebook timers."), field="timers") from error
        if not all(
            isinstance(at, int) for one in (*sticky.values(), *cooldown.values()) for at in (one.start, one.end)
        ):
            raise BadInputError(tr("timers have to begin and end at whole numbers."), field="timers")
        return cls(sticky, cooldown)


class Clockwork:
    """The timers at one length of the chat: what is active, and what the accepted entries start."""

    def __init__(self, timers: Timers, timed: Mapping[str, Candidate], length: int, rules: Rules) -> None:
        self._length = length
        self._rules = rules
        self._timed = timed
        self._sticky = dict(timers.sticky)
        self._cooldown = dict(timers.cooldown)
        self.sticky: set[int] = set()
        self.cooldown: set[int] = set()
        self._settle_sticky()
        self._settle_cooldown()

    def delayed(self, candidate: Candidate) -> bool:
        """Tell whether the chat is still too short for the entry."""
        return self._length < candidate.entry.delay

    def left(self, candidate: Candidate, kind: str) -> int:
        """Return for how many more messages an active effect lasts."""
        effects = self._sticky if kind == "sticky" else self._cooldown
        return effects[str(candidate.key)].end - self._length

    def start(self, accepted: Iterable[Candidate]) -> Timers:
        """Return the timers after this evaluation. A running effect is not prolonged."""
        for candidate in accepted:
            key, entry = str(candidate.key), candidate.entry
            if entry.sticky and key not in self._sticky:
                self._sticky[key] = self._effect(candidate, entry.sticky)
            if entry.cooldown and key not in self._cooldown:
                self._cooldown[key] = self._effect(candidate, entry.cooldown)
        return Timers(self._sticky, self._cooldown)

    def _effect(self, candidate: Candidate, messages: int, *, protected: bool = False) -> Effect:
        mark = entry_mark(candidate, whole=self._rules.edits_end_timers)
        return Effect(self._length, self._length + messages, mark, protected)

    def _settle_sticky(self) -> None:
        for key, effect in list(self._sticky.items()):
            candidate = self._running(self._sticky, key, effect)
            if candidate is None:
                continue
            if not candidate.entry.sticky:
                del self._sticky[key]
            elif self._length < effect.end:
                self.sticky.add(candidate.index)
            else:
                del self._sticky[key]
                if candidate.entry.cooldown:
                    self._cooldown[key] = self._effect(candidate, candidate.entry.cooldown, protected=True)

    def _settle_cooldown(self) -> None:
        for key, effect in list(self._cooldown.items()):
            candidate = self._running(self._cooldown, key, effect)
            if candidate is None:
                continue
            if not candidate.entry.cooldown or self._length >= effect.end:
                del self._cooldown[key]
            else:
                self.cooldown.add(candidate.index)

    def _running(self, effects: dict[str, Effect], key: str, effect: Effect) -> Candidate | None:
        """Return the entry of an effect that counts, dropping effects that the chat has gone back behind."""
        if self._length <= effect.start and not effect.protected:
            del effects[key]
            return None
        candidate = self._timed.get(key)
        if candidate is None or entry_mark(candidate, whole=self._rules.edits_end_timers) != effect.mark:
            if self._length >= effect.end:
                del effects[key]
            return None
        return candidate


def entry_mark(candidate: Candidate, *, whole: bool) -> str:
    """Return a short fingerprint of the entry: of everything, or of what decides its activation."""
    values = asdict(candidate.entry)
    if not whole:
        values = {name: values[name] for name in _RELEVANT}
    else:
        values |= {"book": candidate.key.book}
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
