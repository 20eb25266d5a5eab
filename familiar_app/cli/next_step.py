"""The JSON forms of errors and findings, and what to do about an error that does not say so: by its kind and place."""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.errors import (
    BadInputError,
    BugError,
    FamiliarError,
    LockedError,
    OutsideError,
    StoppedByUserError,
    UsageError,
)
from familiar_app.store.verify import Problem

_BY_KIND: tuple[tuple[type[FamiliarError], str], ...] = (
    (UsageError, "See 'familiar --help', or --help behind the command."),
    (LockedError, "Unlock the vault first."),
    (StoppedByUserError, "Run the command again to go on."),
    (BugError, "The log has the place. Nothing private is in it."),
)


def error_shape(error: FamiliarError) -> dict[str, str]:
    """Return an error's JSON form."""
    return {"kind": error.kind, "message": error.message, "next": next_step_of(error)}


def problem_shape(problem: Problem) -> dict[str, str]:
    """Return the JSON form of a finding about the vault."""
    return {"where": problem.where, "what": problem.what, "how_to_mend": problem.how_to_mend}


def next_step_of(error: FamiliarError) -> str:
    """Return the error's own next step, or the one that its kind and its place suggest."""
    if error.next_step:
        return error.next_step
    if isinstance(error, BadInputError):
        return _for_input(error)
    if isinstance(error, OutsideError):
        return "Try again in a while." if error.retryable else "See what works with 'familiar status', and try again."
    return next((step for kind, step in _BY_KIND if isinstance(error, kind)), "Correct it and run the command again.")


def _for_input(error: BadInputError) -> str:
    if error.line is not None:
        return f"Correct line {error.line} and run the command again; nothing was changed."
    if error.field is not None:
        return f"Correct {error.field!r} and run the command again; nothing was changed."
    if isinstance(error.source, Path):
        return "Choose another file, or make this one anew; nothing was changed."
    return "Correct it and run the command again; nothing was changed."
