"""Which entry of a group always goes before another one, so that the other never comes in."""

from __future__ import annotations

from familiar_app.domain.lorebook.decoration import read_content
from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.domain.lorebook.rules import Rules


def is_sure(entry: LoreEntry, rules: Rules) -> bool:
    """Tell whether nothing but its keys keeps an entry out."""
    held_back = entry.triggers or entry.character_filter or entry.delay or entry.cooldown or entry.delay_until_recursion
    by_chance = entry.use_probability and entry.probability < 100
    by_text = read_content(entry.content, rules)[0].is_conditional
    by_second = entry.selective and entry.secondary_keys and not entry.constant
    return not (held_back or by_chance or by_second or by_text or entry.use_group_scoring or entry.exclude_recursion)


def beats(leader: LoreEntry, one: LoreEntry, rules: Rules) -> bool:
    """Tell whether the leader comes in whenever the other one would, and goes first."""
    if leader.uid == one.uid or one.use_group_scoring or (one.group_override and one.order >= leader.order):
        return False
    if read_content(one.content, rules)[0].activate:
        return False
    if leader.constant:
        return leader.use_regex is not True
    same_way = ("scan_depth", "case_sensitive", "match_whole_words", "use_regex", "sources")
    if one.constant or not one.keys or any(getattr(leader, name) != getattr(one, name) for name in same_way):
        return False
    return set(one.keys) <= set(leader.keys)
