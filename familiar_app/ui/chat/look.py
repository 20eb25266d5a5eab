"""How the transcript looks under the present theme and zoom: fonts, measures, the style sheet of messages."""

from __future__ import annotations

from PySide6.QtGui import QColor, QFontMetricsF, QPixmap

from familiar_app.ui.kit.avatar import avatar
from familiar_app.ui.kit.theme import Theme

COLUMN_PX = 800


class Look:
    """One state of the theme, measured. Lengths are device-independent pixels."""

    def __init__(self, theme: Theme, pictures: dict[str, QPixmap | None], scale: float) -> None:
        self.theme = theme
        self._pictures = pictures
        self._scale = scale
        self._avatars: dict[str, QPixmap] = {}
        self.body = theme.font("body")
        self.name = theme.font("body", bold=True)
        self.small = theme.font("small")
        self.line_px = QFontMetricsF(self.body).lineSpacing()
        self.char_px = max(1.0, QFontMetricsF(self.body).averageCharWidth())
        self.head_px = QFontMetricsF(self.name).height() + 4
        self.gutter_px = theme.px(44)
        self.avatar_px = theme.px(32)
        self.column_px = theme.px(COLUMN_PX)
        self.bar_px = theme.px(32)
        self.said = _blend(theme.color("accent"), theme.color("text_1"), 0.8)
        self.style_sheet = self._style_sheet()

    def avatar(self, name: str) -> QPixmap:
        """Return the round picture of a speaker."""
        if name not in self._avatars:
            self._avatars[name] = avatar(self.theme, name, self._pictures.get(name), side=32, scale=self._scale)
        return self._avatars[name]

    def column(self, width: float) -> tuple[float, float]:
        """Return left edge and width of the column of text in a viewport of `width`."""
        inside = min(width - 32, self.column_px + self.gutter_px)
        left = max(16.0, (width - inside) / 2)
        return left + self.gutter_px, max(80.0, inside - self.gutter_px - 8)

    def _style_sheet(self) -> str:
        hexed, size = self.theme.hex, self.body.pixelSize()
        code = self.theme.font("code")
        heads = "".join(
            f"h{level} {{ font-size: {round(size * factor)}px; margin-top: 10px; margin-bottom: 4px; }}"
            for level, factor in enumerate((1.35, 1.2, 1.1, 1.0, 1.0, 1.0), start=1)
        )
        return (
            f"body {{ color: {hexed('text_1')}; }}"
            "p, li, pre, h1, h2, h3, h4, h5, h6 { line-height: 125%; }"
            "p { margin-top: 0px; margin-bottom: 8px; }"
            f"em {{ color: {hexed('text_2')}; font-style: italic; }}"
            f".said {{ color: {self.said.name()}; }}"
            f"a {{ color: {hexed('accent')}; text-decoration: underline; }}"
            f"code {{ font-family: '{code.family()}'; font-size: {code.pixelSize()}px; "
            f"background-color: {hexed('background_3')}; }}"
            f"pre {{ font-family: '{code.family()}'; font-size: {code.pixelSize()}px; white-space: pre-wrap; "
            "margin-top: 0px; margin-bottom: 0px; }"
            "table { margin-top: 4px; margin-bottom: 8px; }"
            f"table.grid {{ border-collapse: collapse; border-style: solid; border-width: 1px; "
            f"border-color: {hexed('line_strong')}; }}"
            f"td.code {{ background-color: {hexed('background_3')}; }}"
            f".label {{ color: {hexed('text_3')}; font-size: {self.small.pixelSize()}px; margin-bottom: 4px; }}"
            f"blockquote {{ color: {hexed('text_2')}; margin-left: 14px; margin-right: 0px; margin-top: 4px; }}"
            "ul, ol { margin-top: 0px; margin-bottom: 8px; -qt-list-indent: 1; }"
            "th { padding: 2px; } s { text-decoration: line-through; }" + heads
        )


def _blend(one: QColor, other: QColor, share: float) -> QColor:
    return QColor(
        *(round(a * share + b * (1 - share)) for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True))
    )
