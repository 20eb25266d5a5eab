"""The form of the character panel: one field below the other, each with its tokens."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from familiar_app.domain.text import ntr, tr
from familiar_app.ui.character.field import FIELDS, GREETINGS_AFTER, Field, text_of
from familiar_app.ui.character.model import CharacterModel
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import clear_layout, column, label, row
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.theme import Theme


class TextField(QPlainTextEdit):
    """Several lines of text; grows with what is in it, between `lines` and three times that."""

    def __init__(self, lines: int) -> None:
        super().__init__()
        self._lines = lines
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.textChanged.connect(self._fit)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(300, self._height())

    def _height(self) -> int:
        lines = min(self._lines * 3, max(self._lines, int(self.document().size().height())))
        return int(lines * self.fontMetrics().lineSpacing() + 2 * self.document().documentMargin() + 14)

    def _fit(self) -> None:
        if self.minimumHeight() != self._height():
            self.setFixedHeight(self._height())

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        self._fit()

    def wheelEvent(self, event) -> None:
        # The wheel moves the form, unless the person is inside this field.
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class FieldRow(QWidget):
    """A field with its title, its tokens at the right, and a hint below."""

    def __init__(self, field: Field, changed: Callable[[str, str], object]) -> None:
        super().__init__()
        self._field, self._changed = field, changed
        self.edit: QLineEdit | TextField = TextField(field.lines) if field.kind == "text" else QLineEdit()
        self.edit.setAccessibleName(tr(field.title))
        self.edit.setAccessibleDescription(tr(field.hint))
        title = label(tr(field.title), "strong")
        title.setBuddy(self.edit)
        self.count = label("", "faint")
        head = row(spacing=8)
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self.count)
        layout = column(spacing=4)
        layout.addLayout(head)
        layout.addWidget(self.edit)
        layout.addWidget(label(tr(field.hint), "faint", wrap=True))
        self.setLayout(layout)
        self.edit.textChanged.connect(self._typed)

    def text(self) -> str:
        """Return what stands in the field."""
        return self.edit.toPlainText() if isinstance(self.edit, QPlainTextEdit) else self.edit.text()

    def show_text(self, text: str) -> None:
        """Show a text without reporting it as typed; the cursor stays where nothing changed."""
        if self.text() == text:
            return
        self.edit.blockSignals(True)
        if isinstance(self.edit, TextField):
            self.edit.setPlainText(text)
            self.edit._fit()
        else:
            self.edit.setText(text)
        self.edit.blockSignals(False)

    def show_count(self, tokens: int | None, *, exact: bool) -> None:
        """Show how many tokens the field takes."""
        words = ntr("{n} token", "{n} tokens", tokens) if tokens else ""
        words = words if exact or not words else f"≈ {words}"
        self.count.setText(words)
        self.count.setAccessibleName(tr("{field}: {count}", field=tr(self._field.title), count=words or tr("empty")))

    def _typed(self) -> None:
        self._changed(self._field.name, self.text())


class Greetings(QWidget):
    """The alternate greetings: as many as there are, each with its own field."""

    def __init__(self, theme: Theme, model: CharacterModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        self.rows: list[FieldRow] = []
        self._list = column(spacing=12)
        layout = column(spacing=8)
        layout.addLayout(self._list)
        add = button(tr("Add a greeting"), model.add_greeting, theme=theme, icon="plus")
        layout.addWidget(add, 0, Qt.AlignmentFlag.AlignLeft)
        self.setLayout(layout)

    def show_texts(self, texts: tuple[str, ...]) -> None:
        """Show the greetings; the fields stay where their number does not change."""
        if len(texts) != len(self.rows):
            clear_layout(self._list)
            self.rows = [self._row(number) for number in range(len(texts))]
        for shown, text in zip(self.rows, texts, strict=True):
            shown.show_text(text)

    def _row(self, number: int) -> FieldRow:
        title = tr("Alternate greeting {number}", number=number + 1)
        field = Field(f"greeting_{number}", title, tr("Another way to begin."), lines=3)
        made = FieldRow(field, lambda _name, text: self._model.put_greeting(number, text))
        remove = icon_button(
            self._theme,
            "trash",
            tr("Remove greeting {number}", number=number + 1),
            lambda: self._model.remove_greeting(number),
            side=16,
        )
        line = row(spacing=4)
        line.addWidget(made, 1)
        line.addWidget(remove, 0, Qt.AlignmentFlag.AlignTop)
        self._list.addLayout(line)
        return made


class Form(PageScroll):
    """All fields in one column that scrolls."""

    def __init__(self, theme: Theme, model: CharacterModel) -> None:
        super().__init__()
        self._model = model
        self.setAccessibleName(tr("Character card"))
        self.fields = {field.name: FieldRow(field, model.put) for field in FIELDS}
        self.greetings = Greetings(theme, model)
        inside = QWidget()
        inside.setMaximumWidth(theme.px(760))
        layout = column(margins=16, spacing=16)
        for name, shown in self.fields.items():
            layout.addWidget(shown)
            if name == GREETINGS_AFTER:
                layout.addWidget(self.greetings)
        layout.addStretch(1)
        inside.setLayout(layout)
        centred = QWidget()
        around = row(spacing=0)
        around.addStretch(1)
        around.addWidget(inside, 100)
        around.addStretch(1)
        centred.setLayout(around)
        self.setWidget(centred)
        follow(theme, self, lambda: inside.setMaximumWidth(theme.px(760)))

    def show_card(self) -> None:
        """Show the draft."""
        card = self._model.draft
        for name, shown in self.fields.items():
            shown.show_text(text_of(card, name))
        self.greetings.show_texts(card.alternate_greetings)

    def show_tokens(self) -> None:
        """Show what each field takes."""
        tokens, exact = self._model.tokens, self._model.exact
        for name, shown in self.fields.items():
            shown.show_count(tokens.get(name), exact=exact)
        for number, shown in enumerate(self.greetings.rows):
            shown.show_count(tokens.get(f"greeting_{number}"), exact=exact)

    def find(self, text: str) -> bool:
        """Go to the next field whose text holds `text`; tells whether there is one."""
        wanted = text.casefold()
        rows = [*self.fields.values(), *self.greetings.rows]
        focused = next((n for n, shown in enumerate(rows) if shown.edit.hasFocus()), -1)
        for shown in [*rows[focused + 1 :], *rows[: focused + 1]]:
            if wanted and wanted in shown.text().casefold():
                self.ensureWidgetVisible(shown, 0, 24)
                if isinstance(shown.edit, QPlainTextEdit):
                    shown.edit.moveCursor(shown.edit.textCursor().MoveOperation.Start)
                    shown.edit.find(text)
                return True
        return False
