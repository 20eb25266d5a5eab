"""How the room of a prompt is shared among its sections when not everything fits.

The rule, in order:

1. The answer is set aside first: its configured length, but at most half of the model's context.
2. Each section may have what it needs, up to its cap.
3. Where that is more than the room, *elastic* sections (the recent history) give way first, down to half of the room.
4. Where that is not enough, the other sections shrink in proportion to their caps. What a section leaves of its share
   goes to the others. The same is done among several elastic sections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A section that asks for room: `need` and `cap` in tokens."""

    name: str
    need: int
    cap: int
    elastic: bool = False

    @property
    def want(self) -> int:
        """What it would take if there were room without end."""
        return max(0, min(self.need, self.cap))


def answer_tokens(context_tokens: int, max_answer_tokens: int) -> int:
    """Return what is set aside for the answer."""
    return max(1, min(max_answer_tokens, context_tokens // 2))


def allot(sections: Sequence[Section], room: int) -> dict[str, int]:
    """Share `room` tokens; no section gets more than its need or its cap, and none is left idle while one is short."""
    room = max(0, room)
    firm = [section for section in sections if not section.elastic]
    elastic = [section for section in sections if section.elastic]
    firm_want, elastic_want = sum(s.want for s in firm), sum(s.want for s in elastic)
    elastic_room = max(room - firm_want, min(elastic_want, room // 2))
    shares = _fill(firm, room - min(elastic_want, elastic_room))
    return shares | _fill(elastic, room - sum(shares.values()))


def _fill(sections: Sequence[Section], room: int) -> dict[str, int]:
    """Share `room` in proportion to the caps, giving on what a section does not need."""
    shares: dict[str, int] = {section.name: 0 for section in sections}
    short = [section for section in sections if section.want > 0]
    while short:
        caps = sum(section.cap for section in short)
        sated = [section for section in short if section.want * caps <= room * section.cap]
        if not sated:
            break
        for section in sated:
            shares[section.name] = section.want
            room -= section.want
        short = [section for section in short if section not in sated]
    caps = sum(section.cap for section in short)
    for section in short:
        share = min(section.want, room * section.cap // caps)
        shares[section.name] = share
        room -= share
        caps -= section.cap
    return shares


def stable_start(places: Sequence[float], costs: Sequence[int], room: int, step: int) -> int:
    """Return the index of the first turn to show, so that the shown ones cost at most `room`.

    Turns leave in blocks: the shown part begins where the places pass a multiple of `step`, so that it begins with the
    same turn for a while. `places` ascend; most often they are turn ids. A block that would cost more than a quarter of
    the room is halved until it does not.
    Returns `len(places)` where not even the newest turn fits.
    """
    start, left = len(places), room
    while start > 0 and costs[start - 1] <= left:
        start -= 1
        left -= costs[start]
    if start == 0 or start == len(places):
        return start
    while step > 1:
        lost, index = 0, start
        while index < len(places) and places[index] // step == places[index - 1] // step:
            lost += costs[index]
            index += 1
        if index < len(places) and lost * 4 <= room:
            return index
        step //= 2
    return start
