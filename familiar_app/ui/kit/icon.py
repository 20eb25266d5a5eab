"""The icon family: our own SVG files on a 24 px grid, tinted by a colour role of the theme."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from shiboken6 import isValid

from familiar_app.store.resource import resource
from familiar_app.ui.kit.theme import Theme

# Sizes at 100, 125, 150 and 200 %, so that no icon is drawn at one size and stretched to another.
_SIDES = (14, 16, 18, 20, 24, 25, 27, 28, 30, 32, 36, 40, 48, 64)
_source: dict[str, str] = {}
_drawn: dict[tuple[str, str, str], QIcon] = {}


class TakesIcon(Protocol):
    def setIcon(self, icon: QIcon) -> None: ...


def icon_names() -> list[str]:
    """List the names of all icons."""
    return sorted(path.stem for path in resource("icons").glob("*.svg"))


def icon(theme: Theme, name: str, role: str = "text_2") -> QIcon:
    """Return an icon in the colour of `role`; it does not follow later changes of the theme (see `keep_icon`)."""
    key = (name, theme.hex(role), theme.hex("text_3"))
    if key not in _drawn:
        drawn = QIcon()
        for side in _SIDES:
            drawn.addPixmap(_draw(name, key[1], side), QIcon.Mode.Normal)
            drawn.addPixmap(_draw(name, key[2], side, opacity=0.6), QIcon.Mode.Disabled)
        _drawn[key] = drawn
    return _drawn[key]


def pixmap(theme: Theme, name: str, role: str = "text_2", *, side: int = 16, scale: float = 1.0) -> QPixmap:
    """Return an icon as a picture of `side` px (before zoom), sharp at the screen's `scale`."""
    side = theme.px(side)
    drawn = _draw(name, theme.hex(role), round(side * scale))
    drawn.setDevicePixelRatio(scale)
    return drawn


def keep_icon(theme: Theme, button: TakesIcon, name: str, role: str = "text_2", *, side: int = 18) -> None:
    """Give a button an icon that follows theme and zoom for as long as the button lives."""

    def refresh() -> None:
        button.setIcon(icon(theme, name, role))
        if hasattr(button, "setIconSize"):
            button.setIconSize(QSize(theme.px(side), theme.px(side)))

    refresh()
    follow(theme, button, refresh)


def follow(theme: Theme, owner: object, refresh) -> None:
    """Call `refresh` on every change of the theme until `owner` (a QObject) is destroyed."""
    connection = theme.changed.connect(refresh)

    def stop() -> None:
        if isValid(theme):
            theme.disconnect(connection)

    owner.destroyed.connect(stop)


def _draw(name: str, color: str, side: int, opacity: float = 1.0) -> QPixmap:
    if name not in _source:
        _source[name] = resource("icons", f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(_source[name].replace("currentColor", color).encode()))
    drawn = QPixmap(side, side)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(opacity)
    renderer.render(painter, QRectF(0, 0, side, side))
    painter.end()
    return drawn
