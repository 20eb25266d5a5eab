"""What the owner decides about people: each is done at once, told, and can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from familiar_app.domain.ids import PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.text import tr
from familiar_app.store.person_count import PersonRow
from familiar_app.ui.kit.panel import OfferUndo
from familiar_app.ui.people.model import PeopleModel
from familiar_app.ui.people.word import SHORT_LEVELS

Act = Callable[[], Coroutine[Any, Any, None]]
Start = Callable[[Act], object]


class PeopleDeeds:
    """Acts through the model; `start` runs a coroutine and reads the list anew after it."""

    def __init__(self, model: PeopleModel, start: Start, offer_undo: OfferUndo) -> None:
        self._model, self._start, self._offer_undo = model, start, offer_undo

    def set_privacy(self, row: PersonRow, level: PrivacyLevel) -> None:
        """Set how much may be kept of somebody, of all their identities."""
        if level is row.privacy:
            return

        async def act() -> None:
            await self._model.set_levels(dict.fromkeys(row.identities, level))

        async def first() -> None:
            before = await self._model.own_levels(row)
            await act()
            text = tr("Kept of {name}: {what}.", name=row.label, what=tr(SHORT_LEVELS[level]))
            self._offer(text, lambda: self._model.set_levels(before), act)

        self._start(first)

    def merge(self, rows: Sequence[PersonRow], kept: PersonKey) -> None:
        """Let people count as one of them."""
        others = [row.key for row in rows if row.key != kept]
        label = next(row.label for row in rows if row.key == kept)

        async def act() -> None:
            await self._model.merge(others, kept)
            self._model.choose([kept])

        async def back() -> None:
            await self._model.part(others)
            self._model.choose([kept, *others])

        async def first() -> None:
            await act()
            self._offer(tr("They count as {name} now.", name=label), back, act)

        self._start(first)

    def part(self, alias: PersonKey) -> None:
        """Let a merged identity stand for itself again."""

        async def act() -> None:
            await self._model.part([alias])

        async def first() -> None:
            before = await self._model.part([alias])
            text = tr("{name} stands for itself again.", name=alias)
            self._offer(text, lambda: self._model.merge([alias], before), act)

        self._start(first)

    def _offer(self, text: str, back: Act, again: Act) -> None:
        self._offer_undo(text, lambda: self._start(back), lambda: self._start(again))
