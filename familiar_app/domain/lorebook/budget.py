"""The token budget of one evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

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
    takers: list[tuple[str, int]] = field(default_factory=list)
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

    def take(self, name: str, content: str) -> None:
        """Note that an entry was accepted."""
        tokens = self.count(f"{content}\n")
        self.accepted_tokens += tokens
        self.takers.append((name, tokens))

    def detail(self, total: int) -> dict[str, Any]:
        """Return the numbers behind a refusal; the largest takers come first."""
        largest = sorted(self.takers, key=lambda taker: -taker[1])[:5]
        return {"total": total, "limit": self.limit, "taken_by": [[name, tokens] for name, tokens in largest]}
