"""The list of models: what is here, what is being fetched, what can be, and an address of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QScrollArea, QWidget

from familiar_app.domain.errors import FamiliarError, OutsideError
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.text import tr, tr_later
from familiar_app.models.network import RefusedByLocalOnlyError, host_of
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.card import card, flowing
from familiar_app.ui.kit.field import LabelledField, line_edit
from familiar_app.ui.kit.label import clear_layout, column, label, line
from familiar_app.ui.kit.model_shelf import GROUPS, ModelRow, ModelShelfModel, fetched_text
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.theme import Theme

SHOW_EVERY_MS = 150
OWN = tr_later("The address of a GGUF file, beginning with https://. Its licence and its quality are yours to judge.")


@dataclass(slots=True)
class _Under:
    """The widgets of a row whose progress is shown."""

    step: QLabel
    bar: QProgressBar


class ModelShelfView(QWidget):
    """Shows a ModelShelfModel.

    `use` is what to do with a model that is here, `use_text` its caption; `allow_network` switches local-only mode off.
    `local_only_changed` follows when it did.
    """

    local_only_changed = Signal()

    def __init__(
        self,
        theme: Theme,
        registry: TaskRegistry,
        model: ModelShelfModel,
        *,
        use: Callable[[ModelRow], object],
        use_text: str,
        allow_network: Callable[[], object],
    ) -> None:
        super().__init__()
        self.model, self._theme, self._use, self.use_text = model, theme, use, use_text
        self._allow_network = allow_network
        self.setAccessibleName(tr("Models"))
        self.notice = Notice(theme)
        self.tasks = Tasks(registry, self, self._failed)
        self._under: dict[str, _Under] = {}
        self._first: dict[str, QWidget] = {}
        self._sure = ""
        self._watched: set[str] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOW_EVERY_MS)
        self._timer.timeout.connect(self._show_progress)
        self._list = column(spacing=12)
        layout = column(spacing=12)
        layout.addWidget(self.notice)
        layout.addLayout(self._list)
        layout.addWidget(self._own_address())
        self.setLayout(layout)
        model.watch(self._heard)
        # A view that is thrown away with a dialog says nothing before.
        self.destroyed.connect(model.close)

    def load(self) -> None:
        """Read the list anew."""
        self.tasks.start(self.model.load, name="models.load", replace=True)

    def stop(self) -> None:
        """Listen no more; downloads go on."""
        self._timer.stop()
        self.model.close()
        self.tasks.cancel_soon()

    # ---- building

    def _own_address(self) -> QFrame:
        made, inside = card()
        self.address = line_edit(placeholder="https://example.com/model.gguf")
        self._address_field = LabelledField(tr("From another address"), self.address, hint=tr(OWN))
        self.address.textChanged.connect(lambda _text: self._address_field.set_wrong(""))
        self.address.returnPressed.connect(self._fetch_address)
        inside.addWidget(self._address_field)
        fetch = button(tr("Fetch"), self._fetch_address)
        fetch.setAccessibleName(tr("Fetch from this address"))
        inside.addWidget(flowing(fetch))
        return made

    def _show_rows(self) -> None:
        focused = next((file for file, first in self._first.items() if _holds_focus(first)), None)
        clear_layout(self._list)
        self._under.clear()
        self._first.clear()
        for heading, states in GROUPS:
            rows = self.model.group(states)
            if rows:
                self._list.addWidget(self._group(tr(heading), rows))
        if focused in self._first:
            # The row was made anew; whoever works by the keyboard stays at its model.
            again = self._first[focused].findChild(QPushButton)
            QTimer.singleShot(0, again, lambda: again.setFocus())

    def _group(self, heading: str, rows: list[ModelRow]) -> QFrame:
        made, inside = card()
        inside.addWidget(label(heading, "strong"))
        for one in rows:
            inside.addWidget(line())
            inside.addWidget(self._row(one))
        return made

    def _row(self, one: ModelRow) -> QWidget:
        made, words = QWidget(), column(spacing=4)
        words.addWidget(label(one.title, wrap=True))
        users = self.model.users_text(one)
        used = tr("Used by {names}.", names=users) if users else ""
        for text, role in ((one.facts, "quiet"), (one.about, "quiet"), (used, "quiet")):
            if text:
                words.addWidget(label(text, role, wrap=True))
        if one.warning:
            role = "danger" if one.state in ("failed", "broken") else "warning"
            words.addWidget(label(one.warning, role, wrap=True, selectable=True))
        if one.state in ("running", "begun"):
            words.addWidget(self._progress(one))
        buttons = self._buttons(one)
        if buttons:
            self._first[one.file] = flowing(*buttons)
            words.addWidget(self._first[one.file])
        made.setLayout(words)
        return made

    def _progress(self, one: ModelRow) -> QWidget:
        holder, inside = QWidget(), column(spacing=4)
        step, bar = label(one.step, "quiet", wrap=True), QProgressBar()
        step.setVisible(bool(one.step))
        bar.setAccessibleName(tr("Fetching {name}", name=one.title))
        bar.setTextVisible(False)
        inside.addWidget(bar)
        inside.addWidget(step)
        holder.setLayout(inside)
        under = _Under(step, bar)
        _show_part(under, one)
        if one.state == "running":
            self._under[one.file] = under
        return holder

    def _buttons(self, one: ModelRow) -> list[QWidget]:
        match one.state:
            case "bundled":
                deeds = [(self.use_text, self._use)]
            case "here":
                deeds = [(self.use_text, self._use), (tr("Delete…"), self._ask_remove)]
            case "broken":
                deeds = [(tr("Delete…"), self._ask_remove)]
            case "running":
                deeds = [(tr("Cancel"), self._cancel)]
            case "failed":
                deeds = [(tr("Try again"), self._fetch), (tr("Discard"), self._remove)]
            case "begun":
                deeds = [(tr("Go on"), self._fetch), (tr("Discard"), self._remove)]
            case _:
                caption = tr("Fetch anyway") if one.file == self._sure else tr("Fetch")
                deeds = [(caption, self._fetch), (tr("Read about it"), self._open_page)]
        made = []
        for caption, deed in deeds:
            one_button = button(caption, partial(deed, one), role="link" if deed == self._open_page else "plain")
            one_button.setAccessibleName(f"{caption}: {one.title}")
            made.append(one_button)
        return made

    # ---- doing

    def _fetch(self, one: ModelRow) -> None:
        self.notice.clear()
        if one.too_large and self._sure != one.file:
            self._sure = one.file
            self._show_rows()
            self._ask(
                tr("{name} needs more memory than this computer has: it would not run here.", name=one.title),
                tr("Fetch anyway"),
                partial(self._fetch, one),
            )
            return
        self._begin(partial(self.model.fetch, one), "" if one.source is None else one.source.host)

    def _fetch_address(self) -> None:
        self.notice.clear()
        host = host_of(self.address.text()) or tr("this address")
        self._begin(partial(self.model.fetch_address, self.address.text()), host, own=True)

    def _begin(self, begin: Callable[[], object], host: str, *, own: bool = False) -> None:
        try:
            begin()
        except RefusedByLocalOnlyError:
            self._ask(
                tr(
                    "Local-only mode is on, so nothing is fetched from {host}. Without it, the program may connect to "
                    "the hosts that you chose until you switch it on again.",
                    host=host,
                ),
                tr("Switch it off and fetch"),
                lambda: self.tasks.start(partial(self._allow, begin, host), name="models.allow"),
            )
        except FamiliarError as error:
            if own:
                self._address_field.set_wrong(str(error))
                self.address.setFocus()
            else:
                self._failed(error, None)
        else:
            self.address.clear()
            self.notice.tell(tr("Connecting to {host}.", host=host)) if host else None

    async def _allow(self, begin: Callable[[], object], host: str) -> None:
        await self._allow_network()
        self.local_only_changed.emit()
        self._begin(begin, host)

    def _ask(self, text: str, step: str, run: Callable[[], object]) -> None:
        """Ask above the list, and bring the question into view where the list scrolls."""
        self.notice.tell(text, "warning", step=step, run=run)
        above = self.notice.parentWidget()
        while above is not None and not isinstance(above, QScrollArea):
            above = above.parentWidget()
        if above is not None:
            QTimer.singleShot(0, above, partial(above.ensureWidgetVisible, self.notice))

    def _cancel(self, one: ModelRow) -> None:
        self.model.library.stop(one.file)

    def _ask_remove(self, one: ModelRow) -> None:
        if users := self.model.users_text(one):
            text = tr("{name} is used by {users}. Choose another model there first.", name=one.title, users=users)
            self.notice.tell(text, "warning")
            return
        text = tr("{name} would be deleted from this computer. It would have to be fetched again.", name=one.title)
        self._ask(text, tr("Delete the file"), partial(self._remove, one))

    def _remove(self, one: ModelRow) -> None:
        self.notice.clear()
        self.tasks.start(partial(self.model.remove, one), name=f"models.remove.{one.file}")

    def _open_page(self, one: ModelRow) -> None:
        if not QDesktopServices.openUrl(QUrl(one.page)):
            step = tr("Open {page} yourself.", page=one.page)
            self._failed(OutsideError(tr("The system could not open the page."), step), None)

    def _failed(self, error: FamiliarError, again: Callable[[], object] | None) -> None:
        self.notice.show_error(error, again)

    # ---- showing

    def _heard(self, what: str) -> None:
        if what == "rows":
            self._show_rows()
        elif what == "changed":
            self._tell_ended()
            self.load()
        elif not self._timer.isActive():
            self._timer.start()

    def _tell_ended(self) -> None:
        library = self.model.library
        for file in self._watched - set(library.running):
            self.notice.clear()
            if file in library.fetched:
                self.notice.tell(fetched_text(library, file), "good")
        self._watched = set(library.running)

    def _show_progress(self) -> None:
        for file, under in self._under.items():
            one = self.model.row(file)
            if one is not None and one.state == "running":
                _show_part(under, one)


def _show_part(under: _Under, one: ModelRow) -> None:
    under.step.setText(one.step)
    # A bar without an end moves for ever; an empty one says as much.
    under.bar.setRange(0, 1000)
    under.bar.setValue(round((one.part or 0) * 1000))


def _holds_focus(widget: QWidget) -> bool:
    focused = widget.window().focusWidget()
    return focused is not None and widget.isAncestorOf(focused)
