"""The window's language: the setting's, else the system's, else English."""

from __future__ import annotations

import gettext
from typing import get_args

import pytest

from familiar_app.bootstrap.language import SYSTEM, available, best
from familiar_app.domain.settings import Language
from familiar_app.store.resource import resource


@pytest.mark.parametrize(
    ("wish", "of_system", "spoken"),
    [
        (SYSTEM, ["de-AT", "en-GB"], "de"),
        (SYSTEM, ["de_DE"], "de"),
        (SYSTEM, ["fr-FR", "de-CH"], "de"),
        (SYSTEM, ["en-US", "de-DE"], "en"),
        (SYSTEM, ["fr-FR"], "en"),
        (SYSTEM, [], "en"),
        ("en", ["de-DE"], "en"),
        ("de", ["en-US"], "de"),
        ("xx", ["de-DE"], "de"),
    ],
)
def test_language(wish: str, of_system: list[str], spoken: str) -> None:
    assert best(wish, of_system) == spoken


def test_each_language_of_the_settings_has_a_catalogue() -> None:
    assert {SYSTEM, "en", *available()} == set(get_args(Language))


@pytest.mark.parametrize("code", available())
def test_each_catalogue_can_be_read(code: str) -> None:
    assert gettext.translation("familiar", str(resource("locale")), languages=[code]).info()["language"] == code
