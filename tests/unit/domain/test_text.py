"""Words in the person's language: places are filled, counts choose their form, numbers look as they do there."""

from __future__ import annotations

from collections.abc import Iterator
from gettext import NullTranslations

import pytest

from familiar_app.domain import text

SAID = {"Delete {name}?": "{name} löschen?", "{n} message": "{n} Nachricht", "{n} messages": "{n} Nachrichten"}
MARKS = {",": ".", ".": ","}


class Swapped(NullTranslations):
    def gettext(self, message: str) -> str:
        return SAID.get(message, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return SAID[msgid1 if n == 1 else msgid2]

    def pgettext(self, context: str, message: str) -> str:
        return MARKS.get(message, f"{message} ({context})")


@pytest.fixture
def swapped() -> Iterator[None]:
    text.speak("xx", Swapped())
    yield
    text.speak("en", NullTranslations())


def test_english_needs_no_catalogue() -> None:
    assert text.tr("Delete {name}?", name="Ada") == "Delete Ada?"
    assert text.ntr("{n} message", "{n} messages", 1) == "1 message"
    assert text.ntr("{n} message", "{n} messages", 12_345) == "12,345 messages"
    assert text.language() == "en"


def test_a_catalogue_may_put_places_elsewhere(swapped: None) -> None:
    assert text.tr("Delete {name}?", name="Ada") == "Ada löschen?"
    assert text.language() == "xx"


def test_numbers_are_written_as_the_language_does(swapped: None) -> None:
    assert text.number(1_234_567.5, 2) == "1.234.567,50"
    assert text.ntr("{n} message", "{n} messages", 12_345) == "12.345 Nachrichten"
    assert text.ptr("verb", "Open") == "Open (verb)"


def test_what_is_put_in_is_never_read_as_places() -> None:
    assert text.tr("Delete {name}?", name="{x} {0}") == "Delete {x} {0}?"


def test_a_text_without_values_may_hold_braces() -> None:
    assert text.tr("Write {{char}} for its name") == "Write {{char}} for its name"


def test_nothing_stays_nothing(swapped: None) -> None:
    """The empty text would else be answered with the head of the catalogue."""
    assert text.tr("") == ""


def test_marked_texts_stay_as_they_are(swapped: None) -> None:
    assert text.tr_later("Delete {name}?") == "Delete {name}?"


def test_what_was_translated_remembers_how_the_source_says_it(swapped: None) -> None:
    inner = text.tr("Delete {name}?", name="Ada")
    outer = text.tr("Delete {name}?", name=inner)
    assert outer == "Ada löschen? löschen?"
    assert text.in_english(outer) == "Delete Delete Ada??"
    assert text.in_english(text.ntr("{n} message", "{n} messages", 12_345)) == "12,345 messages"
    assert text.in_english(text.tr("Delete {name}?", name=text.number(2.5, 1))) == "Delete 2.5?"
    assert text.in_english("as it is") == "as it is"
