"""Carries what the tester found out to the parts of a book: the budget, the order of the table, the form."""

from __future__ import annotations

from familiar_app.domain.lorebook.verdict import Reason
from familiar_app.domain.text import tr
from familiar_app.ui.kit.label import label
from familiar_app.ui.lorebook.budget_bar import BudgetBar
from familiar_app.ui.lorebook.form import Form
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.tester import TrialModel
from familiar_app.ui.lorebook.trial import Verdict

AFTER_THE_FIRED = 100_000


class Outcome:
    """Owns the label beside the bar of the budget, `used`."""

    def __init__(self, model: LorebookModel, tester: TrialModel, bar: BudgetBar, form: Form) -> None:
        self._model, self._tester = model, tester
        self._bar, self._form = bar, form
        self.used = label("", "faint")

    def show(self) -> None:
        """Show a trial that has just ended."""
        model, trial = self._model, self._tester.trial
        fired = {one.uid: number for number, one in enumerate(trial.fired)}
        model.ranks = {one.uid: AFTER_THE_FIRED for one in trial.nearly} | fired
        self._bar.show_trial(trial, trial.budget_tokens or self._tester.terms().room_tokens)
        model.sort_again("test")
        self.show_of_entry()
        self.show_used()

    def show_of_entry(self) -> None:
        """Show in the form what the trial says of its entry."""
        entry = self._model.entry(self._model.current)
        if entry is None:
            return
        count, exact = self._tester.tokens_of(entry.content), self._tester.is_counted(entry.content)
        self._form.show_tokens(count, exact=exact)
        trial = self._tester.trial
        verdict = trial.by_uid.get(entry.uid)
        if verdict is None:
            self._form.show_verdict("", "faint", trial.matching)
            return
        role = "good" if verdict.fires else ("warning" if verdict.near else "faint")
        # That it has no keys is among the warnings above it already.
        why = "" if verdict.reason is Reason.NO_KEYS else f" {verdict.why}"
        self._form.show_verdict(_verdict_word(verdict) + why, role, trial.matching)

    def show_used(self) -> None:
        """Say how much of the budget is used."""
        limit = self._tester.terms().room_tokens
        used = sum(one.tokens for one in self._tester.trial.fired)
        self.used.setText(tr("{used} of {limit} tokens", used=used, limit=limit))


def _verdict_word(verdict: Verdict) -> str:
    if verdict.fires:
        return tr("Fires on the tester's text.")
    return tr("Nearly fires on the tester's text.") if verdict.near else tr("Does not fire on the tester's text.")
