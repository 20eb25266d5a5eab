"""All keys of the bound books, each kept once with the way it is to be matched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from familiar_app.domain.lorebook.pattern import KeyPattern, compile_pattern, has_space, parse_pattern_key, trim
from familiar_app.domain.lorebook.rules import Rules


@dataclass(frozen=True, slots=True)
class LiteralKey:
    """A key that is plain text. `folded` is how it is looked for; a blank one matches everywhere."""

    text: str
    folded: str
    case_sensitive: bool
    whole: bool


KeyForm = LiteralKey | KeyPattern


class KeyOptions(NamedTuple):
    """How an entry wants its keys matched."""

    case_sensitive: bool
    whole: bool
    use_regex: bool | None = None


class KeyTable:
    """Numbers every distinct key. A key that can never match has no number."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._numbers: dict[tuple[str, KeyOptions], int | None] = {}
        self._by_form: dict[KeyForm, int] = {}
        self.forms: list[KeyForm] = []

    def number(self, key: str, options: KeyOptions) -> int | None:
        """Return the number of a key whose placeholders are already filled in, None where it never matches."""
        asked = (key, options)
        if asked not in self._numbers:
            form = self._form(key, options)
            self._numbers[asked] = None if form is None else self._add(form)
        return self._numbers[asked]

    def untrimmed_number(self, key: str, options: KeyOptions) -> int:
        """Return the number of a key exactly as it is written, spaces and all; a blank one matches everywhere."""
        pattern = parse_pattern_key(key, paths_are_patterns=self._rules.paths_are_patterns)
        whole = options.whole and not has_space(key)
        form = pattern or LiteralKey(key, key if options.case_sensitive else key.lower(), options.case_sensitive, whole)
        return self._add(form)

    def _add(self, form: KeyForm) -> int:
        if form not in self._by_form:
            self._by_form[form] = len(self.forms)
            self.forms.append(form)
        return self._by_form[form]

    def _form(self, key: str, options: KeyOptions) -> KeyForm | None:
        if not key:
            return None
        use_regex = options.use_regex if self._rules.obeys_use_regex else None
        if use_regex:
            return self._own_pattern(trim(key), options)
        if use_regex is None:
            pattern = parse_pattern_key(trim(key), paths_are_patterns=self._rules.paths_are_patterns)
            if pattern is not None:
                return pattern
        text = trim(key)
        if not text and not self._rules.blank_keys_match:
            return None
        return LiteralKey(
            text,
            text if options.case_sensitive else text.lower(),
            options.case_sensitive,
            options.whole and not has_space(text),
        )

    def _own_pattern(self, key: str, options: KeyOptions) -> KeyPattern | None:
        """Read a key that is declared to be a pattern, with or without slashes around it."""
        if not key:
            return None
        written = parse_pattern_key(key, paths_are_patterns=True)
        return written or compile_pattern(key, "" if options.case_sensitive else "i")
