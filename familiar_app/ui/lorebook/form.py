"""The form beside the table: one entry, what is needed often first, the rest under "More"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QGridLayout, QSizePolicy, QStackedWidget, QToolButton, QWidget

from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.icon import follow, icon
from familiar_app.ui.kit.label import column, label, line, row
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.chips import KeyChips
from familiar_app.ui.lorebook.control import Control
from familiar_app.ui.lorebook.control_more import FolderBox
from familiar_app.ui.lorebook.entry_area import EntryArea
from familiar_app.ui.lorebook.field import FREQUENT, MORE, Field, belongs, changed_under_more
from familiar_app.ui.lorebook.merge import Conflict
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.several import SeveralView
from familiar_app.ui.lorebook.word import lore_word

_PAIRS = (("order", "probability"), ("position",), ("depth", "role"), ("outlet_name",))


class Form(QStackedWidget):
    """Shows the current entry, or what can be done with several. `do` runs a deed of the view by its word."""

    def __init__(self, theme: Theme, model: LorebookModel, do: Callable[[str], object]) -> None:
        super().__init__()
        self._theme, self._model, self._do = theme, model, do
        self._shown: LoreEntry | None = None
        self.controls: dict[str, Control] = {}
        self._boxes: dict[str, list[QWidget]] = {}
        self.one = self._make_one()
        self.addWidget(self.one)
        self.several = SeveralView(model, do)
        self.addWidget(self.several)
        nothing = column(margins=24)
        nothing.addStretch(1)
        nothing.addWidget(
            label(tr("Choose an entry to see it here."), "quiet", wrap=True), 0, Qt.AlignmentFlag.AlignCenter
        )
        nothing.addStretch(2)
        none = QWidget()
        none.setLayout(nothing)
        self.addWidget(none)

    # ---- making

    def _make_one(self) -> EntryArea:
        area = EntryArea()
        area.setAccessibleName(tr("Entry"))
        inside = QWidget()
        layout = column(margins=16, spacing=12)
        self.conflict = Notice(self._theme, closable=False)
        self.conflict.setAccessibleName(tr("Changed in the file too"))
        self.keep_mine = button(tr("Keep what was typed here"), lambda: self._settle(mine=True))
        layout.addWidget(self.conflict)
        layout.addWidget(self.keep_mine, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addLayout(self._make_head())
        fields = {field.name: field for field in FREQUENT}
        for name in ("comment", "keys", "secondary_keys", "logic"):
            layout.addWidget(self._row(fields[name]))
        layout.addWidget(self._row(fields["content"]), 1)
        layout.addWidget(self._make_folder())
        for names in _PAIRS:
            pair = row(spacing=12)
            for name in names:
                pair.addWidget(self._row(fields[name]), 1, Qt.AlignmentFlag.AlignTop)
            layout.addLayout(pair)
        layout.addWidget(line())
        layout.addWidget(self._make_more_button(), 0, Qt.AlignmentFlag.AlignLeft)
        self.more = area.folded = self._make_more()
        layout.addWidget(self.more)
        inside.setLayout(layout)
        area.setWidget(inside)
        return area

    def _make_head(self):
        self.enabled = QCheckBox(tr("Enabled"))
        self.enabled.setAccessibleName(tr("Enabled"))
        self.constant = QCheckBox(tr("Always in"))
        self.constant.setAccessibleName(tr("Always in"))
        self.constant.setToolTip(tr("In every prompt, whatever is said."))
        self.enabled.toggled.connect(lambda on: self._put("enabled", on))
        self.constant.toggled.connect(lambda on: self._put("constant", on))
        self.verdict = label("", "faint", wrap=True)
        self.warnings = label("", "warning", wrap=True)
        self.warnings.hide()
        for one in (self.verdict, self.warnings):
            # A key without spaces may be longer than the form is wide.
            policy = one.sizePolicy()
            policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
            one.setSizePolicy(policy)
        head = row(spacing=12)
        head.addWidget(self.enabled)
        head.addWidget(self.constant)
        head.addStretch(1)
        whole = column(spacing=4)
        whole.addLayout(head)
        whole.addWidget(self.verdict)
        whole.addWidget(self.warnings)
        return whole

    def _row(self, field: Field) -> QWidget:
        control = self.controls[field.name] = Control(self._theme, field, self._put)
        box = QWidget()
        layout = column(spacing=4)
        title = label(lore_word(field.title), "strong")
        title.setBuddy(control.widget)
        control.widget.setToolTip(tr(field.hint))
        head = row(spacing=8)
        head.addWidget(title)
        if field.kind == "text":
            self.tokens = label("", "faint")
            head.addStretch(1)
            head.addWidget(self.tokens)
        elif field.hint and field.kind in ("line", "keys"):
            head.addWidget(label(tr(field.hint), "faint", wrap=True), 1)
        layout.addLayout(head)
        layout.addWidget(control.widget, 1 if field.kind == "text" else 0)
        box.setLayout(layout)
        self._boxes.setdefault(field.name, []).append(box)
        return box

    def _make_folder(self) -> QWidget:
        self.folder = FolderBox()
        self.folder.setAccessibleName(tr("Folder"))
        self.folder.named.connect(self._put_in_folder)
        box = QWidget()
        layout = row(spacing=12)
        title = label(tr("Folder"), "strong")
        title.setBuddy(self.folder)
        layout.addWidget(title)
        layout.addWidget(self.folder, 1)
        box.setLayout(layout)
        return box

    def _put_in_folder(self, name: str) -> None:
        if self._shown is not None:
            self._model.put_in_folder([self._shown.uid], name)

    def _make_more_button(self) -> QToolButton:
        self.more_button = QToolButton()
        self.more_button.setCheckable(True)
        self.more_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.more_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more_button.setText(tr("More"))
        self.more_button.setAccessibleName(tr("More fields"))
        self.more_button.toggled.connect(self._toggle_more)
        follow(self._theme, self.more_button, self._draw_more)
        self._draw_more()
        return self.more_button

    def _make_more(self) -> QWidget:
        box = QWidget()
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        section, number = "", 0
        for field in MORE:
            if field.section != section:
                section = field.section
                grid.addWidget(label(tr(section), "quiet"), number, 0, 1, 2)
                number += 1
            control = self.controls[field.name] = Control(self._theme, field, self._put)
            if field.kind == "flag":
                grid.addWidget(control.widget, number, 0, 1, 2)
            else:
                title = label(lore_word(field.title), wrap=True)
                title.setBuddy(control.widget)
                control.widget.setToolTip(tr(field.hint))
                grid.addWidget(title, number, 0)
                grid.addWidget(control.widget, number, 1)
            number += 1
        box.hide()
        return box

    # ---- showing

    def show_selection(self) -> None:
        """Show what is selected."""
        count = len(self._model.selected)
        entry = self._model.entry(self._model.current)
        if count > 1:
            found = [one for one in map(self._model.entry, self._model.selected) if one is not None]
            self.several.show_entries(found)
            self.setCurrentIndex(1)
        elif entry is None:
            self._shown = None
            self.setCurrentIndex(2)
        else:
            self._show_entry(entry)
            self.setCurrentIndex(0)

    def _show_entry(self, entry: LoreEntry) -> None:
        fresh = self._shown is None or self._shown.uid != entry.uid
        before, self._shown = self._shown, entry
        for name, control in self.controls.items():
            if fresh or getattr(before, name) != getattr(entry, name):
                control.show(getattr(entry, name), fresh=fresh)
        for box, value in ((self.enabled, entry.enabled), (self.constant, entry.constant)):
            box.blockSignals(True)
            box.setChecked(value)
            box.blockSignals(False)
        for name, boxes in self._boxes.items():
            for one in boxes:
                one.setVisible(belongs(name, entry))
        self.folder.show_folder(self._model.book.folders, entry.folder)
        others = changed_under_more(entry)
        self.more_button.setText(ntr("More ({n} changed)", "More ({n} changed)", len(others)) if others else tr("More"))
        self.more_button.setToolTip(", ".join(others))
        if fresh:
            self.one.verticalScrollBar().setValue(0)
        self._show_warnings(entry)
        self._show_conflict(entry)

    def _show_warnings(self, entry: LoreEntry) -> None:
        text = "\n".join(one.text for one in self._model.warnings.get(entry.uid, ()))
        if text != self.warnings.text():
            self.warnings.setText(text)
            self.warnings.setAccessibleName(tr("Warnings: {warnings}", warnings=text))
        self.warnings.setVisible(bool(text))

    def _show_conflict(self, entry: LoreEntry) -> None:
        conflict = self._model.conflicts.get(entry.uid)
        self.keep_mine.setVisible(conflict is not None)
        if conflict is None:
            self.conflict.clear()
        elif self.conflict.isHidden():
            text, theirs, mine = _conflict_words(conflict)
            self.conflict.tell(text, "warning", step=theirs, run=lambda: self._settle(mine=False))
            self.keep_mine.setText(mine)
            self.keep_mine.setAccessibleName(mine)

    def show_tokens(self, count: int, *, exact: bool) -> None:
        """Show what the content takes."""
        words = ntr("{n} token", "{n} tokens", count) if exact else ntr("≈ {n} token", "≈ {n} tokens", count)
        self.tokens.setText(words)
        self.tokens.setAccessibleName(tr("Content: {tokens}", tokens=words))

    def show_verdict(self, text: str, role: str, matching: frozenset[str]) -> None:
        """Show what became of the entry in the tester, and which of its keys are in the text."""
        self.verdict.setText(text)
        self.verdict.setVisible(bool(text))
        if self.verdict.property("role") != role:
            self.verdict.setProperty("role", role)
            self.verdict.style().polish(self.verdict)
        for name in ("keys", "secondary_keys"):
            widget = self.controls[name].widget
            if isinstance(widget, KeyChips):
                widget.show_matches(matching)

    def focus_name(self) -> None:
        """Begin with the name, as for a new entry."""
        self.controls["comment"].widget.setFocus()

    def _toggle_more(self, on: bool) -> None:
        self.more.setVisible(on)
        self._draw_more()

    def _draw_more(self) -> None:
        name = "chevron_down" if self.more_button.isChecked() else "chevron_right"
        self.more_button.setIcon(icon(self._theme, name))

    def _put(self, name: str, value: Any) -> None:
        if self._shown is not None:
            self._model.change(self._shown.uid, **{name: value})

    def _settle(self, *, mine: bool) -> None:
        if self._shown is not None:
            self.conflict.clear()
            self._model.settle(self._shown.uid, mine=mine)


def _conflict_words(conflict: Conflict) -> tuple[str, str, str]:
    """Say what happened on both sides, and what takes the file's side and the side of what was done here."""
    if conflict.mine is None:
        text = tr("This entry was changed in the file while it was deleted here.")
        return text, tr("Keep it"), tr("Delete it")
    if conflict.theirs is None:
        text = tr("This entry was deleted in the file while it was changed here.")
        return text, tr("Delete it"), tr("Keep it")
    text = tr("This entry was changed in the file while it was changed here. Shown is what the file says.")
    return text, tr("Use the file's"), tr("Use what was typed here")
