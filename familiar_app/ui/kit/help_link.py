"""The way from anywhere within a panel to its page of the manual; who shows that page is found above the widget."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from PySide6.QtWidgets import QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import Button, button


@runtime_checkable
class ShowsHelp(Protocol):
    """A widget around the panels that can show the page of the open one."""

    def show_help(self) -> None: ...

    def can_help(self) -> bool: ...


def help_above(widget: QWidget) -> ShowsHelp | None:
    """Return what shows help for this widget, None where nothing does."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, ShowsHelp):
            return above if above.can_help() else None
        above = above.parentWidget()
    return None


def help_link(inside: QWidget) -> Button:
    """Make the link; it is hidden until `show_help_link` finds somebody who shows help."""

    def run() -> None:
        shows = help_above(inside)
        if shows is not None:
            shows.show_help()

    made = button(tr("About this panel (F1)"), run, role="link")
    made.hide()
    return made


def show_help_link(link: Button, inside: QWidget) -> None:
    """Show the link where it leads somewhere. To be called when `inside` is shown and has its place."""
    link.setVisible(help_above(inside) is not None)
