"""The sheet on which a page is read: our own HTML in the theme's colours, pictures as wide as the page has room."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QImage, QResizeEvent, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from familiar_app.domain.text import tr
from familiar_app.ui.help.page import Page
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import set_role
from familiar_app.ui.kit.theme import Theme

WIDEST = 760
"""A page is no wider than this, before zoom: longer lines are hard to read."""
EDGE, NARROW_EDGE = 24, 8
NARROW = 480
"""A sheet that is narrower leaves the room at its sides to the words."""

_STYLE = """
h1 {{ font-size: {title}px; margin-top: 8px; margin-bottom: 8px; }}
h2 {{ font-size: {heading}px; margin-top: 24px; margin-bottom: 4px; }}
h3 {{ font-size: {body}px; margin-top: 16px; margin-bottom: 4px; }}
p {{ line-height: 140%; margin-top: 4px; margin-bottom: 8px; }}
li {{ line-height: 140%; margin-bottom: 4px; }}
a {{ color: {accent}; text-decoration: underline; }}
code, pre {{ font-family: "{mono}"; font-size: {code}px; }}
pre {{ white-space: pre-wrap; background-color: {ground}; margin-top: 8px; margin-bottom: 12px; }}
table {{ border-collapse: collapse; border: 1px solid {line}; margin-top: 8px; margin-bottom: 12px; }}
th, td {{ border: 1px solid {line}; text-align: left; vertical-align: top; }}
th {{ background-color: {ground}; }}
"""


class PageBrowser(QTextBrowser):
    """Shows pages whose files lie in `folder` and loads nothing from anywhere else. `followed` carries a link."""

    followed = Signal(str)

    def __init__(self, theme: Theme, folder: Path) -> None:
        super().__init__()
        self._theme, self._folder = theme, folder.resolve()
        self._page: Page | None = None
        self._words: list[str] = []
        self._sheet: QTextDocument | None = None
        self._drawn: tuple[object, ...] = ()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._redraw)
        set_role(self, "bare")
        self.setAccessibleName(tr("Page of the manual"))
        self.setOpenLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        # Always there: a bar that comes and goes changes the width, and with it the pictures, and so for ever.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.anchorClicked.connect(lambda url: self.followed.emit(url.toString()))
        follow(theme, self, self._redraw)

    def show_page(self, page: Page, anchor: str, words: list[str]) -> None:
        """Show a page from an anchor on, with words marked."""
        fresh = page is not self._page
        self._page, self._words = page, words
        if fresh:
            self._redraw()
        self._mark()
        if anchor:
            self.scrollToAnchor(anchor)
        else:
            self.verticalScrollBar().setValue(0)

    def loadResource(self, kind: int, url: QUrl) -> object:
        """Give out pictures of the manual, those for dark grounds where there are such."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return None
        image = QImage(str(self._picture_file(url.path())))
        return None if image.isNull() else self._fitted(image)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        spare = self.width() - self.verticalScrollBar().sizeHint().width() - self._theme.px(WIDEST)
        side = max(EDGE if self.width() >= self._theme.px(NARROW) else NARROW_EDGE, spare // 2)
        margins = self.viewportMargins()
        if (margins.left(), margins.right()) != (side, side):
            self.setViewportMargins(side, 8, side, 8)
        # Not from here: laying a page out can resize it, and it must not be written anew in the middle of that.
        if self._drawn != self._look():
            self._soon.start()

    def _picture_file(self, address: str) -> Path:
        wanted = (self._folder / address).resolve()
        if self._theme.dark:
            darker = wanted.with_name(wanted.name.replace("-light.", "-dark."))
            wanted = darker if darker.is_file() else wanted
        return wanted if wanted.is_relative_to(self._folder) else self._folder

    def _fitted(self, image: QImage) -> QImage:
        ratio = self.devicePixelRatioF()
        room = min(self._room(), self._theme.px(WIDEST))
        width = min(image.width(), round(room * ratio))
        shown = image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
        shown.setDevicePixelRatio(ratio)
        return shown

    def _room(self) -> int:
        return max(120, self.viewport().width() - 8)

    def _look(self) -> tuple[object, ...]:
        return self._room(), self._theme.name, self._theme.zoom

    def _redraw(self) -> None:
        """Write the page anew; where one was reading stays at the top."""
        if self._page is None:
            return
        bar = self.verticalScrollBar()
        share = bar.value() / bar.maximum() if bar.maximum() else 0.0
        self._drawn = self._look()
        self.setExtraSelections([])
        # A new document: the old one would go on showing its pictures at the size they were first asked for.
        before, fresh = self._sheet, QTextDocument(self)
        fresh.setDefaultFont(self._theme.font())
        fresh.setDefaultStyleSheet(self._style())
        self.setDocument(fresh)
        self._sheet = fresh
        if before is not None:
            before.deleteLater()
        self.setHtml(self._page.html)
        bar.setValue(round(share * bar.maximum()))
        self._mark()

    def _style(self) -> str:
        theme = self._theme
        sizes = {role: theme.font(role).pixelSize() for role in ("title", "heading", "body", "code")}
        return _STYLE.format(
            **sizes,
            accent=theme.hex("accent"),
            ground=theme.hex("background_2"),
            line=theme.hex("line"),
            mono=theme.font("code").family(),
        )

    def _mark(self) -> None:
        """Mark the words that were searched for wherever they stand."""
        look = QTextCharFormat()
        look.setBackground(self._theme.color("background_3"))
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        look.setUnderlineColor(self._theme.color("accent"))
        marks = []
        for word in self._words:
            at = self.document().find(word)
            while not at.isNull():
                mark = QTextEdit.ExtraSelection()
                mark.cursor, mark.format = QTextCursor(at), look
                marks.append(mark)
                at = self.document().find(word, at)
        self.setExtraSelections(marks)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(WIDEST), self._theme.px(480))
