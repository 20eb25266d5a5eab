"""The newest turns of a channel as of one moment, and what came after it."""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.context.history_line import is_own
from familiar_app.context.recent_history import place_of
from familiar_app.context.stretch import Stretch
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.turn import Role, Turn
from familiar_app.store.vault import Vault

_LATER = 500


@dataclass(frozen=True, slots=True)
class NewestTurns:
    """Turns oldest first, a pending one included. `later` counts those that came after the moment.

    `answered` tells that the familiar has answered the moment's turn already, `newest` that no person said anything
    after it, and `pending` counts what is not stored.
    """

    turns: tuple[Turn, ...]
    later: int = 0
    answered: bool = False
    newest: bool = True
    pending: int = 0


async def newest_turns(vault: Vault, stretch: Stretch, familiar: FamiliarId, *, count: int) -> NewestTurns:
    """Read the newest `count` turns of persons and familiars of a stretch."""
    until, pending = stretch.until, stretch.pending
    after = await stretch.later(vault, _LATER)
    earlier = await stretch.before(vault, stretch.end, count) if count else []
    # An answer to an earlier turn that was made again belongs where the first one stood.
    moved = [turn for turn in after if until is not None and place_of(turn) < until]
    shown = [turn for turn in (*earlier, *moved) if stretch.shows(turn) and turn.role in (Role.USER, Role.ASSISTANT)]
    turns = [*sorted(shown, key=place_of), *([pending] if pending is not None else [])]
    return NewestTurns(
        turns=tuple(turns[len(turns) - count :] if len(turns) > count else turns),
        later=len(after) - len(moved),
        answered=any(turn.answers == until and is_own(turn, familiar) for turn in after),
        newest=not any(turn.role is Role.USER for turn in after),
        pending=int(pending is not None),
    )
