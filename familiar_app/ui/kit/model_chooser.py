"""The choice of a model: the bundled one, a GGUF file or an endpoint, with a test that really asks it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QWidget

from familiar_app.domain.chat import ModelInfo
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.dialog import choose_file
from familiar_app.ui.kit.field import LabelledField, PasswordField, line_edit
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import clear_layout, column, label, row, set_role
from familiar_app.ui.kit.model_choice import Kind, ModelChoice
from familiar_app.ui.kit.model_shelf import ModelRow, ModelShelfModel
from familiar_app.ui.kit.model_shelf_view import ModelShelfView
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.parts import FoundServer, WindowParts
from familiar_app.ui.kit.task import Tasks

_KINDS: tuple[tuple[Kind, str, str], ...] = (
    (
        "bundled",
        tr_later("The model that comes with the program"),
        tr_later(
            "SmolLM2, 135 million parameters. Works at once, without account or network, but it is weak: it loses the "
            "thread and makes things up. Good for a first look; choose another whenever you like."
        ),
    ),
    (
        "gguf",
        tr_later("A model file on this computer"),
        tr_later(
            "A GGUF file, run here by llama.cpp. Nothing leaves this computer. From about 7 billion parameters on, "
            "a familiar becomes good company."
        ),
    ),
    (
        "openai",
        tr_later("An endpoint"),
        tr_later("Any OpenAI-compatible server: Ollama, LM Studio or KoboldCpp on this computer, or a hosted service."),
    ),
)
_HERE = tr_later("It answers, on this computer: {name}, {n} tokens of context.")
_THERE = tr_later("It answers, at another computer: {name}, {n} tokens of context.")


class ModelChooser(QWidget):
    """Edits a ModelChoice. `changed` follows every change of it; `network_allowed` that local-only mode was left."""

    changed = Signal()
    network_allowed = Signal()

    def __init__(
        self,
        parts: WindowParts,
        choice: ModelChoice,
        *,
        local_only: Callable[[], bool] = lambda: False,
        stored_key: Callable[[], Awaitable[str | None]] | None = None,
    ) -> None:
        super().__init__()
        self.choice = choice
        self._parts, self._local_only, self._stored_key = parts, local_only, stored_key
        self.notice = Notice(parts.theme)
        self._tasks = Tasks(parts.tasks, self, self._failed)
        self._searched = False
        self._shelf: ModelShelfView | None = None
        layout = column(spacing=4)
        self._radios: dict[Kind, QRadioButton] = {}
        self._group = QButtonGroup(self)
        details = {"gguf": self._make_file(), "openai": self._make_endpoint(), "bundled": None}
        self._details: dict[Kind, QWidget | None] = details
        for kind, title, text in _KINDS:
            self._add_kind(layout, kind, tr(title), tr(text))
        layout.addSpacing(8)
        layout.addLayout(self._make_test())
        layout.addSpacing(4)
        layout.addWidget(self.notice)
        self.setLayout(layout)
        self._show_kind()

    def check(self) -> bool:
        """Mark the field that can't stay so and put the focus there; True where all is well."""
        problem = self.choice.problem()
        for name, field in self._fields.items():
            field.set_wrong(problem[1] if problem is not None and problem[0] == name else "")
        if problem is not None:
            self._fields[problem[0]].inner.setFocus()
        return problem is None

    def focus(self) -> None:
        self._radios[self.choice.kind if self.choice.kind in self._radios else "bundled"].setFocus()

    def stop(self) -> None:
        """End a test that is still running. What is being fetched goes on."""
        self._tasks.cancel_soon()
        if self._shelf is not None:
            self._shelf.stop()

    def _add_kind(self, layout, kind: Kind, title: str, text: str) -> None:
        radio = QRadioButton(title)
        radio.setAccessibleDescription(text)
        radio.setChecked(kind == self.choice.kind)
        radio.toggled.connect(lambda on, chosen=kind: self._set(kind=chosen) if on else None)
        self._group.addButton(radio)
        self._radios[kind] = radio
        layout.addWidget(radio)
        inside = column(spacing=8)
        inside.setContentsMargins(self._parts.theme.px(16) + 14, 0, 0, 8)
        inside.addWidget(label(text, "quiet", wrap=True))
        if (detail := self._details[kind]) is not None:
            inside.addWidget(detail)
        layout.addLayout(inside)

    def _make_file(self) -> QWidget:
        self._file = line_edit(self.choice.file if self.choice.kind == "gguf" else "", placeholder="model.gguf")
        self._file.textChanged.connect(lambda text: self._set(file=text))
        field = LabelledField(tr("File"), self._file)
        holder = QWidget()
        line = row()
        line.addWidget(field, 1)
        browse = button(tr("Choose…"), lambda: self._tasks.start(self._browse, name="model.browse"))
        browse.setAccessibleName(tr("Choose the model file"))
        lower = column(spacing=0)
        lower.addSpacing(self._parts.theme.px(21))
        lower.addWidget(browse)
        lower.addStretch(1)
        line.addLayout(lower)
        self._fetch = button(tr("Show models to fetch"), self._toggle_shelf, role="link")
        below = row(spacing=0)
        below.addWidget(self._fetch)
        below.addStretch(1)
        self._file_part = column(spacing=8)
        self._file_part.addLayout(line)
        self._file_part.addLayout(below)
        holder.setLayout(self._file_part)
        self._fields = {"file": field}
        return holder

    def _toggle_shelf(self) -> None:
        """Show or hide the models that are here and those that can be fetched."""
        if self._shelf is None:
            self._shelf = ModelShelfView(
                self._parts.theme,
                self._parts.tasks,
                ModelShelfModel(self._parts.models),
                use=self._use,
                use_text=tr("Choose"),
                allow_network=partial(self._parts.gate.set_local_only, False),
            )
            self._shelf.hide()
            self._shelf.local_only_changed.connect(self.network_allowed)
            self._file_part.addWidget(self._shelf)
        shown = self._shelf.isHidden()
        self._shelf.setVisible(shown)
        if shown:
            self._shelf.load()
        self._fetch.setText(tr("Hide models to fetch") if shown else tr("Show models to fetch"))
        self._fetch.setAccessibleName(self._fetch.text())

    def _use(self, one: ModelRow) -> None:
        if one.state == "bundled":
            self._radios["bundled"].setChecked(True)
            self._radios["bundled"].setFocus()
            return
        self._file.setText(str(self._parts.models.shelf.path_of(one.file)))
        self._file.setFocus()

    def _make_endpoint(self) -> QWidget:
        self._url = line_edit(self.choice.url, placeholder="http://127.0.0.1:11434/v1")
        self._model = line_edit(self.choice.model, placeholder="llama3.1:8b")
        self._key = PasswordField(self._parts.theme, tr("Key"))
        self._url.textChanged.connect(lambda text: self._set(url=text))
        self._model.textChanged.connect(lambda text: self._set(model=text))
        self._key.textChanged.connect(lambda text: self._set(key=text))
        key_hint = tr("Only if the endpoint asks for one. It is kept encrypted in the vault.")
        self._leaves = label("", "warning", wrap=True)
        self._found_text = label("", "faint")
        self._found = FlowLayout(spacing=8)
        holder = QWidget()
        layout = column(spacing=8)
        layout.addWidget(self._found_text)
        layout.addLayout(self._found)
        self._fields |= {
            "url": LabelledField(tr("Address"), self._url),
            "model": LabelledField(tr("Model"), self._model),
        }
        layout.addWidget(self._fields["url"])
        layout.addWidget(self._fields["model"])
        layout.addWidget(LabelledField(tr("Key"), self._key, hint=key_hint))
        layout.addWidget(self._leaves)
        holder.setLayout(layout)
        return holder

    def _make_test(self):
        self._test_button = button(tr("Test the model"), lambda: self._tasks.start(self._test, name="model.test"))
        self._cancel = button(tr("Cancel"), lambda: self._tasks.stop("model.test"), role="link")
        self._cancel.hide()
        self._outcome = label("", wrap=True)
        line = row()
        line.addWidget(self._test_button)
        line.addWidget(self._cancel)
        line.addWidget(self._outcome, 1)
        return line

    def _set(self, **values: str) -> None:
        for name, value in values.items():
            setattr(self.choice, name, value)
        self._outcome.setText("")
        self.notice.clear()
        for name in values:
            if name in self._fields:
                self._fields[name].set_wrong("")
        self._show_kind()
        self.changed.emit()

    def _show_kind(self) -> None:
        for kind, detail in self._details.items():
            if detail is not None:
                detail.setVisible(kind == self.choice.kind)
        if self.choice.kind == "openai":
            self._show_leaves()
            if not self._searched:
                self._searched = True
                self._tasks.start(self._find, name="model.find")

    def _show_leaves(self) -> None:
        self._leaves.setVisible(bool(self.choice.url.strip()) and self.choice.leaves())
        self._leaves.setText(
            tr(
                "{host} is another computer: everything that is said to your familiar, and its memories that fit, is "
                "sent there. Local-only mode has to be off for it.",
                host=self.choice.host,
            )
        )

    async def _browse(self) -> None:
        file = await choose_file(self, tr("Choose a model file"), filters=[tr("Models (*.gguf)"), tr("All files (*)")])
        if file is not None:
            self._file.setText(str(file))

    async def _find(self) -> None:
        self._found_text.setText(tr("Looking for servers on this computer…"))
        servers = await self._parts.find_servers()
        self._show_found(servers)

    def _show_found(self, servers: Sequence[FoundServer]) -> None:
        clear_layout(self._found)
        found, none = tr("Found on this computer:"), tr("No server answers on this computer now.")
        self._found_text.setText(found if servers else none)
        for server in servers:
            for model in list(server.models)[:8]:
                made = button(f"{server.kind}: {model}", lambda s=server, m=model: self._take(s, m))
                self._found.addWidget(made)

    def _take(self, server: FoundServer, model: str) -> None:
        self._url.setText(server.base_url)
        self._model.setText(model)
        self._test_button.setFocus()

    async def _test(self) -> None:
        if not self.check():
            return
        self._asking(True)
        try:
            key = self.choice.key or (await self._stored_key() if self._stored_key is not None else None)
            info = await self._parts.test_model(self.choice.spec(), key, self._local_only())
            self._worked(info)
        finally:
            self._asking(False)

    def _asking(self, on: bool) -> None:
        self._test_button.setEnabled(not on)
        self._cancel.setVisible(on)
        self.notice.clear()
        if on:
            self._say(tr("Asking the model…"), "quiet")
        elif self._outcome.property("role") == "quiet":
            self._say("", "quiet")

    def _worked(self, info: ModelInfo) -> None:
        self._say(tr(_HERE if info.local else _THERE, name=info.name, n=info.context_tokens), "good")

    def _say(self, text: str, role: str) -> None:
        self._outcome.setText(text)
        set_role(self._outcome, role)

    def _failed(self, error, again) -> None:
        self._asking(False)
        self.notice.show_error(error, again)
