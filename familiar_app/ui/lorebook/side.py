"""Import and export in the side view: what would happen is said before anything is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QWidget

from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.label import column, label, line
from familiar_app.ui.lorebook.transfer import FORMATS, Found, format_title

MOST_LINES = 400


def _report(name: str) -> QPlainTextEdit:
    made = QPlainTextEdit()
    made.setReadOnly(True)
    made.setTabChangesFocus(True)
    made.setAccessibleName(name)
    return made


def _said(lines: Sequence[str], nothing: str) -> str:
    more = [ntr("… and {n} more.", "… and {n} more.", len(lines) - MOST_LINES)] if len(lines) > MOST_LINES else []
    return "\n".join([*lines[:MOST_LINES], *more]) or nothing


class ImportView(QWidget):
    """A book that was read. `use(replace_all)` brings it in; `leave` changes nothing."""

    def __init__(self, found: Found, here: int, use: Callable[[bool], object], leave: Callable[[], object]) -> None:
        super().__init__()
        self.setAccessibleName(tr("Report of the import"))
        count = len(found.book.entries)
        layout = column(margins=16, spacing=8)
        layout.addWidget(label(found.book.name or found.source, "heading", wrap=True))
        what = ntr(
            "{n} entry from {file} ({format}). Nothing is changed yet.",
            "{n} entries from {file} ({format}). Nothing is changed yet.",
            count,
            file=found.source,
            format=format_title(found.format),
        )
        layout.addWidget(label(what, "quiet", wrap=True))
        layout.addWidget(line())
        layout.addWidget(label(tr("What did not come over as it was"), "strong"))
        self.report = _report(tr("What did not come over as it was"))
        self.report.setPlainText(_said(found.lines, tr("Everything came over.")))
        layout.addWidget(self.report, 1)
        self.merge = button(tr("Add to the lorebook"), lambda: use(False), role="primary")
        self.merge.setToolTip(tr("Entries that are here already, word for word, are left out."))
        self.merge.setEnabled(count > 0)
        self.replace = button(ntr("Replace the one entry", "Replace all {n} entries", here), lambda: use(True))
        self.replace.setVisible(here > 0)
        for one in (self.merge, self.replace, button(tr("Leave it"), leave)):
            layout.addWidget(one, 0, Qt.AlignmentFlag.AlignLeft)
        self.setLayout(layout)


class ExportView(QWidget):
    """Chooses a format. `look(format)` asks for what would be lost, `save(format, ending)` writes the file."""

    def __init__(self, look: Callable[[str], object], save: Callable[[str, str], object]) -> None:
        super().__init__()
        self.setAccessibleName(tr("Export the lorebook"))
        self._look, self._save = look, save
        self.formats = QComboBox()
        self.formats.setAccessibleName(tr("Format"))
        for _name, title, _ending in FORMATS:
            self.formats.addItem(tr(title))
        self.formats.currentIndexChanged.connect(lambda _number: self._chosen())
        self.report = _report(tr("What does not survive"))
        layout = column(margins=16, spacing=8)
        layout.addWidget(label(tr("Format"), "strong"))
        layout.addWidget(self.formats)
        layout.addWidget(label(tr("What does not survive"), "strong"))
        layout.addWidget(self.report, 1)
        self.save = button(tr("Save as…"), self._press, role="primary")
        layout.addWidget(self.save, 0, Qt.AlignmentFlag.AlignLeft)
        self.setLayout(layout)
        self.report.setPlainText(tr("Looking…"))

    @property
    def format(self) -> str:
        """The name of the chosen format."""
        return FORMATS[self.formats.currentIndex()][0]

    def show_losses(self, format_name: str, lines: Sequence[str]) -> None:
        """Show what would be lost, if that format is still the chosen one."""
        if format_name == self.format:
            self.report.setPlainText(_said(lines, tr("Everything survives.")))

    def _chosen(self) -> None:
        self.report.setPlainText(tr("Looking…"))
        self._look(self.format)

    def _press(self) -> None:
        name, _title, ending = FORMATS[self.formats.currentIndex()]
        self._save(name, ending)
