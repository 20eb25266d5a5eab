"""Renders a fact for people and prompts: its own words, and a note where somebody in it has another name by now."""

from __future__ import annotations

from collections.abc import Mapping

from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import PersonKey


def render(fact: Fact, labels: Mapping[PersonKey, str]) -> str:
    """Return the text verbatim; `labels` has today's names, and one that changed is noted behind it.

    A subject without a label in `labels`, or whose names differ in nothing but case, gets no note.
    """
    notes = [
        f"{subject.display_at_write} is now known as {labels[subject.key]}"
        for subject in fact.subjects
        if subject.key in labels and labels[subject.key].casefold() != subject.display_at_write.casefold()
    ]
    return f"{fact.text} ({'; '.join(notes)})" if notes else fact.text
