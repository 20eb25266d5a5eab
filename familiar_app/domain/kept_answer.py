"""What the ledger keeps of an answer: the value itself, and what it takes to read it again without asking anybody.

The basis holds what the model was shown (ids, names, keys) and the operator turn that was the newest then, so that a
replay makes the same of the answer as the first reading did, whatever was renamed, edited or decided since.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from familiar_app.domain.errors import BugError

_FORM = 1


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer and its basis. `malformed` ones came twice in a wrong form and count as empty."""

    value: Any
    basis: Mapping[str, Any] = field(default_factory=dict)
    malformed: bool = False
    newest_turn: int = 0

    def encode(self) -> str:
        """Return the text for the ledger."""
        kept = {"form": _FORM, "newest_turn": self.newest_turn, "basis": dict(self.basis), "value": self.value}
        return json.dumps(kept | ({"malformed": True} if self.malformed else {}), ensure_ascii=False)


def decode(text: str) -> KeptAnswer:
    """Read what `encode` wrote. Raises BugError for anything else: nobody but projectors writes the ledger."""
    try:
        kept = json.loads(text)
        if kept["form"] != _FORM:
            raise BugError("The ledger holds an answer of an unknown form.")
        return KeptAnswer(kept["value"], kept["basis"], bool(kept.get("malformed")), int(kept["newest_turn"]))
    except (ValueError, KeyError, TypeError) as error:
        raise BugError("The ledger holds an answer that cannot be read.") from error
