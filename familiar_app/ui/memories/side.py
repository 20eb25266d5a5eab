"""One memory beside the table: what it says, about whom, who taught it, from which message, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from familiar_app.domain.saved_memory.memory import SavedMemory
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.saved_memory import MemoryHistory
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.chip import ChipButton
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label, line, surface
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.memories.model import MemoriesModel
from familiar_app.ui.memories.word import cause_text, future_text, state_text

DEEDS = (
    ("edit", tr_later("Edit…"), "F2"),
    ("protect", tr_later("Protect"), "P"),
    ("unprotect", tr_later("Do not protect"), "U"),
    ("tag", tr_later("Tag…"), "T"),
    ("move", tr_later("Move…"), "M"),
    ("retire", tr_later("Retire"), "Del"),
    ("restore", tr_later("Restore"), "R"),
)
_PREVIEW_CHARS = 90
_MOST_STATES = 12


class MemoryPage(QScrollArea):
    """A column in the order of every side view."""

    def __init__(
        self,
        model: MemoriesModel,
        history: MemoryHistory,
        context: PanelContext,
        do: Callable[[str], object],
        can: Callable[[str, SavedMemory], bool],
    ) -> None:
        super().__init__()
        self._model, self._context = model, context
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Details of the memory"))
        inside = surface(QWidget(), 2)
        self._column: QVBoxLayout = column(margins=16, spacing=8)
        inside.setLayout(self._column)
        self.setWidget(inside)
        memory = history.memory
        self._say(memory)
        self._actions(memory, do, can)
        self._column.addWidget(line())
        self._source(history)
        self._column.addWidget(line())
        self._life(history)
        self._column.addStretch(1)

    def _say(self, memory: SavedMemory) -> None:
        model, add = self._model, self._column.addWidget
        add(label(state_text(memory, model.now(), model.decay), "strong", wrap=True))
        add(label(model.names.text(memory), wrap=True, selectable=True))
        add(label(tr("About {name}", name=model.names.place(memory.place)), "quiet", wrap=True))
        tags = ", ".join(model.tags_of(memory))
        if tags:
            add(label(tr("Tags: {tags}", tags=tags), "quiet", wrap=True))
        add(label(tr("The familiar knows it as [id:{id}].", id=str(memory.id)), "faint", wrap=True))

    def _actions(
        self, memory: SavedMemory, do: Callable[[str], object], can: Callable[[str, SavedMemory], bool]
    ) -> None:
        holder = QWidget()
        flow = FlowLayout(holder, spacing=8)
        for word, title, _key in DEEDS:
            if can(word, memory):
                flow.addWidget(button(tr(title), lambda word=word: do(word)))
        self._column.addWidget(holder)

    def _source(self, history: MemoryHistory) -> None:
        names, add, memory = self._model.names, self._column.addWidget, history.memory
        add(label(tr("Where it comes from"), "strong"))
        by, when = names.person(memory.taught_by), names.when(memory.created_at)
        add(label(tr("Taught by {name}, {when}", name=by, when=when), wrap=True))
        turn = history.source
        if turn is None:
            add(label(tr("It was written down by hand, or the message is gone."), "faint", wrap=True))
            return
        speaker = turn.author.name if turn.author is not None else names.char
        said = tr("deleted") if turn.deleted else " ".join(turn.content.split())
        short = said if len(said) <= _PREVIEW_CHARS else said[: _PREVIEW_CHARS - 1] + "…"
        add(ChipButton(f"{speaker}: {short}", lambda: self._context.go_to("chat", f"{turn.channel}:{turn.id}")))

    def _life(self, history: MemoryHistory) -> None:
        model, add, memory = self._model, self._column.addWidget, history.memory
        add(label(tr("What becomes of it"), "strong"))
        add(label(future_text(memory, model.now(), model.decay, model.names), wrap=True))
        back = model.names.when(memory.last_reinforced_at)
        add(label(tr("Last brought back: {when}", when=back), "quiet", wrap=True))
        add(label(tr("What it was"), "strong"))
        for state in reversed(history.states[-_MOST_STATES:]):
            add(
                label(
                    f"{model.names.when(state.at)}: {cause_text(state.cause, retired=state.retired)}",
                    "quiet",
                    wrap=True,
                )
            )
            if state.content != memory.content:
                add(label(state.content, "faint", wrap=True, selectable=True))
