"""Colours, fonts and sizes by role, for light, dark and high contrast. The only place that knows a colour value.

The tokens stand in `resources/theme/*.toml`, the style sheet built from them in `resources/theme/style.qss`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from string import Template
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from familiar_app.domain.errors import BugError
from familiar_app.store.resource import resource
from familiar_app.ui.kit.mark import draw_marks

ThemeMode = Literal["system", "light", "dark", "contrast"]
FontRole = Literal["body", "small", "heading", "title", "code", "table"]

BASE_PX = 13.5
ZOOMS = (0.75, 0.85, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
MOTION_MS = 120
SUBJECTS = 6
_SCALE: dict[str, float] = {"body": 1.0, "small": 0.89, "heading": 1.15, "title": 1.55, "code": 0.95, "table": 1.0}


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one theme by role, as `#rrggbb`."""

    name: str
    dark: bool
    color: dict[str, str]


def load_tokens(name: str) -> Tokens:
    """Read the tokens of `light`, `dark` or `contrast`."""
    values = tomllib.loads(resource("theme", f"{name}.toml").read_text(encoding="utf-8"))
    return Tokens(name, bool(values["dark"]), dict(values["color"]))


class Theme(QObject):
    """The look of the whole program. `changed` is sent after another theme, zoom or motion setting is in force."""

    changed = Signal()

    def __init__(self, app: QApplication, *, mode: ThemeMode = "system", zoom: float = 1.0) -> None:
        super().__init__(app)
        self._app = app
        self._mode: ThemeMode = mode
        self._zoom = zoom
        self.reduce_motion = False
        self._family = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
        self._mono = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        self._tokens = load_tokens(self._resolved())
        app.setStyle("Fusion")
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)
        self._apply()

    @property
    def mode(self) -> ThemeMode:
        return self._mode

    @property
    def zoom(self) -> float:
        return self._zoom

    @property
    def dark(self) -> bool:
        return self._tokens.dark

    @property
    def name(self) -> str:
        """The theme in force: `light`, `dark` or `contrast`."""
        return self._tokens.name

    def set_mode(self, mode: ThemeMode) -> None:
        """Use a theme; `system` follows the desktop."""
        if mode != self._mode:
            self._mode = mode
            self._refresh()

    def set_zoom(self, zoom: float) -> None:
        """Scale all text; kept between 0.5 and 3."""
        zoom = min(3.0, max(0.5, zoom))
        if zoom != self._zoom:
            self._zoom = zoom
            self._refresh()

    def step_zoom(self, direction: int) -> None:
        """Go one step larger (1) or smaller (-1); 0 returns to the ordinary size."""
        if direction == 0:
            self.set_zoom(1.0)
        elif direction > 0:
            self.set_zoom(next((z for z in ZOOMS if z > self._zoom + 0.01), ZOOMS[-1]))
        else:
            self.set_zoom(next((z for z in reversed(ZOOMS) if z < self._zoom - 0.01), ZOOMS[0]))

    def set_reduce_motion(self, on: bool) -> None:
        self.reduce_motion = on
        self.changed.emit()

    def color(self, role: str) -> QColor:
        """Return the colour of a role, such as `text_2`, `background_1`, `accent` or `subject_3`."""
        return QColor(self.hex(role))

    def hex(self, role: str) -> str:
        """Return the colour of a role as `#rrggbb`, for rich text of our own."""
        try:
            return self._tokens.color[role]
        except KeyError:
            raise BugError(f"the theme has no colour for the role {role!r}.") from None

    def subject(self, index: int) -> QColor:
        """Return one of the six hues that tell subjects apart; always double it by a shape or a label."""
        return self.color(f"subject_{index % SUBJECTS + 1}")

    def px(self, size: float) -> int:
        """Return a length that grows with the zoom, such as the side of an icon."""
        return round(size * self._zoom)

    def font(self, role: FontRole = "body", *, bold: bool = False) -> QFont:
        """Return the font of a role at the present zoom. `table` has figures of equal width where the font can."""
        font = QFont(self._mono if role == "code" else self._family)
        font.setPixelSize(self._font_px(role))
        if bold or role in ("heading", "title"):
            font.setWeight(QFont.Weight.DemiBold)
        if role == "table":
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    @property
    def motion_ms(self) -> int:
        """How long a movement may last; 0 where the person wants none."""
        return 0 if self.reduce_motion else MOTION_MS

    def _font_px(self, role: str) -> int:
        return max(8, round(BASE_PX * _SCALE[role] * self._zoom))

    def _resolved(self) -> str:
        if self._mode != "system":
            return self._mode
        hints = QGuiApplication.styleHints()
        if hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
            return "contrast"
        return "dark" if hints.colorScheme() == Qt.ColorScheme.Dark else "light"

    def _system_changed(self, _scheme: Qt.ColorScheme) -> None:
        if self._mode == "system" and self._resolved() != self._tokens.name:
            self._refresh()

    def _refresh(self) -> None:
        self._tokens = load_tokens(self._resolved())
        self._apply()
        self.changed.emit()

    def _apply(self) -> None:
        self._app.setFont(self.font())
        self._app.setPalette(self._palette())
        sheet = self._style_sheet()
        # In exchange for another sheet Qt styles each widget once for every widget above it; without one, once.
        self._app.setStyleSheet("")
        self._app.setStyleSheet(sheet)

    def _style_sheet(self) -> str:
        template = Template(resource("theme", "style.qss").read_text(encoding="utf-8"))
        indicator = self.px(8) * 2
        return template.substitute(
            self._tokens.color,
            **draw_marks(self._tokens.color),
            font_title=self._font_px("title"),
            font_heading=self._font_px("heading"),
            font_small=self._font_px("small"),
            mono=f'"{self._mono}"',
            control=self.px(20),
            arrow=self.px(11),
            indicator=indicator,
            indicator_round=indicator // 2 + 1,
        )

    def _palette(self) -> QPalette:
        palette, roles = QPalette(), QPalette.ColorRole
        pairs = {
            roles.Window: "background_1",
            roles.WindowText: "text_1",
            roles.Base: "background_1",
            roles.AlternateBase: "background_2",
            roles.Text: "text_1",
            roles.Button: "background_2",
            roles.ButtonText: "text_1",
            roles.BrightText: "danger",
            roles.ToolTipBase: "background_3",
            roles.ToolTipText: "text_1",
            roles.Highlight: "accent",
            roles.HighlightedText: "on_accent",
            roles.Link: "accent",
            roles.LinkVisited: "accent",
            roles.PlaceholderText: "text_3",
            roles.Accent: "accent",
            roles.Light: "background_1",
            roles.Midlight: "line",
            roles.Mid: "line_strong",
            roles.Dark: "line_strong",
            roles.Shadow: "line_strong",
        }
        for role, token in pairs.items():
            palette.setColor(role, self.color(token))
        for role in (roles.WindowText, roles.Text, roles.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.color("text_3"))
        return palette
