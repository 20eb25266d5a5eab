"""A calendar that leads to the messages of a day."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import QDate, QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QCalendarWidget, QFrame, QToolButton, QWidget

from familiar_app.domain.text import language, tr
from familiar_app.ui.chat.calendar import Calendar
from familiar_app.ui.kit.icon import keep_icon
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.kit.theme import Theme


class DayPicker(QFrame):
    """A calendar that pops up; days on which something was said are bold."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget, calendar: Calendar, today: date) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._days = QCalendarWidget()
        self._days.setAccessibleName(tr("Go to a day"))
        self._days.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        self._days.setLocale(QLocale(language()))
        self._days.setFirstDayOfWeek(self.locale().firstDayOfWeek())
        self._style(theme)
        bold = QTextCharFormat()
        bold.setFontWeight(700)
        bold.setFontUnderline(True)
        for mark in calendar.days:
            day = date.fromisoformat(mark.day)
            self._days.setDateTextFormat(QDate(day.year, day.month, day.day), bold)
        if calendar.days:
            first = date.fromisoformat(calendar.days[0].day)
            self._days.setMinimumDate(QDate(first.year, first.month, first.day))
        self._days.setMaximumDate(QDate(today.year, today.month, today.day))
        self._days.activated.connect(self._choose)
        self._days.clicked.connect(self._choose)
        layout = column(margins=8)
        layout.addWidget(label(tr("Underlined days have messages."), "faint"))
        layout.addWidget(self._days)
        self.setLayout(layout)

    def _style(self, theme: Theme) -> None:
        plain = QTextCharFormat()
        plain.setForeground(theme.color("text_1"))
        for weekday in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):
            self._days.setWeekdayTextFormat(weekday, plain)
        head = QTextCharFormat()
        head.setForeground(theme.color("text_3"))
        head.setBackground(theme.color("background_1"))
        self._days.setHeaderTextFormat(head)
        self._days.setHorizontalHeaderFormat(QCalendarWidget.HorizontalHeaderFormat.ShortDayNames)
        self._days.setMinimumSize(theme.px(320), theme.px(250))
        text, ground, marked = theme.hex("text_1"), theme.hex("background_1"), theme.hex("accent")
        self._days.setStyleSheet(
            f"QWidget#qt_calendar_navigationbar {{ background: {ground}; }}"
            f"QToolButton {{ color: {text}; font-weight: 600; }}"
            f"QTableView {{ background: {ground}; selection-background-color: {marked}; "
            f"selection-color: {theme.hex('on_accent')}; }}"
            "QTableView::item { padding: 0; border-radius: 0; }"
            f"QTableView::item:selected {{ background: {marked}; color: {theme.hex('on_accent')}; }}"
        )
        left, right = (self._days.findChild(QToolButton, f"qt_calendar_{way}month") for way in ("prev", "next"))
        arrows = ((left, tr("Earlier month"), "chevron_left"), (right, tr("Later month"), "chevron_right"))
        for arrow, name, shown in arrows:
            if arrow is not None:
                keep_icon(theme, arrow, shown, side=16)
                arrow.setAccessibleName(name)

    def open_at(self, place: QPoint) -> None:
        """Show the calendar with its right upper corner at a point of the screen."""
        self.adjustSize()
        self.move(place.x() - self.width(), place.y())
        self.show()
        self._days.setFocus()

    def _choose(self, day: QDate) -> None:
        self.chosen.emit(date(day.year(), day.month(), day.day()))
        self.close()
