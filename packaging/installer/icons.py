"""Draws the program's icon in every size and form that the systems want, from the one drawing in `resources/app`."""

from __future__ import annotations

import os
import struct
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
_ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
# Apple's names for PNG pictures of these sizes.
_ICNS_TYPES = {32: b"ic11", 64: b"ic12", 128: b"ic07", 256: b"ic08", 512: b"ic09"}


def draw_icons(drawing: Path, folder: Path) -> None:
    """Write `familiar-N.png` for each size, `familiar.ico` and `familiar.icns` into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    application = QGuiApplication.instance() or QGuiApplication([])
    pictures = {size: _picture(QSvgRenderer(str(drawing)), size) for size in SIZES}
    del application
    for size, data in pictures.items():
        (folder / f"familiar-{size}.png").write_bytes(data)
    (folder / "familiar.ico").write_bytes(ico([(size, pictures[size]) for size in _ICO_SIZES]))
    (folder / "familiar.icns").write_bytes(icns([(_ICNS_TYPES[size], pictures[size]) for size in _ICNS_TYPES]))


def ico(pictures: list[tuple[int, bytes]]) -> bytes:
    """Put PNG pictures together into a Windows icon."""
    head, at = struct.pack("<HHH", 0, 1, len(pictures)), 6 + 16 * len(pictures)
    entries = b""
    for size, data in pictures:
        side = size % 256  # 256 is written as 0
        entries += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(data), at)
        at += len(data)
    return head + entries + b"".join(data for _size, data in pictures)


def icns(pictures: list[tuple[bytes, bytes]]) -> bytes:
    """Put PNG pictures together into an icon of macOS."""
    body = b"".join(kind + struct.pack(">I", 8 + len(data)) + data for kind, data in pictures)
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


def _picture(renderer: QSvgRenderer, size: int) -> bytes:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())
