"""Makes a familiar's picture from an image file: at most 1024 px, PNG, nothing else of the file is kept."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImageReader

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.avatar import MAX_SIDE_PX

FILE_FILTER = tr_later("Pictures (*.png *.jpg *.jpeg *.webp *.gif *.bmp)")


def picture_png(path: Path) -> bytes:
    """Read a picture and return it as PNG. Blocks; call it in a thread. Raises BadInputError for what is no picture."""
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > MAX_SIDE_PX:
        reader.setScaledSize(size.scaled(QSize(MAX_SIDE_PX, MAX_SIDE_PX), Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    if image.isNull():
        reason = tr("this is no picture that can be read.")
        raise BadInputError(reason, source=path.name, next_step=tr("Choose another file."))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(data.data())
