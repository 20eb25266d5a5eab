"""Says of which other entries an entry has the keys or the content."""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.domain.text import ntr, tr


def same_keys(others: Sequence[str]) -> str:
    """Say whose keys an entry has, too; `others` are the names of one entry or more."""
    if len(others) == 1:
        return tr("Its keys are those of {entry} too.", entry=others[0])
    return ntr(
        "Its keys are those of {entry} and {n} more too.",
        "Its keys are those of {entry} and {n} more too.",
        len(others) - 1,
        entry=others[0],
    )


def same_content(others: Sequence[str]) -> str:
    """Say whose content an entry has, too; `others` are the names of one entry or more."""
    if len(others) == 1:
        return tr("Its content is that of {entry} too.", entry=others[0])
    return ntr(
        "Its content is that of {entry} and {n} more too.",
        "Its content is that of {entry} and {n} more too.",
        len(others) - 1,
        entry=others[0],
    )
