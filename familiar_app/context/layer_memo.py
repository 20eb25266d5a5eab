"""Remembers what layers built, by name and key, so that a layer is built again only when its key changes."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass

from familiar_app.context.layer import Layer, LayerContext


@dataclass(frozen=True, slots=True)
class BuiltLayer:
    """A layer's whole text, before any budget. `ms` is the time for its key and, where it was built, its text."""

    name: str
    key: str
    cached: bool
    text: str
    ms: float


class LayerMemo:
    """A bounded memory of texts, the longest unused one forgotten first."""

    def __init__(self, size: int = 64) -> None:
        self._size = size
        self._texts: OrderedDict[tuple[str, str], str] = OrderedDict()

    async def build(self, layer: Layer, ctx: LayerContext) -> BuiltLayer:
        """Return the layer's text, from memory where its key is known."""
        started = time.perf_counter()
        key = await layer.invalidation_key(ctx)
        known = self._texts.get((layer.name, key))
        text = known if known is not None else await layer.build(ctx)
        self._keep((layer.name, key), text)
        ms = (time.perf_counter() - started) * 1000
        return BuiltLayer(layer.name, key, known is not None, text.strip(), ms)

    def seen(self, name: str, key: str) -> bool:
        """Tell whether this key came up before, and remember that it has now."""
        known = (name, key) in self._texts
        self._keep((name, key), "")
        return known

    def _keep(self, place: tuple[str, str], text: str) -> None:
        self._texts[place] = text
        self._texts.move_to_end(place)
        while len(self._texts) > self._size:
            self._texts.popitem(last=False)
