"""The forms of the side view: what a fact says, about whom, from when to when; and dates alone for many facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QSpinBox, QWidget

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.fact import Fact, Subject
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.text import ntr, ptr, tr, tr_later
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.field import LabelledField, line_edit
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import clear_layout, column, label, row
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.correction import Wish
from familiar_app.ui.timeline.scale import read_instant, written

People = Sequence[tuple[PersonKey, str]]
NO_IMPORTANCE = 0
ABOUT_NOBODY = tr_later("It is about nobody yet. Choose whom it is about, or save again to leave it like that.")


def told_apart(people: People) -> dict[PersonKey, str]:
    """Return what to call people in a list; those who share a name have their key behind it."""
    count = Counter(name for _, name in people)
    return {key: name if count[name] == 1 else f"{name} ({key})" for key, name in people}


class DatesFields(QWidget):
    """Two fields for world time; an empty one is open."""

    def __init__(self, zone: tzinfo, now: Callable[[], int], start: datetime | None, end: datetime | None) -> None:
        super().__init__()
        self._zone, self._now, self._fields = zone, now, {}
        layout = column(spacing=8)
        for name, title, at, hint in (
            ("from", tr("True from"), start, tr("Like 2024-05-01 18:30. Empty: always, or since its source was said.")),
            ("to", tr("True to"), end, tr("Empty: still true.")),
        ):
            text = "" if at is None else written(to_micros(at), zone, precise=bool(at.second))
            field = LabelledField(title, line_edit(text, placeholder=tr("date and time"), name=title), hint=hint)
            self._fields[name] = (field, text, at)
            layout.addWidget(field)
        self.setLayout(layout)

    def read(self) -> tuple[datetime | None, datetime | None] | None:
        """Return both dates, or say what is wrong and return None."""
        found: dict[str, datetime | None] = {}
        for name, (field, shown, at) in self._fields.items():
            edit: QLineEdit = field.inner
            field.set_wrong("")
            text = edit.text().strip()
            try:
                # A date that was not touched keeps the seconds that the field does not show.
                found[name] = at if text == shown else from_micros(read_instant(text, self._zone, self._now()))
            except BadInputError as error:
                if text:
                    field.set_wrong(f"{error}")
                    edit.setFocus()
                    return None
                found[name] = None
        start, end = found["from"], found["to"]
        if start is not None and end is not None and end <= start:
            self._fields["to"][0].set_wrong(tr("The fact would end before it begins."))
            return None
        return start, end


class AboutField(QWidget):
    """The people a fact is about, as chips; a press on one takes it out, the list below adds one."""

    def __init__(self, theme: Theme, people: People, chosen: Sequence[Subject]) -> None:
        super().__init__()
        self._theme, self._people = theme, list(people)
        self._titles = told_apart(people)
        self.chosen = list(chosen)
        self._chips = QWidget()
        self._flow = FlowLayout(self._chips, spacing=4)
        self._add = QComboBox()
        self._add.setAccessibleName(tr("Add somebody it is about"))
        self._add.addItem(tr("Add somebody…"))
        for key, _name in self._people:
            self._add.addItem(self._titles[key], str(key))
        self._add.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._add.setMinimumContentsLength(12)
        self._add.activated.connect(self._take)
        self.setFocusProxy(self._add)
        layout = column(spacing=4)
        layout.addWidget(label(ptr("whom a fact is about", "About"), "strong"))
        layout.addWidget(self._chips)
        layout.addWidget(self._add)
        self.setLayout(layout)
        self._show()

    def _take(self, number: int) -> None:
        if number > 0:
            key, name = self._people[number - 1]
            if key not in {one.key for one in self.chosen}:
                self.chosen.append(Subject(key, name))
            self._show()
        self._add.setCurrentIndex(0)

    def add(self, subjects: Sequence[Subject]) -> None:
        """Take in people that are not there yet."""
        known = {one.key for one in self.chosen}
        self.chosen += [one for one in subjects if one.key not in known]
        self._show()

    def _drop(self, one: Subject) -> None:
        self.chosen = [other for other in self.chosen if other.key != one.key]
        self._show()
        self._add.setFocus()

    def _show(self) -> None:
        clear_layout(self._flow)
        for one in self.chosen:
            title = self._titles.get(one.key, one.display_at_write)
            chip = button(f"{title}  ✕", lambda one=one: self._drop(one), tip=tr("Take out"))
            chip.setAccessibleName(tr("Take out {name}", name=title))
            self._flow.addWidget(chip)
        self._chips.setVisible(bool(self.chosen))


class FactForm(QWidget):
    """A form for one fact; `save` gets the Wish. What it began with is in `prior`."""

    def __init__(
        self,
        theme: Theme,
        zone: tzinfo,
        now: Callable[[], int],
        people: People,
        *,
        prior: Fact | None,
        save: Callable[[Wish], object],
        cancel: Callable[[], object],
        hint: str = "",
    ) -> None:
        super().__init__()
        self._save = save
        self._nobody_is_meant = prior is not None and not prior.subjects
        self.text = QPlainTextEdit(prior.text if prior else "")
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(theme.px(90))
        self._text = LabelledField(tr("What is true"), self.text, hint=hint)
        self.about = AboutField(theme, people, prior.subjects if prior else ())
        valid = prior.valid if prior else None
        self.dates = DatesFields(zone, now, valid.since if valid else None, valid.until if valid else None)
        self.importance = QSpinBox()
        self.importance.lineEdit().setTextMargins(8, 0, 0, 0)
        self.importance.setRange(NO_IMPORTANCE, 10)
        self.importance.setSpecialValueText(tr("not said"))
        self.importance.setValue((prior.importance if prior else None) or NO_IMPORTANCE)
        layout = column(margins=16, spacing=12)
        self.nobody = label(tr(ABOUT_NOBODY), "warning", wrap=True)
        self.nobody.hide()
        layout.addWidget(self._text)
        layout.addWidget(self.about)
        layout.addWidget(self.nobody)
        layout.addWidget(self.dates)
        layout.addWidget(LabelledField(tr("Importance"), self.importance))
        layout.addLayout(form_steps(tr("Save"), self.press, cancel))
        layout.addStretch(1)
        self.setLayout(layout)

    def press(self) -> None:
        """Hand over what was typed, or say what is wrong with it."""
        text = self.text.toPlainText().strip()
        self._text.set_wrong("" if text else tr("A fact needs a text."))
        dates = self.dates.read()
        if not text:
            self.text.setFocus()
        elif dates is not None and self._about_is_meant():
            importance = self.importance.value()
            self._save(Wish(text, tuple(self.about.chosen), *dates, importance or None))

    def _about_is_meant(self) -> bool:
        """Tell whether somebody is named; where nobody is, that is said first, and the next press means it."""
        if self.about.chosen:
            self.nobody.hide()
            return True
        if self._nobody_is_meant or self.nobody.isVisibleTo(self):
            return True
        self.nobody.show()
        self.about.setFocus()
        return False


class DatesForm(QWidget):
    """A form for the dates of several facts; `save` gets both."""

    def __init__(
        self,
        zone: tzinfo,
        now: Callable[[], int],
        count: int,
        *,
        save: Callable[[datetime | None, datetime | None], object],
        cancel: Callable[[], object],
    ) -> None:
        super().__init__()
        self._save = save
        self.dates = DatesFields(zone, now, None, None)
        told = ntr("The fact gets these dates.", "All {n} facts get these dates.", count)
        layout = column(margins=16, spacing=12)
        layout.addWidget(label(told, "quiet", wrap=True))
        layout.addWidget(self.dates)
        layout.addLayout(form_steps(tr("Save"), self.press, cancel))
        layout.addStretch(1)
        self.setLayout(layout)

    def press(self) -> None:
        """Hand over the dates, or say what is wrong with them."""
        dates = self.dates.read()
        if dates is not None:
            self._save(*dates)


def form_steps(title: str, save: Callable[[], object], cancel: Callable[[], object]):
    """Make the row of a form's two buttons."""
    steps = row(spacing=8)
    made = button(title, save, role="primary")
    steps.addWidget(made)
    steps.addWidget(button(tr("Cancel"), cancel))
    steps.addStretch(1)
    steps.setAlignment(Qt.AlignmentFlag.AlignLeft)
    return steps
