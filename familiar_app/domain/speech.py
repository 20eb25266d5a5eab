"""Rules that keep one speaker's words from passing for another's in a prompt. Text in, text out.

In a prompt a speaker's line begins with `[14:32 Ann #general] `. Nothing that people write may produce such a
beginning, neither a name nor a line within a message, and nothing may look like the marks with which chat templates
part messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from familiar_app.domain.lookalike import looks_like

Key = TypeVar("Key", bound=str)

_LINE_BREAKS = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
# Embeddings, overrides and isolates change the order in which a whole line is shown.
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
# Characters that show as nothing. Joiners (U+200C, U+200D) belong to words and emoji, so names keep them.
_HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e007f"
)
_HIDDEN_IN_NAME = re.compile(f"[{_HIDDEN}]")
_NAME_SIGNS = str.maketrans(
    {"[": "(", "［": "(", "【": "(", "〔": "(", "]": ")", "］": ")", "】": ")", "〕": ")"}
    | {"#": "＃", "↩": "", "<": "‹", ">": "›", "|": "¦"}
)
# A speaker's line begins with one of the first, a template's mark holds one of the others.
_BRACKETS, _MARK_SIGNS = "[［【〔", "<>["
_GAP = rf"(?:[^\S\n]|[{_HIDDEN}\u200c\u200d])*"
_DATE = r"(?:\d{2,4}[-./]\d{1,2}[-./]\d{1,4}[ ,T]+)?"
_PREFIX_LOOKALIKE = re.compile(rf"^(?={_GAP}[\[［【〔]{_GAP}{_DATE}\d{{1,2}}[:.：]\d{{2}})", re.MULTILINE)
_HEADING = re.compile(rf"^{_GAP}(?:#{{1,6}}(?:[^\S\n]{_GAP}|$))+", re.MULTILINE)
_TEMPLATE_MARK = re.compile(
    r"<(?=\|)|(?<=\|)>|<(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|start_of_image)>)"
    r"|<(?=</?SYS>>)|<(?=/?SYS>>)|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\])"
    r"|<(?=[｜▁])|(?<=[｜▁])>",
    re.IGNORECASE,
)


def clean_name(name: str) -> str:
    """Make a name harmless in a line's beginning: one line, no brackets, no marks that hide or reorder; maybe empty."""
    text = _HIDDEN_IN_NAME.sub("", _CONTROLS.sub("", _LINE_BREAKS.sub(" ", name)))
    return " ".join(text.translate(_NAME_SIGNS).split())


def told_apart(names: Mapping[Key, str], *, first: Key, taken: str) -> dict[Key, str]:
    """Number those who are called alike, so that nobody passes for another by taking a name.

    `taken` is a name that somebody outside of `names` has; `first` keeps its name before all others. Names that only
    look alike count as alike. Nobody gets a numbered name that somebody else goes by.
    """
    alike: dict[str, list[Key]] = {}
    for key in sorted(names, key=lambda key: (key != first, key)):
        alike.setdefault(looks_like(names[key]), []).append(key)
    found, given = dict(names), set(alike)
    for folded, keys in alike.items():
        if not folded:
            continue
        owned = folded == looks_like(taken)
        keeps = keys[0] == first and not owned
        if len(keys) == 1 and not owned:
            continue
        number = 2 if owned or keeps else 1
        for key in keys[1:] if keeps else keys:
            while looks_like(numbered := f"{names[key]} ({number})") in given:
                number += 1
            found[key] = numbered
            given.add(looks_like(numbered))
    return found


def clean_text(text: str) -> str:
    """Make a message's text harmless: line breaks become `\\n`, controls go, template marks are broken up.

    A line that looks like the beginning of a speaker's line is shown as a quotation. Cleaning twice changes nothing.
    """
    # Most messages have nothing of all this, which is told sooner than it is searched for.
    if not text.isprintable():
        text = _BIDI.sub("", _CONTROLS.sub("", _LINE_BREAKS.sub("\n", text)))
    text = break_marks(text)
    return _PREFIX_LOOKALIKE.sub("> ", text) if any(sign in text for sign in _BRACKETS) else text


def clean_note(text: str) -> str:
    """Make a text that a model distilled harmless where it stands among the prompt's own parts.

    Beyond what `clean_text` does, its headings become plain lines: what people said may have led to them.
    """
    return clean_text(_HEADING.sub("", clean_text(text)))


def break_marks(text: str) -> str:
    """Put a space into whatever a chat template could take for one of its own marks."""
    if not any(sign in text for sign in _MARK_SIGNS):
        return text
    return _TEMPLATE_MARK.sub(lambda mark: " >" if mark[0] == ">" else f"{mark[0]} ", text)


def clean_quote(text: str, limit_chars: int) -> str:
    """Shorten a text to one harmless line of at most about `limit_chars`, cut at a space where there is one."""
    line = clean_name(text[: 8 * limit_chars + 64]).replace("“", '"').replace("”", '"')
    if len(line) <= limit_chars:
        return line
    head = line[:limit_chars]
    at_word = head.rfind(" ")
    return f"{head[:at_word] if at_word > limit_chars // 2 else head}…"
