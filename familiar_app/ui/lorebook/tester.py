"""What the tester holds: its text or turns, the budget, the token counts, and the newest outcome. Without Qt.

Listeners hear `test` (another outcome), `text` (the text was filled in), `moment`, `step` (another part of the outcome
is shown) and `tokens`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.lorebook.trial import NOTHING, Pass, Question, Terms, Trial, Trials, Verdict

COUNT_TIMEOUT_S = 20.0
BATCH = 200
CHARS_PER_TOKEN = 3.8
MOST_NEARLY = 200


@dataclass(frozen=True, slots=True)
class Moment:
    """A turn of a channel: its line as it is searched, and when it was said, in words."""

    line: str
    at: str


@dataclass(frozen=True, slots=True)
class Said:
    """The turns of a channel, oldest first; `window` of them are looked at. `channels` are (key, title) of all."""

    moments: tuple[Moment, ...] = ()
    window: int = 1
    channel: str = ""
    channels: tuple[tuple[str, str], ...] = ()


class CountsTokens(Protocol):
    """The part of a model that counts."""

    async def count_tokens(self, texts: Sequence[str]) -> list[int]: ...


class TrialModel:
    """Tests a book against a text. Paragraphs with an empty line between them are messages, the last the newest."""

    def __init__(self, terms: Callable[[], Terms], model: Callable[[], CountsTokens | None]) -> None:
        self.terms = terms
        self.text = ""
        self.trial: Trial = NOTHING
        self.step = 0
        self.every = False
        self.said = Said()
        self.back = 0
        self._model = model
        self._counts: dict[str, int] = {}
        self._trials = Trials()
        self._asked = 0
        self._listeners: list[Callable[[str], object]] = []

    def watch(self, listener: Callable[[str], object]) -> None:
        """Call `listener` with a word after each change."""
        self._listeners.append(listener)

    def _tell(self, what: str) -> None:
        for listener in list(self._listeners):
            listener(what)

    def spans(self) -> list[tuple[int, int]]:
        """Return where each message stands in the text, oldest first."""
        found, start = [], 0
        for part in re.split(r"(\n[ \t]*\n)", self.text):
            inner = part.strip()
            if inner:
                at = start + part.index(inner)
                found.append((at, at + len(inner)))
            start += len(part)
        return found

    def messages(self) -> tuple[str, ...]:
        """Return the text as messages, oldest first."""
        return tuple(self.text[start:end] for start, end in self.spans())

    def put_text(self, text: str) -> None:
        """Note what was typed; it is no moment of a channel any more."""
        self.text = text
        if self.said.moments:
            self.said = Said()
            self._tell("moment")

    def fill(self, said: Said) -> None:
        """Take turns of a channel; the newest of them, as many as are looked at, become the text."""
        self.said, self.back = said, 0
        self._take_moment()

    @property
    def most_back(self) -> int:
        """How many turns back one can go."""
        return max(0, len(self.said.moments) - 1)

    def go_back(self, turns: int) -> None:
        """Show the moment that lies so many turns back."""
        turns = max(0, min(turns, self.most_back))
        if self.said.moments and turns != self.back:
            self.back = turns
            self._take_moment()

    def _take_moment(self) -> None:
        moments = self.said.moments
        end = len(moments) - self.back
        shown = moments[max(0, end - max(1, self.said.window)) : end]
        self.text = "\n\n".join(re.sub(r"\n\s*\n", "\n", one.line.strip()) for one in shown)
        self._tell("text")
        self._tell("moment")

    def moment_words(self) -> str:
        """Say which moment is shown."""
        if not self.said.moments:
            return ""
        at = self.said.moments[-1 - self.back].at
        if not self.back:
            return tr("{moment}, newest", moment=at)
        return ntr("{moment}, {n} back", "{moment}, {n} back", self.back, moment=at)

    # ---- the outcome

    def go_to(self, step: int) -> None:
        """Show one pass (from 1), or with 0 what came of them all."""
        step = max(0, min(step, len(self.trial.passes)))
        if step != self.step:
            self.step = step
            self._tell("step")

    def show_every(self, on: bool) -> None:
        """List every entry with its reason, or only those that fire or nearly do."""
        if on != self.every:
            self.every = on
            self._tell("step")

    def the_pass(self) -> Pass | None:
        """Return the pass that is shown, None where all are."""
        return self.trial.passes[self.step - 1] if 0 < self.step <= len(self.trial.passes) else None

    def listed(self) -> list[Verdict]:
        """Return the verdicts that are shown: what fires first, then what nearly does, then the rest if wanted."""
        one, trial = self.the_pass(), self.trial
        if one is not None:
            return [*one.came, *one.nearly[:MOST_NEARLY]]
        if not self.every:
            return [*trial.fired, *trial.nearly[:MOST_NEARLY]]
        shown = {verdict.uid for verdict in (*trial.fired, *trial.nearly)}
        return [*trial.fired, *trial.nearly, *(one for one in trial.by_uid.values() if one.uid not in shown)]

    def summary(self) -> str:
        """Say in a line what came of the test, or of the pass that is shown."""
        one, trial = self.the_pass(), self.trial
        if not self.messages():
            return tr("Nothing to test yet.")
        if one is not None:
            return _pass_words(one, len(trial.passes))
        told = [
            _outcome_words(len(trial.fired), len(trial.nearly)),
            tr("{used} of {limit} tokens.", used=trial.used_tokens, limit=trial.budget_tokens),
        ]
        return " ".join([*told, tr("The budget is used up.")] if trial.overflowed else told)

    def marks(self) -> list[tuple[int, int, Verdict]]:
        """Return which parts of the text woke entries that are shown, or nearly did."""
        spans, found = self.spans(), []
        for one in self.listed()[: MOST_NEARLY * 2]:
            if one.hit is not None and one.hit.message < len(spans):
                start, end = spans[one.hit.message]
                found.append((min(start + one.hit.start, end), min(start + one.hit.end, end), one))
        return found

    async def run(self, book: LoreBook, shown: LoreEntry | None) -> bool:
        """Test in a thread; False where a later question overtook this one."""
        self._asked += 1
        mine = self._asked
        question = Question(book, self.messages(), self.terms(), shown)
        trial = NOTHING
        if question.messages:
            trial = await asyncio.to_thread(self._trials.run, question, self.tokens_of, lambda: mine == self._asked)
        if mine != self._asked:
            return False
        self.trial = trial
        self.step = min(self.step, len(trial.passes))
        self._tell("test")
        return True

    # ---- tokens

    def tokens_of(self, text: str) -> int:
        """Return the tokens of a text: counted, or estimated where that has not been done yet."""
        text = text.rstrip("\n")
        known = self._counts.get(text)
        return known if known is not None else estimate(text)

    def is_counted(self, text: str) -> bool:
        """Tell whether a text was counted by the model itself."""
        return text.rstrip("\n") in self._counts

    async def count(self, entries: Sequence[LoreEntry]) -> None:
        """Have the model count the contents that are not known yet, in batches; estimates stay where it cannot."""
        waiting = list(dict.fromkeys(one.content for one in entries if one.content.rstrip("\n") not in self._counts))
        model = self._model()
        if model is None or not waiting:
            return
        for start in range(0, len(waiting), BATCH):
            texts = [text.rstrip("\n") for text in waiting[start : start + BATCH]]
            try:
                counts = await asyncio.wait_for(model.count_tokens(texts), COUNT_TIMEOUT_S)
            except (FamiliarError, TimeoutError):
                # The model has its own place where its failure is shown; estimates, marked as such, stay here.
                return
            self._counts.update(zip(texts, counts, strict=True))
            self._tell("tokens")


def _pass_words(one: Pass, passes: int) -> str:
    if not one.came:
        return tr(
            "Pass {number} of {passes}, over {over}: nothing came in.",
            number=one.number,
            passes=passes,
            over=one.over,
        )
    return ntr(
        "Pass {number} of {passes}, over {over}: {n} entry came in.",
        "Pass {number} of {passes}, over {over}: {n} entries came in.",
        len(one.came),
        number=one.number,
        passes=passes,
        over=one.over,
    )


def _outcome_words(fired: int, near: int) -> str:
    if near:
        return ntr("{n} entry fires, {near} nearly.", "{n} entries fire, {near} nearly.", fired, near=near)
    return ntr("{n} entry fires.", "{n} entries fire.", fired)


def estimate(text: str) -> int:
    """Return about how many tokens a text has."""
    return max(1, round(len(text) / CHARS_PER_TOKEN)) if text else 0
