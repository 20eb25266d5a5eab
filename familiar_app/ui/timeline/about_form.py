"""The form of the side view that says whom chosen facts are about, where that was noted of the wrong person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QComboBox, QWidget

from familiar_app.domain.fact import Fact, Subject
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.ui.kit.field import LabelledField
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.form import AboutField, People, form_steps, told_apart

Save = Callable[[PersonKey | None, tuple[Subject, ...]], object]
EVERYBODY = tr_later("Everybody they are about")


class AboutForm(QWidget):
    """A form for one or many facts; `save` gets who is wrong (None: all of them) and who is right."""

    def __init__(
        self, theme: Theme, people: People, facts: Sequence[Fact], *, save: Save, cancel: Callable[[], object]
    ) -> None:
        super().__init__()
        self._save = save
        self.wrong = QComboBox()
        titles = told_apart(people)
        for one in _most_frequent(facts):
            self.wrong.addItem(titles.get(one.key, one.display_at_write), str(one.key))
        self.wrong.addItem(tr(EVERYBODY), "")
        self.wrong.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.wrong.setMinimumContentsLength(12)
        self.about = AboutField(theme, people, ())
        self._missing = label(tr("Add the person they are about."), "danger", wrap=True)
        self._missing.hide()
        kept = ntr(
            "The fact keeps its words, dates and sources. What was noted stays in the history.",
            "All {n} facts keep their words, dates and sources. What was noted stays in the history.",
            len(facts),
        )
        layout = column(margins=16, spacing=12)
        layout.addWidget(label(kept, "quiet", wrap=True))
        hint = tr("Facts that are not about them stay as they are.")
        layout.addWidget(LabelledField(tr("Instead of"), self.wrong, hint=hint))
        layout.addWidget(self.about)
        layout.addWidget(self._missing)
        layout.addLayout(form_steps(tr("Save"), self.press, cancel))
        layout.addStretch(1)
        self.setLayout(layout)

    def press(self) -> None:
        """Hand over who is wrong and who is right, or say what is missing."""
        right = tuple(self.about.chosen)
        self._missing.setVisible(not right)
        if right:
            key = self.wrong.currentData()
            self._save(PersonKey(key) if key else None, right)
        else:
            self.about.setFocus()


def _most_frequent(facts: Sequence[Fact]) -> list[Subject]:
    """Return whom facts are about, those of most facts first."""
    count = Counter(subject.key for fact in facts for subject in fact.subjects)
    names = {subject.key: subject for fact in facts for subject in fact.subjects}
    return [names[key] for key, _ in count.most_common()]
