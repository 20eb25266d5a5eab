"""An error is told in the person's language, and logged, kept and given to models as the source says it."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from gettext import NullTranslations

import pytest
from sqlcipher3 import dbapi2

from familiar_app.context.registry import check_order
from familiar_app.domain.errors import BadInputError, UnscriptedError, UserError
from familiar_app.domain.text import in_english, joined, reworded, speak, tr
from familiar_app.projectors.registry import check_projectors

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


def test_what_is_put_together_or_written_otherwise_is_remembered_too(german: None) -> None:
    joint = joined([tr("Look again."), tr("Look again.")], " ")
    assert UserError(joint).english == "Look again. Look again."
    assert UserError(reworded(tr("Look again."), str.upper)).english == "LOOK AGAIN."
    assert UnscriptedError(tr("Look again."), "a prompt").english == "Look again:\na prompt"


@pytest.mark.parametrize("check", [check_projectors, lambda names: check_order(names, "layers")])
def test_the_known_names_are_logged_as_the_source_says_it(german: None, check: Callable[[list[str]], None]) -> None:
    SAID["Known projectors: {names}."] = SAID["Known layers: {names}."] = "Bekannt: {names}."
    with pytest.raises(BadInputError) as raised:
        check(["nobody_knows_it"])
    assert "Bekannt:" in str(raised.value)
    assert "Known " in raised.value.english


def test_a_translated_text_is_a_text_wherever_it_goes(german: None) -> None:
    said = tr("Look again.")
    assert json.loads(json.dumps({said: said})) == {"Sieh noch einmal nach.": "Sieh noch einmal nach."}
    for again in (pickle.loads(pickle.dumps(said)), copy.deepcopy(said), copy.copy(said)):
        assert (again, in_english(again)) == ("Sieh noch einmal nach.", "Look again.")
    assert {"Sieh noch einmal nach.": 1}[said] == 1
    connection = dbapi2.connect(":memory:")
    assert connection.execute("SELECT ?, ? = 'Sieh noch einmal nach.'", (said, said)).fetchone() == (said, 1)
    connection.close()
