"""The profiles that are known on this computer, in a dialog: open one in a window of its own, make one, forget one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFrame, QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.desktop import ProfileRow, ProfileRows
from familiar_app.ui.kit.dialog import Dialog, choose_file, shown
from familiar_app.ui.kit.field import LabelledField, line_edit
from familiar_app.ui.kit.label import ElidedLabel, clear_layout, column, label, line, row, set_role
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.task import Tasks

_WORDS = tr_later(
    "A profile is a folder with a vault, settings and familiars of its own. Each opens in its own window, and several "
    "can be open at once. The list holds paths and nothing else."
)


async def show_profiles(parent: QWidget, parts: WindowParts) -> None:
    """Show the list until the person closes it, or opens another profile."""
    sheet = ProfileSheet(parent, parts)
    sheet.load()
    await shown(sheet)
    sheet.tasks.cancel_soon()


class ProfileSheet(Dialog):
    """One row for each profile, and below them the ways to further ones."""

    def __init__(self, parent: QWidget, parts: WindowParts) -> None:
        super().__init__(parent, tr("Profiles"))
        self._parts = parts
        theme = parts.theme
        self.rows = ProfileRows(parts.desktop)
        self.setMinimumWidth(min(theme.px(560), parent.window().width() - 40))
        self.body.addWidget(label(tr(_WORDS), "quiet", wrap=True))
        self.notice = Notice(theme)
        self.tasks = Tasks(parts.tasks, self, self._failed)
        self._list = column(spacing=0)
        inside = QFrame()
        set_role(inside, "card")
        inside.setLayout(self._list)
        self._scroll = PageScroll()
        self._scroll.setWidget(inside)
        self._scroll.setMinimumHeight(min(theme.px(220), parent.window().height() // 3))
        self.body.addWidget(self._scroll, 1)
        self.body.addWidget(self.notice)
        self._name = line_edit(placeholder=tr("work"), name=tr("Name of a new profile"))
        self._name.textChanged.connect(lambda _text: self._field.set_wrong(""))
        self._field = LabelledField(tr("A new profile"), self._name)
        self.body.addWidget(self._field)
        self.make_button = button(tr("Make and open"), self._make)
        # Return in the field means this one, and not the button that closes.
        self.make_button.setAutoDefault(True)
        self.make_button.setDefault(True)
        self.other_button = button(tr("Open a folder…"), self._choose)
        below = row()
        below.addWidget(self.make_button)
        below.addWidget(self.other_button)
        below.addStretch(1)
        self.body.addLayout(below)
        self.add_choice("", tr("Close"))

    def load(self) -> None:
        """Read the list."""
        self.tasks.start(self._load, name="profiles.load", replace=True)

    async def _load(self) -> None:
        found = await self.rows.read()
        clear_layout(self._list)
        for number, one in enumerate(found):
            if number:
                self._list.addWidget(line())
            self._list.addWidget(self._make_row(one))
        self._list.addStretch(1)

    def _make_row(self, one: ProfileRow) -> QWidget:
        made = QWidget()
        words = column(spacing=4)
        words.addWidget(ElidedLabel(one.name, "strong"))
        words.addWidget(ElidedLabel(str(one.folder), "quiet"))
        if one.note:
            words.addWidget(label(one.note, "faint", wrap=True))
        whole = row(spacing=8)
        whole.setContentsMargins(12, 8, 12, 8)
        whole.addLayout(words, 1)
        if not one.here:
            whole.addWidget(self._act(tr("Open"), one, self._open))
        elif not one.kept and one.folder != self._parts.desktop.profiles.usual:
            whole.addWidget(self._act(tr("Keep on the list"), one, self._keep))
        if one.kept:
            whole.addWidget(self._act(tr("Forget"), one, self._forget))
        made.setLayout(whole)
        return made

    def _act(self, caption: str, one: ProfileRow, act: Callable[[ProfileRow], None]) -> QWidget:
        made = button(caption, partial(act, one))
        made.setAccessibleName(f"{caption}: {one.name}")
        return made

    # What can be done

    def _open(self, one: ProfileRow) -> None:
        self.tasks.start(partial(self._go, one.folder), name="profiles.open")

    async def _go(self, folder: Path) -> None:
        await self.rows.open(folder)
        self.accept()

    def _keep(self, one: ProfileRow) -> None:
        self.tasks.start(partial(self._change, self.rows.keep, one), name="profiles.keep")

    def _forget(self, one: ProfileRow) -> None:
        self.tasks.start(partial(self._forgotten, one), name="profiles.forget")

    async def _forgotten(self, one: ProfileRow) -> None:
        await self._change(self.rows.forget, one)
        text = tr("{name} is off the list. Its folder stays as it is.", name=one.name)
        self.notice.tell(text, step=tr("Put it back"), run=partial(self._keep, one))

    async def _change(self, change: Callable[[Path], object], one: ProfileRow) -> None:
        await change(one.folder)
        await self._load()

    def _make(self) -> None:
        if self._name.text().strip():
            self.tasks.start(self._made, name="profiles.make", show_error=self._wrong_name)
        else:
            self._field.set_wrong(tr("Give it a name, such as work."))
            self._name.setFocus()

    async def _made(self) -> None:
        await self.rows.make(self._name.text())
        self.accept()

    def _wrong_name(self, error: FamiliarError, _again: Callable[[], object] | None) -> None:
        text = str(error)
        self._field.set_wrong(text[:1].upper() + text[1:])
        self._name.setFocus()

    def _choose(self) -> None:
        self.tasks.start(self._chosen, name="profiles.choose")

    async def _chosen(self) -> None:
        folder = await choose_file(self, tr("Open a profile's folder"), mode="folder")
        if folder is not None:
            await self._go(folder)

    def _failed(self, error: FamiliarError, again: Callable[[], object] | None) -> None:
        self.notice.show_error(error, again)
