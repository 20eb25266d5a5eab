"""An error is told in the person's language, and logged, kept and given to models as the source says it."""

from __future__ import annotations

from collections.abc import Iterator
from gettext import NullTranslations

import pytest

from familiar_app.domain.errors import BadInputError, UnscriptedError, UserError
from familiar_app.domain.text import speak, tr

SAID = {
    "There is no fact {fact}.": "Es gibt keine Tatsache {fact}.",
    "Look again.": "Sieh noch einmal nach.",
    "line {line}": "Zeile {line}",
}


class German(NullTranslations):
    def gettext(self, message: str) -> str:
        return SAID.get(message, message)


@pytest.fixture
def german() -> Iterator[None]:
    speak("de", German())
    yield
    speak("en", NullTranslations())


def test_an_error_says_both(german: None) -> None:
    error = UserError(tr("There is no fact {fact}.", fact="12"), tr("Look again."))
    assert str(error) == "Es gibt keine Tatsache 12. Sieh noch einmal nach."
    assert error.english == error.public == "There is no fact 12. Look again."


def test_the_place_is_said_in_both(german: None) -> None:
    error = BadInputError(tr("There is no fact {fact}.", fact="12"), source="a.toml", line=1234)
    assert str(error) == "a.toml, Zeile 1234: Es gibt keine Tatsache 12."
    assert error.english == "a.toml, line 1234: There is no fact 12."


def test_a_reason_may_be_public_where_the_rest_is_not(german: None) -> None:
    assert UnscriptedError(tr("Look again."), "a prompt").public == "Look again."
