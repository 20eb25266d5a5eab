"""The colours of the themes can be read, and told apart."""

from __future__ import annotations

from itertools import combinations

import pytest

from familiar_app.ui.kit.theme import SUBJECTS, Tokens, load_tokens

THEMES = ("light", "dark", "contrast")
BACKGROUNDS = ("background_1", "background_2", "background_3", "selected")
TEXTS = ("text_1", "text_2", "text_3")
TONES = ("accent", "accent_strong", "good", "warning", "danger")
FILLED = (("on_accent", "accent"), ("on_accent", "accent_strong"), ("on_danger", "danger"), ("background_1", "text_1"))

# How the three kinds of colour-blind eyes see linear light (Machado, Oliveira and Fernandes 2009, severity 1).
EYES = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(color: str) -> tuple[float, float, float]:
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)  # type: ignore[return-value]


def luminance(color: str) -> float:
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def lab(light: tuple[float, ...]) -> tuple[float, float, float]:
    red, green, blue = light
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
    )
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(color: str, eye: str) -> tuple[float, float, float]:
    light = linear(color)
    return lab(tuple(min(1, max(0, sum(a * b for a, b in zip(line, light, strict=True)))) for line in EYES[eye]))


@pytest.fixture(params=THEMES)
def tokens(request: pytest.FixtureRequest) -> Tokens:
    return load_tokens(request.param)


def test_known_contrasts() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_every_text_can_be_read_on_every_background(tokens: Tokens) -> None:
    least = 7.0 if tokens.name == "contrast" else 4.5
    poor = {
        (text, background): round(contrast(tokens.color[text], tokens.color[background]), 2)
        for text in (*TEXTS, *TONES)
        for background in BACKGROUNDS
        if contrast(tokens.color[text], tokens.color[background]) < (least if text in TEXTS else 4.5)
    }
    assert not poor


@pytest.mark.parametrize(("text", "background"), FILLED)
def test_text_on_filled_things_can_be_read(tokens: Tokens, text: str, background: str) -> None:
    assert contrast(tokens.color[text], tokens.color[background]) >= 4.5


def test_edges_of_controls_are_seen(tokens: Tokens) -> None:
    for background in ("background_1", "background_2"):
        assert contrast(tokens.color["line_strong"], tokens.color[background]) >= 3


def test_subjects_are_seen_on_the_page_and_carry_its_letters(tokens: Tokens) -> None:
    for number in range(1, SUBJECTS + 1):
        assert contrast(tokens.color[f"subject_{number}"], tokens.color["background_1"]) >= 4.5


@pytest.mark.parametrize("eye", EYES)
def test_subjects_stay_apart_for_colour_blind_eyes(tokens: Tokens, eye: str) -> None:
    hues = [seen(tokens.color[f"subject_{number}"], eye) for number in range(1, SUBJECTS + 1)]
    apart = {
        (one + 1, other + 1): round(sum((a - b) ** 2 for a, b in zip(hues[one], hues[other], strict=True)) ** 0.5, 1)
        for one, other in combinations(range(SUBJECTS), 2)
    }
    assert min(apart.values()) >= 20, apart


def test_all_themes_have_the_same_roles() -> None:
    assert len({tuple(sorted(load_tokens(name).color)) for name in THEMES}) == 1
