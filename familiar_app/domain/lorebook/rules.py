"""Rule sets: how exactly entries are matched, drawn, budgeted and placed.

`ST_1_18` reproduces SillyTavern 1.18 with its quirks, for people who compare; `FIXED` is the default and differs
exactly in the switches of `Rules`.
"""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.domain.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One rule set. Each switch says what is done where it is True."""

    name: str
    blank_keys_match: bool
    """A key of nothing but spaces always matches."""
    unicode_words: bool
    """Letters of every script make words, and scripts without spaces match anywhere."""
    paths_are_patterns: bool
    """`/home/us` is a pattern with two flags."""
    obeys_use_regex: bool
    """An entry's own word on whether its keys are patterns counts."""
    books_set_depth: bool
    """A book's scan depth stands between the entry's and the person's."""
    books_set_budget: bool
    """A book's own token budget bounds what it brings."""
    depth_zero_is_blind: bool
    """Depth 0 hides injected prompts and recursed content too."""
    levels_run_alone: bool
    """Further delay levels run without recursion and after an overflow."""
    budget_forgets: bool
    """Content that does not recurse is not counted in later passes, and dropped content recurses."""
    groups_entangled: bool
    """An entry in two groups is removed twice, and holds neither group later."""
    scores_raw_keys: bool
    """Group scores count repeated and blank keys, and neither trim keys nor expand macros."""
    rolls_inclusive: bool
    """A roll that equals the probability passes."""
    untagged_passes_tag_filter: bool
    """A character without a tag record passes every tag filter."""
    prepends_outlets: bool
    """Outlets and the examples before read in descending order."""
    roles_break_order: bool
    """At one depth, what one role says is put together, whatever stands between it by order."""
    edits_end_timers: bool
    """Any change to an entry, its place included, ends its timed effects."""
    splits_keys_loosely: bool
    """Typed keys are split with SillyTavern's slips."""
    obeys_decorators: bool
    """The decorators of V3 cards and of RisuAI count, beyond those that switch an entry on or off."""


ST_1_18 = Rules(
    name="st-1.18",
    blank_keys_match=True,
    unicode_words=False,
    paths_are_patterns=True,
    obeys_use_regex=False,
    books_set_depth=False,
    books_set_budget=False,
    depth_zero_is_blind=True,
    levels_run_alone=True,
    budget_forgets=True,
    groups_entangled=True,
    scores_raw_keys=True,
    rolls_inclusive=True,
    untagged_passes_tag_filter=True,
    prepends_outlets=True,
    roles_break_order=True,
    edits_end_timers=True,
    splits_keys_loosely=True,
    obeys_decorators=False,
)

FIXED = Rules(
    name="fixed",
    blank_keys_match=False,
    unicode_words=True,
    paths_are_patterns=False,
    obeys_use_regex=True,
    books_set_depth=True,
    books_set_budget=True,
    depth_zero_is_blind=False,
    levels_run_alone=False,
    budget_forgets=False,
    groups_entangled=False,
    scores_raw_keys=False,
    rolls_inclusive=False,
    untagged_passes_tag_filter=False,
    prepends_outlets=False,
    roles_break_order=False,
    edits_end_timers=False,
    splits_keys_loosely=False,
    obeys_decorators=True,
)

RULE_SETS = {rules.name: rules for rules in (FIXED, ST_1_18)}


def rules_named(name: str) -> Rules:
    """Return a rule set by its name. Raises UsageError."""
    if name not in RULE_SETS:
        raise UsageError(f"there are no lorebook rules {name!r}.", f"Known are {', '.join(RULE_SETS)}.")
    return RULE_SETS[name]
