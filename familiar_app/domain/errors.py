"""The one tree of exceptions; adapters translate foreign exceptions into it at their edge.

    FamiliarError
    ├── UserError          the person can mend it; exit code 4
    │   ├── UsageError     the command or setting itself is wrong; exit code 2
    │   ├── LockedError    the vault is locked, or the passphrase is wrong; exit code 3
    │   └── BadInputError  a file or field cannot be accepted; exit code 4
    ├── OutsideError       disk, network, model or Discord failed; exit code 5
    │   └── UnscriptedError    a script has no line for a request
    ├── StoppedByUserError  the person stopped it; shown nowhere
    └── BugError           a promise inside the program was broken; exit code 70

Messages never contain the text of turns or memories, names of people, or keys, unless they are marked private.
"""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.text import in_english, joined, reworded, tr


class FamiliarError(Exception):
    """Root of every error the program raises on purpose."""

    exit_code = 70
    kind = "bug"
    private = False
    """Whether the message holds what was said, so that it may be shown to the person but never logged."""

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    @property
    def public(self) -> str:
        """What may be kept about it where nobody's words belong."""
        return type(self).__name__ if self.private else self.english

    @property
    def english(self) -> str:
        """The whole of it as the source says it: for logs, models, and what is kept."""
        return f"{in_english(self.message)} {in_english(self.next_step)}".strip()

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class UserError(FamiliarError):
    """Something the person can put right; `next_step` says how."""

    exit_code = 4
    kind = "user"


class UsageError(UserError):
    """A command, option or setting that does not exist or cannot be combined."""

    exit_code = 2


class LockedError(UserError):
    """The vault is not open, or what was offered does not open it."""

    exit_code = 3


class BadInputError(UserError):
    """A file or field that cannot be accepted. Nothing was changed.

    `source` is a path or a short name such as "standard input"; `line` counts from 1.
    """

    def __init__(
        self,
        reason: str,
        *,
        source: Path | str | None = None,
        line: int | None = None,
        field: str | None = None,
        next_step: str = "",
    ) -> None:
        place = joined(
            part
            for part in (
                str(source) if source is not None else "",
                tr("line {line}", line=str(line)) if line is not None else "",
                tr("field {field!r}", field=field) if field is not None else "",
            )
            if part
        )
        super().__init__(tr("{place}: {reason}", place=place, reason=reason) if place else reason, next_step)
        self.reason = reason
        self.source = source
        self.line = line
        self.field = field


class OutsideError(FamiliarError):
    """Disk, network, model or Discord failed; `retryable` tells whether trying again can help."""

    exit_code = 5
    kind = "outside"

    def __init__(self, message: str, next_step: str = "", *, retryable: bool = False) -> None:
        super().__init__(message, next_step)
        self.retryable = retryable


def _without_stop(text: str) -> str:
    return text.removesuffix(".")


class UnscriptedError(OutsideError):
    """A script has no line for a request. The message holds the prompt, which the script's author needs to see."""

    private = True

    def __init__(self, reason: str, prompt: str, next_step: str = "") -> None:
        super().__init__(tr("{reason}:\n{prompt}", reason=reworded(reason, _without_stop), prompt=prompt), next_step)
        self._reason = reason

    @property
    def public(self) -> str:
        return in_english(self._reason)


class StoppedByUserError(FamiliarError):
    """The person stopped what was going on. Never shown as an error."""

    exit_code = 5
    kind = "user"


class BugError(FamiliarError):
    """A promise inside the program was broken."""
