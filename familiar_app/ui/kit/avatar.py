"""Round pictures of familiars and people; initials on a hue of their own where there is no picture."""

from __future__ import annotations

import zlib
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QImageReader, QPainter, QPainterPath, QPixmap

from familiar_app.ui.kit.theme import Theme

MAX_SIDE_PX = 1024


def read_picture(path: Path) -> QPixmap | None:
    """Read a picture, at most 1024 px wide; None where the file is missing or is no picture."""
    return _read(QImageReader(str(path)))


def _read(reader: QImageReader) -> QPixmap | None:
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > MAX_SIDE_PX:
        reader.setScaledSize(size.scaled(QSize(MAX_SIDE_PX, MAX_SIDE_PX), Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    return None if image.isNull() else QPixmap.fromImage(image)


def picture_from_bytes(data: bytes) -> QPixmap | None:
    """Read a picture that is in memory; None where it is none."""
    buffer = QBuffer()
    buffer.setData(data)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    return _read(QImageReader(buffer))


def initials(name: str) -> str:
    """Return one or two letters that stand for a name."""
    words = [word for word in name.split() if word[0].isalnum()] or [name.strip() or "?"]
    letters = words[0][0] + (words[-1][0] if len(words) > 1 else "")
    return letters.upper()


def avatar(theme: Theme, name: str, picture: QPixmap | None, *, side: int = 32, scale: float = 1.0) -> QPixmap:
    """Draw a round picture of `side` px (before zoom), sharp at the screen's `scale`."""
    side_px = round(theme.px(side) * scale)
    drawn = QPixmap(side_px, side_px)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    box = QRectF(0, 0, side_px, side_px)
    shape = QPainterPath()
    shape.addEllipse(box)
    painter.setClipPath(shape)
    if picture is not None:
        painter.drawPixmap(box, picture, _square(picture))
    else:
        _draw_initials(painter, theme, name, box)
    painter.end()
    drawn.setDevicePixelRatio(scale)
    return drawn


def _draw_initials(painter: QPainter, theme: Theme, name: str, box: QRectF) -> None:
    painter.fillRect(box, theme.subject(zlib.crc32(name.casefold().encode())))
    font = theme.font(bold=True)
    font.setPixelSize(max(6, round(box.height() * 0.38)))
    painter.setFont(font)
    painter.setPen(theme.color("background_1"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, initials(name))


def _square(picture: QPixmap) -> QRectF:
    side = min(picture.width(), picture.height())
    # Faces stand in the upper part of tall pictures.
    return QRectF((picture.width() - side) / 2, (picture.height() - side) / 4, side, side)
