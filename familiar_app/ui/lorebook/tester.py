"""What the tester holds: its text or turns, the budget, the token counts, and the newest outcome. Without Qt.

Listeners hear `test` (another outcome), `text` (the text was filled in) and `tokens`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Protocol

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.ui.lorebook.trial import NOTHING, Question, Terms, Trial, Trials

COUNT_TIMEOUT_S = 20.0
BATCH = 200
CHARS_PER_TOKEN = 3.8


class CountsTokens(Protocol):
    """The part of a model that counts."""

    async def count_tokens(self, texts: Sequence[str]) -> list[int]: ...


class TrialModel:
    """Tests a book against a text. Paragraphs with an empty line between them are messages, the last the newest."""

    def __init__(self, terms: Callable[[], Terms], model: Callable[[], CountsTokens | None]) -> None:
        self.terms = terms
        self.text = ""
        self.trial: Trial = NOTHING
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

    def messages(self) -> tuple[str, ...]:
        """Return the text as messages, oldest first."""
        return tuple(part.strip() for part in re.split(r"\n[ \t]*\n", self.text) if part.strip())

    def put_text(self, text: str) -> None:
        """Note what was typed."""
        self.text = text

    def fill(self, lines: Sequence[str]) -> None:
        """Take turns as the text, oldest first."""
        self.text = "\n\n".join(re.sub(r"\n\s*\n", "\n", line.strip()) for line in lines)
        self._tell("text")

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


def estimate(text: str) -> int:
    """Return about how many tokens a text has."""
    return max(1, round(len(text) / CHARS_PER_TOKEN)) if text else 0
