"""What may differ from the settings when a prompt is only tried out: layers, single items, order, weights, caps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from familiar_app.domain.ranking import Weights

ItemKind = str
ItemKey = tuple[ItemKind, int | str]
"""A kind and an id: `turn`, `fact`, `memory`, `reflection` with a number, `dossier` with a person's key, `lore` with a
book's name and an entry's uid as `book/uid`."""


@dataclass(frozen=True, slots=True)
class Variation:
    """A prompt as it would be with something changed. Without arguments nothing is.

    `without_layers` and `without_items` are left out, `order` is the layers in another order (or other layers),
    `weights` are those of the search in memory, `caps` replace the caps in tokens of layers.
    """

    without_layers: frozenset[str] = frozenset()
    without_items: frozenset[ItemKey] = frozenset()
    order: tuple[str, ...] | None = None
    weights: Weights | None = None
    caps: Mapping[str, int] = field(default_factory=dict)

    def drops(self, kind: ItemKind, number: int | str) -> bool:
        """Tell whether a single item is to be left out."""
        return (kind, number) in self.without_items

    def layers(self, order: tuple[str, ...]) -> tuple[str, ...]:
        """Return the layers that are left of `order`, or of the order that replaces it."""
        chosen = self.order if self.order is not None else order
        return tuple(name for name in chosen if name not in self.without_layers)

    def to_json(self) -> dict[str, Any] | None:
        """Return what a trace says of it, None where nothing is changed."""
        if self == Variation():
            return None
        weights = self.weights
        return {
            "without_layers": sorted(self.without_layers),
            "without_items": [list(item) for item in sorted(self.without_items, key=repr)],
            "order": None if self.order is None else list(self.order),
            "weights": None
            if weights is None
            else {name: getattr(weights, name) for name in Weights.__dataclass_fields__},
            "caps": dict(self.caps),
        }


UNCHANGED = Variation()
