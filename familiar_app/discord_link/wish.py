"""A message that is to be answered on Discord."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from familiar_app.domain.ids import PersonKey, TurnId
from familiar_app.domain.turn import Turn


@dataclass(eq=False, slots=True)
class Wish:
    """A message that is to be answered. With `quote` the answer is shown as a reply to it.

    `instead` is an answer that the new one takes the place of, `stored` an answer that was made and perhaps not sent.
    `ready` is awaited before anything is done. `restart` is set where it was interrupted, `interrupted` times so far.
    """

    turn: TurnId
    message: int
    by: PersonKey
    quote: bool
    cancelled: bool = False
    instead: TurnId | None = None
    stored: Turn | None = None
    ready: Callable[[], Awaitable[None]] | None = None
    restart: bool = False
    interrupted: int = 0

    @property
    def of_old(self) -> bool:
        """Whether it is about an answer that was given before; newer messages do not take its place."""
        return self.instead is not None or self.stored is not None
