"""Back and forward over everything visited. Knows no Qt."""

from __future__ import annotations

from familiar_app.ui.kit.panel import Place

LONGEST = 200


class History:
    """Places in the order of visits and where the person stands among them."""

    def __init__(self) -> None:
        self._places: list[Place] = []
        self._at = -1

    @property
    def current(self) -> Place | None:
        return self._places[self._at] if self._places else None

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at < len(self._places) - 1

    def visit(self, place: Place) -> None:
        """Add a place after the current one; what lay ahead is dropped. The same place twice counts once."""
        if (here := self.current) is not None and (here.panel, here.key) == (place.panel, place.key):
            self._places[self._at] = place
            return
        self._places = [*self._places[: self._at + 1], place][-LONGEST:]
        self._at = len(self._places) - 1

    def back(self) -> Place | None:
        """Step back and return the place, None at the beginning."""
        if not self.can_go_back:
            return None
        self._at -= 1
        return self.current

    def forward(self) -> Place | None:
        """Step forward and return the place, None at the end."""
        if not self.can_go_forward:
            return None
        self._at += 1
        return self.current
