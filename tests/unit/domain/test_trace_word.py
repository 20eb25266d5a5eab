"""What a trace keeps in the source's words is shown in the person's."""

from __future__ import annotations

from collections.abc import Iterator
from gettext import NullTranslations

import pytest

from familiar_app.domain.text import speak
from familiar_app.domain.trace_word import error_text, left_out_text, reason_text


class Shouting(NullTranslations):
    def gettext(self, message: str) -> str:
        return message.upper().replace("{NUMBER}", "{number}").replace("{FIRST}", "{first}").replace("{LAST}", "{last}")

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return (msgid1 if n == 1 else msgid2).upper().replace("{N}", "{n}")


@pytest.fixture
def shouting() -> Iterator[None]:
    speak("xx", Shouting())
    yield
    speak("en", NullTranslations())


THINGS = ("turns 3 to 17", "all turns up to 1200", "end of turn 5", "fact 1200", "unread of discord:1/2", "a thing")
REASONS = (
    "older than the room left",
    "searched by words alone: no embedder; searched without the 12 oldest turns: they are not indexed yet",
)


@pytest.mark.parametrize("said", THINGS)
def test_english_says_it_as_the_trace_does(said: str) -> None:
    assert left_out_text(said) == said


@pytest.mark.parametrize("said", REASONS)
def test_a_reason_in_english_is_as_the_trace_has_it(said: str) -> None:
    assert reason_text(said) == said


def test_numbers_stay_what_they_are(shouting: None) -> None:
    assert left_out_text("turns 3 to 1700") == "TURNS 3 TO 1700"
    assert left_out_text("fact 1200") == "FACT 1200"


def test_what_no_rule_knows_stays(shouting: None) -> None:
    assert left_out_text("a thing") == "a thing"


def test_each_of_several_reasons_is_put_into_words() -> None:
    class Partly(NullTranslations):
        def gettext(self, message: str) -> str:
            return {"a": "eins", "b": "zwei"}.get(message, message)

    speak("xx", Partly())
    try:
        assert reason_text("a; b") == "eins; zwei"
    finally:
        speak("en", NullTranslations())


def test_a_kept_error_is_said_as_far_as_it_is_known() -> None:
    class Partly(NullTranslations):
        def gettext(self, message: str) -> str:
            return {"A. B.": "Eins.", "C.": "Zwei."}.get(message, message)

    kept = "A. B. D 5 e. C."
    assert error_text(kept) == kept
    speak("xx", Partly())
    try:
        assert error_text(kept) == "Eins. D 5 e. Zwei."
        assert error_text("") == ""
    finally:
        speak("en", NullTranslations())
