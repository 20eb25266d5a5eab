"""Which prompt stands in front: the newest reply each time the panel is opened, until the person chose another one.

Knows nothing of Qt.
"""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.domain.trace import TraceSummary
from familiar_app.domain.variation import UNCHANGED
from familiar_app.ui.prompts.listing import REPLY
from familiar_app.ui.prompts.model import PromptsModel


class Front:
    """Brings the newest reply of a `PromptsModel` to the front, and remembers what must not be taken away."""

    def __init__(self, model: PromptsModel) -> None:
        self._model = model
        self._held = False

    def choose(self, trace: int) -> None:
        """Stay with this prompt; with the newest reply, go on to newer ones as they come."""
        self._held = trace != newest(self._model.list.shown)

    async def bring(self) -> None:
        """Show the newest reply, unless another prompt was chosen or one is being compared or tried."""
        model = self._model
        await model.look()
        wanted = newest(model.list.shown)
        here = model.trace.id if model.trace is not None else None
        busy = model.pair is not None or model.variation != UNCHANGED
        if wanted not in (None, here) and not (here is not None and (self._held or busy)):
            await model.open(wanted)


def newest(shown: Sequence[TraceSummary]) -> int | None:
    """Return the newest reply; where there is none, the newest of all."""
    reply = next((one for one in shown if one.purpose == REPLY), None)
    first = reply or next(iter(shown), None)
    return first.id if first is not None else None
