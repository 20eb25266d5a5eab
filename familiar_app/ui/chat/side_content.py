"""What the chat shows in the side view: the prompt behind a reply, earlier texts of a turn, a text as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFormLayout, QPlainTextEdit, QScrollArea, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from familiar_app.domain.text import tr
from familiar_app.domain.turn import Revision
from familiar_app.ui.chat.row import full_time
from familiar_app.ui.chat.why import Why
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.icon import keep_icon
from familiar_app.ui.kit.label import column, label, line, row, set_role
from familiar_app.ui.kit.theme import Theme

_MOST_LINES = 16


def text_view(theme: Theme, text: str, name: str, *, lines: int | None = None) -> QPlainTextEdit:
    """Make a field that shows text as it stands, to be read, marked and copied. `lines` bounds its height."""
    made = ReadText(lines)
    made.setReadOnly(True)
    made.setAccessibleName(name)
    made.setTabChangesFocus(True)
    made.setFont(theme.font("code"))
    made.setPlainText(text)
    made.fit()
    return made


class ReadText(QPlainTextEdit):
    """A field as high as its wrapped text, up to a number of lines; without one, as high as it is made."""

    def __init__(self, most_lines: int | None) -> None:
        super().__init__()
        self._most_lines = most_lines

    def fit(self) -> None:
        """Take the height of the text at the present width."""
        if self._most_lines is None:
            return
        # A plain text document's height is in lines, wrapped ones included.
        lines = max(1, min(self._most_lines, int(self.document().size().height())))
        height = int(self.fontMetrics().lineSpacing() * lines + 2 * self.document().documentMargin() + 14)
        if self.height() != height or self.maximumHeight() != height:
            self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


class ShareBar(QWidget):
    """A thin bar that shows how much of the prompt a layer takes."""

    def __init__(self, theme: Theme, share: float) -> None:
        super().__init__()
        self._theme, self._share = theme, share
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("{percent} % of the prompt", percent=round(share * 100)))

    def sizeHint(self) -> QSize:
        return QSize(80, 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("background_3"))
        painter.drawRoundedRect(QRectF(self.rect()), 2, 2)
        painter.setBrush(self._theme.color("accent"))
        painter.drawRoundedRect(QRectF(0, 0, max(3.0, self.width() * self._share), self.height()), 2, 2)
        painter.end()


class Section(QWidget):
    """A heading that opens and closes what is below it. `fill` builds the inside when it is first opened."""

    def __init__(self, theme: Theme, title: str, summary: str, fill: Callable[[QVBoxLayout], object]) -> None:
        super().__init__()
        self._theme, self._fill = theme, fill
        self._filled = False
        self._head = QToolButton()
        self._head.setText(title)
        self._head.setAccessibleName(f"{title}, {summary}")
        self._head.setCheckable(True)
        self._head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._head.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._head.toggled.connect(self._toggle)
        self._inside = QWidget()
        self._inside_layout = QVBoxLayout(self._inside)
        self._inside_layout.setContentsMargins(8, 0, 0, 8)
        self._inside_layout.setSpacing(4)
        self._inside.hide()
        layout = column(spacing=2)
        layout.addWidget(self._head)
        note = label(summary, "faint", wrap=True)
        note.setContentsMargins(8, 0, 0, 0)
        note.setVisible(bool(summary))
        layout.addWidget(note)
        layout.addWidget(self._inside)
        self.setLayout(layout)
        self._toggle(on=False)

    def open(self) -> None:
        """Show the inside."""
        self._head.setChecked(True)

    def _toggle(self, on: bool) -> None:
        keep_icon(self._theme, self._head, "chevron_down" if on else "chevron_right", side=14)
        if on and not self._filled:
            self._filled = True
            self._fill(self._inside_layout)
        self._inside.setVisible(on)


class WhyView(QScrollArea):
    """The prompt behind a reply: facts, layers with their shares, messages, and what the provider was sent."""

    def __init__(
        self,
        theme: Theme,
        why: Why,
        show_turn: Callable[[int], object],
        *,
        inspect: Callable[[], object] | None = None,
    ) -> None:
        super().__init__()
        self._theme, self._show_turn = theme, show_turn
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("The prompt behind this answer"))
        inside = QWidget()
        layout = column(margins=16, spacing=12)
        if inspect is not None:
            self.inspect = button(tr("Open in Prompts"), inspect, theme=theme, icon="prompts")
            layout.addWidget(self.inspect, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addLayout(self._facts(why))
        layout.addWidget(line())
        layout.addWidget(label(tr("Layers"), "strong"))
        for layer in why.layers:
            section = Section(theme, layer.title, layer.summary, self._layer_filler(layer.text, layer.left_out))
            section.layout().insertWidget(2, ShareBar(theme, layer.share))
            layout.addWidget(section)
        layout.addWidget(line())
        layout.addWidget(label(tr("Messages as they were sent ({n})", n=len(why.messages)), "strong", wrap=True))
        for message in why.messages:
            preview = " ".join(message.text.split())
            preview = preview if len(preview) <= 70 else preview[:69] + "…"
            layout.addWidget(Section(theme, message.title, preview, self._message_filler(message.text, message.turn)))
        if why.sent is not None:
            layout.addWidget(line())
            layout.addWidget(Section(theme, tr("Request, byte for byte"), "", self._message_filler(why.sent, None)))
        layout.addStretch(1)
        inside.setLayout(layout)
        self.setWidget(inside)

    def _facts(self, why: Why) -> QFormLayout:
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(4)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        for name, value in why.facts:
            form.addRow(label(name, "faint"), label(value, wrap=True, selectable=True))
        return form

    def _layer_filler(self, text: str, left_out: Sequence[str]) -> Callable[[QVBoxLayout], object]:
        def fill(layout: QVBoxLayout) -> None:
            shown = text or tr("(nothing)")
            layout.addWidget(text_view(self._theme, shown, tr("Text of the layer"), lines=_MOST_LINES))
            for one in left_out:
                layout.addWidget(label(tr("Left out: {what}", what=one), "faint", wrap=True))

        return fill

    def _message_filler(self, text: str, turn: int | None) -> Callable[[QVBoxLayout], object]:
        def fill(layout: QVBoxLayout) -> None:
            layout.addWidget(text_view(self._theme, text, tr("Text of the message"), lines=_MOST_LINES))
            steps = row(spacing=4)
            steps.addWidget(button(tr("Copy"), lambda: QGuiApplication.clipboard().setText(text), role="link"))
            if turn is not None:
                steps.addWidget(button(tr("Show in the conversation"), lambda: self._show_turn(turn), role="link"))
            steps.addStretch(1)
            layout.addLayout(steps)

        return fill


class RevisionsView(QScrollArea):
    """All texts a turn has had, newest first, each with the way back to it."""

    def __init__(
        self, theme: Theme, revisions: Sequence[Revision], zone: tzinfo, restore: Callable[[Revision], object]
    ) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Versions of this message"))
        inside = QWidget()
        layout = column(margins=16, spacing=8)
        for place, revision in enumerate(revisions):
            name = tr("Version {number}", number=revision.number)
            layout.addWidget(label(tr("{version} · now", version=name) if place == 0 else name, "strong"))
            layout.addWidget(label(full_time(revision.at, zone), "faint"))
            layout.addWidget(text_view(theme, revision.content, name, lines=_MOST_LINES))
            if place > 0:
                back = button(tr("Use this text again"), lambda chosen=revision: restore(chosen), role="link")
                layout.addWidget(back, 0, Qt.AlignmentFlag.AlignLeft)
            layout.addWidget(line())
        layout.addStretch(1)
        inside.setLayout(layout)
        self.setWidget(inside)


def whole_text(theme: Theme, text: str, name: str) -> QWidget:
    """Show a text as a whole, plain."""
    view = text_view(theme, text, name)
    view.setFont(theme.font("body"))
    set_role(view, "bare")
    inside = QWidget()
    layout = column(margins=16)
    layout.addWidget(view)
    inside.setLayout(layout)
    return inside
