"""The forms in which a model's answer can hold what is not speech, written so that they can be found piece by piece."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import regex

_BRACKET = (
    r"\[[ ]?(?:\d{4}-\d\d-\d\d[ T]|[A-Z][a-z]{2,8},[ ])?\d{1,2}:\d\d(?::\d\d)?"
    r"(?<after>(?:[ ,][^\]\n]{0,160})?)(?:\](?=[^:])|\]:(?=\s))"
)
_SILENT = r"(?<silent><silent[ ]?/?>)"
_FENCE = r"(?<fence>[ ]{0,3}```)"
_BLOCK = r"<(?<block>think|thinking|tool_call|tool_calls|tool_response|function_call)>"
_FUNCTION = r"(?<function><function=)"
_END = r"(?<end><\|[A-Za-z_]{2,32}\|>|</s>|<end_of_turn>|<start_of_turn>|\[/?INST\]|\[TOOL_CALLS\])"

INLINE = regex.compile(f"{_BLOCK}|{_FUNCTION}|{_END}")
FENCE_LINE = regex.compile(_FENCE)
# What names a language opens a fence and closes none.
FENCE_END = regex.compile(rf"{_FENCE}(?=[\s`])")


@dataclass(frozen=True)
class LinePatterns:
    """What can stand at the beginning of an answer and of each of its lines; each group is named after what it is."""

    head: regex.Pattern[str]
    line: regex.Pattern[str]


def line_patterns(char: str, others: Iterable[str]) -> LinePatterns:
    """Build the patterns for a familiar called `char` among `others`."""
    own = rf"(?<own>{_label(char)})"
    names = sorted({name for name in others if name and name.casefold() != char.casefold()}, key=len, reverse=True)
    other = "".join(f"|(?<other>{_label(name)})" for name in names)
    bracket = f"(?<bracket>{_BRACKET})"
    return LinePatterns(
        head=regex.compile(f"{_SILENT}|{bracket}|{own}|{_FENCE}", regex.IGNORECASE),
        line=regex.compile(rf"{_FENCE}|[ \t]*+(?:{bracket}|{own}{other})"),
    )


def bracket_name(after: str) -> str:
    """Return the speaker in what follows the time in a bracket, empty where there is none."""
    for sign in (" #", " ↩"):
        after = after.partition(sign)[0]
    return after.strip(" ,")


def _label(name: str) -> str:
    """Match `Name:` in the ways models write it, with white space behind."""
    escaped = regex.escape(name, literal_spaces=True)
    return rf"(?:\*\*{escaped}:\*\*|\*\*{escaped}\*\*:|{escaped}:)(?=\s)"


def ends_in_code(text: str) -> bool:
    """Tell whether a text ends between the fences of code."""
    fenced = False
    for line in text.split("\n"):
        if (FENCE_END if fenced else FENCE_LINE).match(f"{line}\n"):
            fenced = not fenced
    return fenced
