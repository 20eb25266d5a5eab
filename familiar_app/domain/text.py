"""The program's words in the person's language, by gettext's idiom.

`tr` and `ntr` translate where a text is shown; `tr_later` names a text that stands in a constant, which is made before
a language is chosen, and leaves it as it is. English is the language of the source and needs no catalogue. Prompts,
logs and the command line are not translated: they are read by models, by whoever helps, and by scripts. What was
translated remembers how the source says it, so that an error can be shown in one language and logged in the other.

    EMPTY = tr_later("No backup yet.")
    label(tr(EMPTY))
    tr("Delete {name}?", name=familiar.name)
    ntr("{n} message", "{n} messages", count)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from gettext import NullTranslations


class _Language:
    """What is spoken at the moment, in one place for the whole process."""

    def __init__(self) -> None:
        self.code = "en"
        self.catalogue = NullTranslations()


_spoken = _Language()


class _Translated(str):
    """A text in the person's language that remembers what the source says."""

    __slots__ = ("source",)
    source: str


def speak(code: str, catalogue: NullTranslations) -> None:
    """Translate into a language from now on. What was shown before stays as it is."""
    _spoken.code, _spoken.catalogue = code, catalogue


def language() -> str:
    """Return the code of the language that is spoken, such as `de`."""
    return _spoken.code


def in_english(text: str) -> str:
    """Return what the source says for a translated text; any other text as it is."""
    return text.source if isinstance(text, _Translated) else text


def tr_later(text: str) -> str:
    """Name a text for the catalogue without translating it yet."""
    return text


def tr(text: str, **values: object) -> str:
    """Translate a text and put values in its `{places}`. Counted numbers are written as the language does."""
    return _said(_spoken.catalogue.gettext(text) if text else "", text, values)


def ptr(context: str, text: str, **values: object) -> str:
    """Translate a text that means different things in different places; `context` tells them apart."""
    return _said(_spoken.catalogue.pgettext(context, text), text, values)


def ntr(one: str, many: str, n: int, **values: object) -> str:
    """Translate a text with a count, `{n}`, in the form that the count asks for."""
    return _said(_spoken.catalogue.ngettext(one, many, n), one if n == 1 else many, {"n": n, **values})


def joined(texts: Iterable[str], mark: str = ", ") -> str:
    """Put texts behind each other, so that they go on remembering how the source says them."""
    every = list(texts)
    return _from_source(mark.join(every), mark.join(in_english(one) for one in every))


def reworded(text: str, change: Callable[[str], str]) -> str:
    """Change how a text is written, so that it goes on remembering how the source says it."""
    return _from_source(change(text), change(in_english(text)))


def number(value: float, digits: int | None = None) -> str:
    """Write a number with the language's marks, and with so many digits behind the decimal mark.

    >>> number(1234567)
    '1,234,567'
    >>> number(4.9)
    '4.9'
    """
    form = f"{value:,}" if digits is None else f"{value:,.{digits}f}"
    group, point = ptr("mark between groups of three digits", ","), ptr("decimal mark", ".")
    return _from_source(form.replace(",", "\0").replace(".", point).replace("\0", group), form)


def _said(translated: str, text: str, values: dict[str, object]) -> str:
    words = _filled(translated, {name: _written(value) for name, value in values.items()})
    if _spoken.code == "en":
        return words
    return _from_source(words, _filled(text, {name: _in_source(value) for name, value in values.items()}))


def _from_source(words: str, source: str) -> str:
    if words == source:
        return words
    said = _Translated(words)
    said.source = source
    return said


def _filled(text: str, values: dict[str, object]) -> str:
    return text.format_map(values) if values else text


def _written(value: object) -> object:
    return number(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _in_source(value: object) -> object:
    if isinstance(value, str):
        return in_english(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
