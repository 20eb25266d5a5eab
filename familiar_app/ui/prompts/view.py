"""Shows the prompts of one familiar: the list at the left, a prompt or a pair in the middle, reasons at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.pane import Panes
from familiar_app.ui.kit.panel import PanelContext, Place
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.prompts.copying import FORMS, Copying
from familiar_app.ui.prompts.front import Front
from familiar_app.ui.prompts.left import Left
from familiar_app.ui.prompts.middle import Middle
from familiar_app.ui.prompts.model import PromptsModel
from familiar_app.ui.prompts.pair import LEFT, RIGHT
from familiar_app.ui.prompts.pair import Side as Pairing
from familiar_app.ui.prompts.pair_view import PairView
from familiar_app.ui.prompts.side import Side
from familiar_app.ui.prompts.source import Source

LOOK_EVERY_MS = 1500
SIZES = (222, 482, 396)


class PromptsView(QWidget):
    """Shows a `PromptsModel`."""

    def __init__(self, model: PromptsModel, context: PanelContext) -> None:
        super().__init__()
        surface(self, 1)
        self.model, self.context, self.front = model, context, Front(model)
        theme = self.theme = context.theme
        self.panes = Panes(model.vault.state, "prompts.panes")
        self._asked: dict[int, Pairing] = {}
        self.notice = Notice(theme)
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        self.left = Left(theme, model.list)
        self.listed = self.left.listed
        self.middle = Middle(theme, model, self.show_first_source)
        self.side = Side(theme, model, self.go, self.can_go)
        self.pair = PairView(theme)
        self._make_head()
        self._lay_out()
        self._connect()
        self._look = QTimer(self)
        self._look.setInterval(LOOK_EVERY_MS)
        self._look.timeout.connect(self.look)
        model.watch(self._heard)

    # ---- making

    def _make_head(self) -> None:
        theme = self.theme
        self.head = PanelHeader(theme, tr("Prompts"))
        self.count = label("", "faint")
        self.head.add(self.count)
        self.compare = icon_button(theme, "compare", tr("Compare with another prompt"), checkable=True)
        self.compare.toggled.connect(self._choose_second)
        self.copying = Copying(theme, self.model, self.context.tell)
        self.head.add_end(self.compare)
        self.head.add_end(self.copying.button)

    def _lay_out(self) -> None:
        self.centre = QStackedWidget()
        self.centre.addWidget(self.middle)
        self.centre.addWidget(self.pair)
        self.across = QSplitter(Qt.Orientation.Horizontal)
        self.across.setChildrenCollapsible(False)
        self.across.setHandleWidth(1)
        for widget in (self.left, self.centre, self.side):
            self.across.addWidget(widget)
        self.panes.keep("across", self.across, [self.theme.px(size) for size in SIZES])
        self.panes.keep("memory", self.side.memory.split, (216, 220, 250))
        self.panes.keep("pair", self.pair.split, (420, 240))
        self.side.setMinimumWidth(self.theme.px(240))
        self.empty = EmptyState(
            self.theme,
            "prompts",
            tr("No prompts yet"),
            tr(
                "Each answer leaves its prompt here: every layer, what memory offered, what was left out and why. "
                "The newest are kept, in the vault."
            ),
            step=tr("Write something"),
            run=lambda: self.context.go_to("chat", ""),
        )
        self.pages = QStackedWidget()
        self.pages.addWidget(self.across)
        self.pages.addWidget(self.empty)
        self.wait = WaitStack(self.theme, self.pages, rows=12)
        told = column(spacing=0)
        told.setContentsMargins(16, 8, 16, 0)
        told.addWidget(self.notice)
        whole = column(spacing=0)
        whole.addWidget(self.head)
        whole.addLayout(told)
        whole.addWidget(self.wait, 1)
        self.setLayout(whole)

    def _connect(self) -> None:
        model = self.model
        self.left.narrowed.connect(model.narrow)
        self.listed.chosen.connect(self._chosen)
        self.listed.beside.connect(self.put_beside)
        self.side.trial.try_wanted.connect(lambda: self.do("try"))
        self.side.questions.why_not.typed.connect(
            lambda text: self.start(lambda: model.search_things(text), "prompts.find", replace=True)
        )
        self.side.questions.why_not.asked.connect(
            lambda kind, number: self.start(lambda: model.ask_why_not(kind, number), "prompts.why", replace=True)
        )
        self.side.questions.audience.asked.connect(
            lambda channel, text: self.start(
                lambda: model.ask_audience(channel, text), "prompts.audience", replace=True
            )
        )
        self.pair.deed.connect(self.do)
        self.pair.whole_wanted.connect(model.show_whole)
        self.pair.ask_wanted.connect(self.ask)
        self.pair.stop_wanted.connect(lambda number: self.tasks.stop(f"prompts.ask.{number}"))

    # ---- what can be done

    def start(self, make, name: str, *, replace: bool = False) -> None:
        """Start something that takes time; its error is shown here."""
        self.tasks.start(make, name=name, replace=replace)

    def load(self) -> None:
        """Read the list; called once, and again after a failure."""
        self.wait.begin(tr("Reading the prompts…"))
        self.start(self._load, "prompts.load")

    async def _load(self) -> None:
        try:
            await self.model.load()
        finally:
            self.wait.end()
        self._look.start()
        self._show_list()
        await self.panes.restore()
        await self.front.bring()

    def come_forward(self) -> None:
        """Show the newest reply; the panel was opened."""
        if self.model.loaded:
            self.start(self.front.bring, "prompts.open", replace=True)

    def look(self) -> None:
        """Look whether a new prompt is there; only while the panel is seen."""
        if self.isVisible() and self.model.loaded:
            self.start(self.model.look, "prompts.look")

    def open_trace(self, trace: int) -> None:
        """Show a prompt, and stay with it."""
        self.notice.clear()
        self.front.choose(trace)
        self.start(lambda: self.model.open(trace), "prompts.open", replace=True)

    def put_beside(self, trace: int) -> None:
        """Compare the open prompt with another one."""
        self.compare.setChecked(False)
        self.start(lambda: self.model.compare_with(trace), "prompts.compare", replace=True)

    def ask(self, number: int) -> None:
        """Ask the model with one side of the pair; one after the other where both are asked."""
        pair = self.model.pair
        if pair is not None and pair.sides[number].answer.state != "asking":
            side = self._asked[number] = pair.sides[number]
            # An answer to a prompt that is no longer shown gives way.
            self.start(lambda: self.model.ask(side), f"prompts.ask.{number}", replace=True)

    def do(self, deed: str) -> None:
        """Do something by its word."""
        model = self.model
        if deed == "ask_both":
            self.ask(LEFT)
            self.ask(RIGHT)
        elif deed == "take_left":
            model.take_left()
        elif deed == "end_pair":
            self.end_pair()
        elif deed == "fold":
            layers = {row.name for row in model.stack.rows}
            model.fold(set() if model.folded else layers)
        elif deed == "compare":
            self.compare.toggle()
        elif deed in ("reason", "memory", "lore", "trial"):
            self.side.turn(deed)
        elif deed == "try":
            self.start(model.try_beside, "prompts.try")
        elif deed == "why_not":
            self.side.turn("questions")
        elif deed == "answers" and model.pair is not None:
            QGuiApplication.clipboard().setText(model.pair.answers_text())
            self.context.tell(tr("Copied."))
        elif deed in FORMS:
            self.copying.copy(deed)

    def end_pair(self) -> None:
        """Go back to one prompt; answers under way are stopped."""
        self.model.end_pair()
        self.listed.setFocus()

    def can_go(self, source: Source) -> bool:
        """Tell whether a source can be shown anywhere."""
        return self.context.has_panel(source.panel)

    def go(self, source: Source) -> None:
        """Show where something came from, in the panel that has it."""
        if source.kind == "turn":
            self.start(lambda: self._go_to_turn(int(source.id)), "prompts.go", replace=True)
        elif self.can_go(source):
            self.context.go_to(source.panel, source.place)
        else:
            self.context.tell(tr("There is no panel for this yet."))

    async def _go_to_turn(self, turn: int) -> None:
        self.context.go_to("chat", await self.model.place_of_turn(turn))

    def show_first_source(self) -> None:
        """Go where the line under the cursor came from."""
        sources = [one for one in self.model.sources() if self.can_go(one)]
        if sources:
            self.go(sources[0])
        else:
            self.context.tell(tr("This line has no place of its own to go to."))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.compare.isChecked():
            self.compare.setChecked(False)
        elif event.key() == Qt.Key.Key_Escape and self.model.pair is not None:
            self.end_pair()
        else:
            super().keyPressEvent(event)

    # ---- hearing

    def _heard(self, what: str) -> None:
        self.middle.heard(what)
        self.side.heard(what)
        if what == "list":
            self._show_list()
        elif what == "opened":
            self._show_opened()
        elif what == "pair":
            self._show_pair()
        elif what == "answer" and self.model.pair is not None:
            self.pair.show_answers(self.model.pair)

    def _show_list(self) -> None:
        lines = self.model.list
        self.pages.setCurrentWidget(self.across if lines.count else self.empty)
        self.count.setText(tr("{n} kept", n=lines.count) if lines.count else "")
        self.left.show_list(self.model.now(), self.model.trace.id if self.model.trace is not None else None)
        self.compare.setEnabled(bool(lines.count))
        self.copying.button.setEnabled(bool(lines.count))

    def _chosen(self, trace: int) -> None:
        if self.compare.isChecked():
            self.put_beside(trace)
        else:
            self.open_trace(trace)

    def _choose_second(self, on: bool) -> None:
        if on:
            self.notice.tell(tr("Choose the other prompt in the list."), step=tr("Cancel"), run=self.compare.toggle)
            self.listed.setFocus()
        else:
            self.notice.clear()
            self.listed.select(self.model.trace.id if self.model.trace is not None else None)

    def _show_opened(self) -> None:
        trace = self.model.trace
        if trace is not None and trace.id is not None:
            self.listed.select(trace.id)
            place = self.model.list.title(trace.channel)
            title = tr("Prompt {number}, {place}", number=str(trace.id), place=place)
            self.context.visit(Place("prompts", str(trace.id), title))
        self._show_pair()

    def _show_pair(self) -> None:
        pair = self.model.pair
        for number, side in self._asked.items():
            if pair is None or pair.sides[number] is not side:
                self.tasks.stop(f"prompts.ask.{number}")
        if pair is not None:
            self.pair.show_pair(pair)
        self.centre.setCurrentWidget(self.pair if pair is not None else self.middle)
        self.left.setVisible(pair is None)
