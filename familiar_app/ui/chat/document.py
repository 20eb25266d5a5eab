"""Small things about the text documents of messages: marked stretches and blocks of code."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QBrush,
    QColor,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrame,
    QTextTable,
)


def mark(
    document: QTextDocument, start: int, end: int, ground: QColor, text: QColor
) -> QAbstractTextDocumentLayout.Selection:
    """Make a stretch of a document that is painted on another ground."""
    selection = QAbstractTextDocumentLayout.Selection()
    cursor = QTextCursor(document)
    cursor.setPosition(max(0, start))
    cursor.setPosition(max(0, end), QTextCursor.MoveMode.KeepAnchor)
    style = QTextCharFormat()
    style.setBackground(QBrush(ground))
    style.setForeground(QBrush(text))
    selection.cursor, selection.format = cursor, style
    return selection


def trim_last_margin(document: QTextDocument) -> None:
    """Take away the space below the last paragraph."""
    cursor = QTextCursor(document.lastBlock())
    style = cursor.blockFormat()
    style.setBottomMargin(0)
    cursor.setBlockFormat(style)


def code_blocks(document: QTextDocument) -> list[tuple[QRectF, QTextTable]]:
    """Return the boxes of all blocks of code, in the document's coordinates."""
    return [
        (document.documentLayout().frameBoundingRect(table), table)
        for table in _tables(document.rootFrame())
        if _is_code(table)
    ]


def code_text(table: QTextTable) -> str:
    """Return the code of a block, without the language's name above it."""
    cell = table.cellAt(0, 0)
    block, last = cell.firstCursorPosition().block(), cell.lastCursorPosition().block()
    lines = []
    while block.isValid():
        lines.append(block.text())
        if block == last:
            break
        block = block.next()
    first = cell.firstCursorPosition().block()
    labelled = first.blockFormat().bottomMargin() > 0
    return "\n".join(lines[1:] if labelled else lines)


def _tables(frame: QTextFrame) -> list[QTextTable]:
    found = []
    for child in frame.childFrames():
        if isinstance(child, QTextTable):
            found.append(child)
        found.extend(_tables(child))
    return found


def _is_code(table: QTextTable) -> bool:
    if table.rows() != 1 or table.columns() != 1:
        return False
    return table.cellAt(0, 0).format().background().style() != Qt.BrushStyle.NoBrush
