"""The token budget of one evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from familiar_app.domain.lorebook.entry import EntryKey
from familiar_app.domain.lorebook.scene import LoreSettings

CountTokens = Callable[[str], int]


def budget_tokens(settings: LoreSettings, prompt_tokens: int) -> int:
    """Return the budget in tokens, at least 1."""
    share = max(math.floor(settings.budget_percent * prompt_tokens / 100 + 0.5), 1)
    return min(share, settings.budget_cap) if settings.budget_cap > 0 else share


@dataclass(slots=True)
class Budget:
    """Counts what is accepted. An entry fits while the total stays below `limit`.

    The forgetful way counts the recursed text and this pass's contents, each as one text; the other way counts every
    accepted entry once.
    """

    limit: int
    count: CountTokens
    forgetful: bool
    overflowed: bool = False
    accepted_tokens: int = 0
    takers: list[tuple[EntryKey, str, int]] = field(default_factory=list)
    _recursed_tokens: int = 0
    _pass_text: str = ""

    def start_pass(self, recursed: str) -> None:
        """Begin a pass; `recursed` is all text that recursion has gathered so far."""
        if self.forgetful:
            self._recursed_tokens = self.count(recursed)
            self._pass_text = ""

    def total_with(self, content: str) -> int:
        """Return the total as it would be with this content."""
        line = f"{content}\n"
        if not self.forgetful:
            return self.accepted_tokens + self.count(line)
        self._pass_text += line
        return self._recursed_tokens + self.count(self._pass_text)

    def take(self, key: EntryKey, name: str, content: str) -> None:
        """Note that an entry was accepted."""
        tokens = self.count(f"{content}\n")
        self.accepted_tokens += tokens
        self.takers.append((key, name, tokens))

    def tokens_of(self, key: EntryKey) -> int:
        """Return what an accepted entry takes."""
        return sum(tokens for taker, _, tokens in self.takers if taker == key)

    def give_back(self, key: EntryKey) -> None:
        """Note that an accepted entry is out again."""
        self.accepted_tokens -= self.tokens_of(key)
        self.takers = [taker for taker in self.takers if taker[0] != key]

    def book_total_with(self, book: str, content: str) -> int:
        """Return what one book takes with this content."""
        return self._taken_by(book) + self.count(f"{content}\n")

    def detail(self, total: int) -> dict[str, Any]:
        """Return the numbers behind a refusal; the largest takers come first."""
        return {"total": total, "limit": self.limit, "taken_by": _largest(self.takers)}

    def book_detail(self, book: str, total: int, limit: int) -> dict[str, Any]:
        """Return the numbers behind a refusal by the book's own budget."""
        own = [taker for taker in self.takers if taker[0].book == book]
        return {"book": book, "total": total, "limit": limit, "taken_by": _largest(own)}

    def _taken_by(self, book: str) -> int:
        return sum(tokens for key, _, tokens in self.takers if key.book == book)


def _largest(takers: list[tuple[EntryKey, str, int]]) -> list[list[Any]]:
    return [[name, tokens] for _, name, tokens in sorted(takers, key=lambda taker: -taker[2])[:5]]
