"""What the People panel shows in the side view: one person, or several who may be one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from PySide6.QtWidgets import QComboBox

from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import OWNER, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.store.person_count import PersonRow
from familiar_app.ui.kit.side_page import SidePage
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.people.model import DossierPart, Sheet
from familiar_app.ui.people.plot import MonthPlot
from familiar_app.ui.people.word import (
    LEVELS,
    fact_note,
    facts,
    last_seen,
    messages,
    minute,
    name_line,
    plot_words,
    short,
)

MOST_NAMES = 12
MOST_OFFERED = 8
_WITHHELD = tr_later("No dossier and no memories are shown, since nothing is to be kept about this person.")
_UNTOLD = tr_later("What was noted before is hidden while this level holds.")


@dataclass(frozen=True, slots=True)
class Ways:
    """What a page can lead to and do. `offers` tells whether there is a panel of that id."""

    go: Callable[[str, str], object]
    offers: Callable[[str], bool]
    set_privacy: Callable[[PersonRow, PrivacyLevel], object]
    part: Callable[[PersonKey], object]
    merge: Callable[[Sequence[PersonRow], PersonKey], object]
    more_facts: Callable[[], object]
    erase: Callable[[PersonRow], object]


class PersonPage(SidePage):
    """One person: who it is, when, what is written about them, what they said, what can be done."""

    def __init__(self, theme: Theme, sheet: Sheet, ways: Ways, *, zone: tzinfo, ego: PersonKey) -> None:
        super().__init__(tr("Details of the person"))
        self._theme, self._sheet, self._ways, self._zone, self._ego = theme, sheet, ways, zone, ego
        self._head()
        self._dossier()
        self._facts()
        self._memories()
        self._messages()
        self._identities()
        if sheet.row.key != ego:
            self._privacy()
        if sheet.row.key not in (ego, OWNER):
            self._erasing()
        self.end()

    def _head(self) -> None:
        row, zone = self._sheet.row, self._zone
        kind = {self._ego: tr("The familiar itself"), OWNER: tr("You")}.get(row.key, tr("A bot") if row.bot else "")
        if kind:
            self.text(kind, "quiet")
        self.text(row.key, "faint", selectable=True)
        self.text(f"{messages(row.turns)}, {last_seen(row, zone)}", "quiet")
        if self._sheet.names:
            self.part(tr("Names over time"))
            for span in reversed(self._sheet.names[-MOST_NAMES:]):
                self.text(name_line(span, zone), "quiet")
            more = len(self._sheet.names) - MOST_NAMES
            if more > 0:
                self.text(ntr("And {n} earlier one.", "And {n} earlier ones.", more), "faint")

    def _dossier(self) -> None:
        sheet = self._sheet
        self.part(tr("Dossier"))
        if not sheet.row.privacy.allows_memories:
            self.text(tr(_WITHHELD), "quiet")
        elif not sheet.dossiers:
            self.text(tr("None yet. It is written by itself once there are facts."), "quiet")
        for one in sheet.dossiers:
            self.text(one.dossier.text, selectable=True)
            self.text(self._written(one), "faint")

    def _written(self, part: DossierPart) -> str:
        """Say when a dossier was written, and from which facts."""
        last = part.dossier.last_fact_id
        known = sum(fact.id <= last for fact in self._sheet.facts)
        values = {"when": minute(part.dossier.created_at, self._zone), "fact": str(last), "known": known}
        if not part.whose:
            return tr("Written {when} from facts up to F#{fact}; {known} of those below.", **values)
        text = tr_later("Of {whose}, written {when} from facts up to F#{fact}; {known} of those below.")
        return tr(text, whose=part.whose, **values)

    def _facts(self) -> None:
        sheet = self._sheet
        self.part(tr("Facts ({n})", n=sheet.row.facts))
        if not sheet.row.privacy.allows_memories:
            self.text(tr(_UNTOLD), "quiet")
        elif not sheet.facts:
            self.text(tr("Nothing is believed about this person."), "quiet")
        for fact in sheet.facts:
            self._fact(fact)
        pairs: list[tuple[str, Callable[[], Any]]] = []
        if len(sheet.facts) < sheet.row.facts:
            pairs.append((tr("More facts"), self._ways.more_facts))
        if sheet.facts and self._ways.offers("timeline"):
            pairs += [self._timeline(one) for one in sheet.row.identities]
        self.buttons(pairs)

    def _timeline(self, identity: PersonKey) -> tuple[str, Callable[[], Any]]:
        """Return the way to the lane of an identity; each has one of its own."""
        several = len(self._sheet.row.identities) > 1
        title = tr("{name} on the timeline", name=short(identity, 24)) if several else tr("On the timeline")
        return title, lambda: self._ways.go("timeline", f"person:{identity}")

    def _fact(self, fact: Fact) -> None:
        note = fact_note(fact, self._zone, in_dossier=self._sheet.in_dossier(fact))
        if self._ways.offers("timeline"):
            self.chip(fact.text, lambda: self._ways.go("timeline", str(fact.id)), note=note)
        else:
            self.text(note, "faint")
            self.text(fact.text)

    def _memories(self) -> None:
        if not self._sheet.memories:
            return
        self.part(tr("Saved memories"))
        for number, text in self._sheet.memories:
            if self._ways.offers("memories"):
                self.chip(text, lambda number=number: self._ways.go("memories", str(number)))
            else:
                self.text(f"• {text}")

    def _messages(self) -> None:
        sheet = self._sheet
        self.part(tr("Messages by month"))
        self.text(plot_words(sheet.months), "quiet")
        if sheet.months:
            self.column.addWidget(MonthPlot(self._theme, sheet.months))
        if sheet.said:
            self.part(tr("Said last"))
        for turn in sheet.said:
            place = f"{turn.channel}:{turn.id}"
            note = minute(turn.at, self._zone)
            self.chip(short(turn.content) or "…", lambda place=place: self._ways.go("chat", place), note=note)

    def _identities(self) -> None:
        row = self._sheet.row
        if len(row.identities) == 1:
            return
        self.part(tr("Counts as one person with"))
        for other in row.identities[1:]:
            self.text(other, selectable=True)
            title = tr("Take {name} apart", name=short(other, 24))
            self.buttons([(title, lambda other=other: self._ways.part(other))])

    def _privacy(self) -> None:
        row = self._sheet.row
        self.part(tr("What may be kept"))
        choice = QComboBox()
        choice.setAccessibleName(tr("What may be kept about this person"))
        for level, title, _text in LEVELS:
            choice.addItem(tr(title), level)
        choice.setCurrentIndex(choice.findData(row.privacy))
        choice.activated.connect(lambda _at: self._ways.set_privacy(row, PrivacyLevel(choice.currentData())))
        self.column.addWidget(choice)
        self.text(next(tr(text) for level, _title, text in LEVELS if level is row.privacy), "faint")

    def _erasing(self) -> None:
        row = self._sheet.row
        self.part(tr("Erase"))
        self.text(tr("Removes what they said and all that is known of them. You see first what will go."), "faint")
        self.buttons([(tr("Erase {name}…", name=short(row.label, 24)), lambda: self._ways.erase(row))])


class SeveralPage(SidePage):
    """Several chosen people, who can be said to be one."""

    def __init__(self, rows: Sequence[PersonRow], ways: Ways, *, zone: tzinfo, ego: PersonKey) -> None:
        super().__init__(tr("Chosen people"))
        self.text(ntr("{n} person is chosen.", "{n} people are chosen.", len(rows)), "quiet")
        for row in rows[:MOST_OFFERED]:
            self.text(f"{row.label} · {row.key}", "strong")
            self.text(f"{messages(row.turns)}, {facts(row.facts)}, {last_seen(row, zone)}", "faint")
        more = len(rows) - MOST_OFFERED
        if more > 0:
            text = tr("And {n} more. Up to {most} can be merged at once.", n=more, most=MOST_OFFERED)
            self.text(text, "quiet")
        elif any(row.key == ego for row in rows):
            self.text(tr("The familiar itself cannot be merged with anybody."), "quiet")
        else:
            self._offer_merging(rows, ways)
        self.end()

    def _offer_merging(self, rows: Sequence[PersonRow], ways: Ways) -> None:
        self.part(tr("Are they one person?"))
        self.text(tr("Messages and facts stay as they are; they are only shown under one name. You can take it back."))
        self.buttons(
            (
                tr("Yes, show them as {name} ({key})", name=row.label, key=short(row.key, 24)),
                lambda row=row: ways.merge(rows, row.key),
            )
            for row in rows
        )
