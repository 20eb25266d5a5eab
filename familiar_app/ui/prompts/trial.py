"""What would have been: the same message with other layers, other items or other weights. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from familiar_app.domain.ranking import Weights
from familiar_app.domain.text import ntr, tr
from familiar_app.domain.variation import ItemKey, Variation
from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.prompts.item_word import item_word, opened


@dataclass(frozen=True, slots=True)
class Choice:
    """A layer in its place, in use or not."""

    name: str
    on: bool = True

    @property
    def title(self) -> str:
        return opened(words(self.name))


class Trial:
    """The choices for one prompt; `fill` begins anew with those it was made with."""

    def __init__(self) -> None:
        self._order: tuple[str, ...] = ()
        self.layers: tuple[Choice, ...] = ()
        self.items: tuple[ItemKey, ...] = ()

    def fill(self, order: Sequence[str]) -> None:
        """Take the layers of another prompt."""
        self._order = tuple(order)
        self.reset()

    def reset(self) -> None:
        """Go back to how the prompt was."""
        self.layers = tuple(Choice(name) for name in self._order)
        self.items = ()

    def switch(self, name: str, on: bool) -> None:
        """Leave a layer out, or take it in again."""
        self.layers = tuple(Choice(one.name, on) if one.name == name else one for one in self.layers)

    def move(self, name: str, step: int) -> int:
        """Move a layer up (-1) or down (1); returns where it stands then."""
        names = [one.name for one in self.layers]
        at = names.index(name)
        to = max(0, min(len(names) - 1, at + step))
        layers = list(self.layers)
        layers.insert(to, layers.pop(at))
        self.layers = tuple(layers)
        return to

    def toggle_item(self, key: ItemKey) -> bool:
        """Leave a single item out, or take it in again; tells whether it is out now."""
        out = key not in self.items
        self.items = (*self.items, key) if out else tuple(one for one in self.items if one != key)
        return out

    def is_out(self, key: ItemKey) -> bool:
        """Tell whether an item is left out."""
        return key in self.items

    def variation(self, weights: Weights | None) -> Variation:
        """Return what is different; `weights` are those moved by hand, None where they are as they were."""
        order = tuple(one.name for one in self.layers)
        return Variation(
            without_layers=frozenset(one.name for one in self.layers if not one.on),
            without_items=frozenset(self.items),
            order=order if order != self._order else None,
            weights=weights,
        )

    def told(self, weights: Weights | None) -> str:
        """Say what is different, as a title."""
        parts = [tr("without {what}", what=words(one.name)) for one in self.layers if not one.on]
        parts += [tr("without {what}", what=item_word(*key)) for key in self.items[:3]]
        if len(self.items) > 3:
            parts.append(ntr("and {n} more", "and {n} more", len(self.items) - 3))
        if tuple(one.name for one in self.layers) != self._order:
            parts.append(tr("other order"))
        if weights is not None:
            parts.append(tr("other weights"))
        return opened(", ".join(parts)) or tr("Nothing changed")
