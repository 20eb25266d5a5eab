"""The small sheet behind the shield: what local-only means, and the switch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QWidget

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.label import column, label, row, set_role
from familiar_app.ui.kit.theme import Theme

_ON = tr_later(
    "The program connects to nothing but this computer. Models that run here go on working; hosted models and every "
    "other service are refused until you switch this off."
)
_OFF = tr_later(
    "The program may connect to the endpoints you configured, and to nothing else. A hosted model then receives what "
    "is said to your familiar."
)


class LocalOnlySheet(QFrame):
    """Opens above the shield. Esc or a click elsewhere closes it. `hosts` are the computers that models run on.

    `show_hosts` leads to the page that names everybody the program speaks to.
    """

    def __init__(
        self,
        theme: Theme,
        parent: QWidget,
        *,
        on: bool,
        switch: Callable[[bool], object],
        hosts: Sequence[str] = (),
        show_hosts: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_role(self, "float")
        title = tr("Local only is on") if on else tr("Local only is off")
        self.setAccessibleName(title)
        layout = column(margins=16, spacing=8)
        layout.addWidget(label(title, "heading"))
        text = label(tr(_ON if on else _OFF), "quiet", wrap=True)
        named = label(_named(hosts, on=on), "warning", wrap=True)
        text.setMinimumWidth(theme.px(340))
        layout.addWidget(text)
        named.setMinimumWidth(theme.px(340))
        named.setVisible(bool(hosts))
        layout.addWidget(named)
        buttons = row()
        if show_hosts is not None:
            buttons.addWidget(button(tr("Every host…"), lambda: self._show(show_hosts), role="link"))
        buttons.addStretch(1)
        buttons.addWidget(button(tr("Close"), self.close))
        caption = tr("Allow the network") if on else tr("Switch local only on")
        self.switch_button = button(caption, lambda: self._switch(switch, not on), role="plain" if on else "primary")
        buttons.addWidget(self.switch_button)
        layout.addSpacing(4)
        layout.addLayout(buttons)
        self.setLayout(layout)

    def open_above(self, widget: QWidget) -> None:
        self.adjustSize()
        corner = widget.mapToGlobal(QPoint(0, 0))
        self.move(corner.x(), corner.y() - self.height() - 4)
        self.show()
        self.switch_button.setFocus()

    def _show(self, show_hosts: Callable[[], object]) -> None:
        self.close()
        show_hosts()

    def _switch(self, switch: Callable[[bool], object], on: bool) -> None:
        self.close()
        switch(on)


def _named(hosts: Sequence[str], *, on: bool) -> str:
    """Name who receives what is said, or would."""
    where = ", ".join(hosts)
    if on:
        return tr("Once it is off, conversations are sent to {hosts}.", hosts=where)
    return tr("Conversations are sent to {hosts}.", hosts=where)
