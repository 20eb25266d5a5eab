"""Reading, searching and following the pages of the manual, without a window."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.bootstrap.window import window_parts
from familiar_app.ui.help.manual import CONTENTS, Manual, Spot, read_manual, shipped_manual
from familiar_app.ui.help.model import HelpModel
from familiar_app.ui.help.page import anchor_of
from familiar_app.ui.help.subject import page_of, wanted_key

FILES = {
    "manual/index.md": "# The manual\n\n* [Tea](tea.md)\n* [Elsewhere](../other.md#deep)\n* [Out](https://example.org)\n",
    "manual/tea.md": "# Tea\n\nHot water.\n\n## The pot\n\nA *round* pot, `scalded`.\n\n![Pot](../pictures/pot.png)\n",
    "other.md": "# Other\n\nAbout the pot, the pot and again the pot.\n\n## Deep\n\nWater.\n",
}


@pytest.fixture
def manual(tmp_path: Path) -> Manual:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return read_manual(tmp_path)


class TestPages:
    def test_the_first_page_says_which_there_are_and_in_what_order(self, manual: Manual) -> None:
        assert [page.id for page in manual.contents] == [CONTENTS, "manual/tea", "other"]

    def test_text_is_cut_at_its_headings(self, manual: Manual) -> None:
        sections = manual.pages["manual/tea"].sections
        assert [(one.anchor, one.text) for one in sections] == [
            ("tea", "Hot water."),
            ("the-pot", "A round pot, scalded.\nPot"),
        ]

    def test_a_heading_can_be_jumped_to_and_a_picture_is_named_from_the_top(self, manual: Manual) -> None:
        html = manual.pages["manual/tea"].html
        assert '<a name="the-pot"></a>The pot' in html
        assert 'src="pictures/pot.png"' in html

    def test_html_in_a_page_stays_text(self, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_text("# A\n\n<script>x</script>\n", encoding="utf-8")
        assert "<script>" not in read_manual(tmp_path).pages["a"].html


class TestLinks:
    def test_links_lead_to_pages_beside_above_and_below(self, manual: Manual) -> None:
        assert manual.follow(CONTENTS, "tea.md") == Spot("manual/tea")
        assert manual.follow(CONTENTS, "../other.md#deep") == Spot("other", "deep")
        assert manual.follow("other", "#deep") == Spot("other", "deep")

    @pytest.mark.parametrize("link", ["https://example.org", "../../etc/passwd", "missing.md", "mailto:a@b"])
    def test_what_is_no_page_is_none(self, manual: Manual, link: str) -> None:
        assert manual.follow(CONTENTS, link) is None


class TestSearch:
    def test_a_heading_beats_a_text_that_has_the_word_more_often(self, manual: Manual) -> None:
        assert [hit.spot.key for hit in manual.search("pot")] == ["manual/tea#the-pot", "other#other"]

    def test_every_word_has_to_be_there(self, manual: Manual) -> None:
        assert [hit.spot.key for hit in manual.search("round SCALD")] == ["manual/tea#the-pot"]
        assert manual.search("round milk") == []
        assert manual.search("  ") == []

    @given(st.text(max_size=30))
    def test_whatever_is_typed_hits_hold_all_its_words(self, query: str) -> None:
        for hit in shipped_manual().search(query):
            text = f"{hit.section.heading}\n{hit.section.text}".casefold()
            assert all(word in text for word in query.casefold().split())


class TestModel:
    async def test_what_was_asked_for_before_the_pages_were_read_is_shown_then(self, manual: Manual) -> None:
        model = HelpModel(lambda: manual)
        heard: list[str] = []
        model.watch(heard.append)
        assert model.show("manual/tea#the-pot")
        assert model.page is None
        await model.load()
        assert model.page is manual.pages["manual/tea"]
        assert heard[-1] == "page"
        assert not model.show("manual/milk")
        assert model.spot == Spot("manual/tea", "the-pot")


class TestShipped:
    def test_every_link_of_the_manual_to_one_of_its_pages_leads_to_a_heading_that_is_there(self) -> None:
        manual = shipped_manual()
        broken = []
        for page in manual.pages.values():
            for link in page.links:
                spot = manual.follow(page.id, link)
                if spot is not None and spot.anchor:
                    there = {section.anchor for section in manual.pages[spot.page].sections}
                    broken += [(page.id, link)] if spot.anchor not in there else []
        assert broken == []

    def test_no_two_pages_have_the_same_title(self) -> None:
        titles = [page.title for page in shipped_manual().contents]
        assert sorted(set(titles)) == sorted(titles)

    def test_f1_leads_from_every_panel_to_a_place_that_is_there(self) -> None:
        manual = shipped_manual()
        for panel in panels_of_the_program():
            spot = manual.spot(wanted_key(f"panel:{panel}"))
            assert spot is not None, panel
            assert not spot.anchor or spot.anchor in {one.anchor for one in manual.pages[spot.page].sections}, panel

    def test_the_panels_of_the_rail_have_a_page_of_their_own(self) -> None:
        for panel in ("chat", "timeline", "people", "memories", "character", "lorebook", "prompts", "discord", "log"):
            assert page_of(panel) != CONTENTS, panel

    def test_an_unknown_panel_has_the_contents(self) -> None:
        assert page_of("something-new") == CONTENTS


def panels_of_the_program() -> list[str]:
    """Return the ids of all panels that the window offers."""
    source = Path(window_parts.__code__.co_filename).parents[1] / "ui"
    found = []
    for file in source.glob("*/panel.py"):
        found += [line.split('"')[1] for line in file.read_text("utf-8").splitlines() if line.startswith('    id = "')]
    assert len(found) >= 15
    return found


def test_anchors_are_those_of_code_hosts() -> None:
    assert anchor_of("Where things are: `vault.db` & more") == "where-things-are-vaultdb--more"
