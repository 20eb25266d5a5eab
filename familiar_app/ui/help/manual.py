"""All pages of the manual: read from the shipped files, found by words, reached by links. Knows no Qt."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from familiar_app.store.resource import changelog, documents
from familiar_app.ui.help.page import Page, Section, read_page

CONTENTS = "manual/index"
CHANGES = "changes"
MOST_HITS = 40
_IN_TITLE, _IN_HEADING, _OF_MANUAL, _MOST_IN_TEXT = 8, 6, 2, 3
_BEFORE, _SNIPPET = 30, 110


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the manual; `anchor` may be empty. Its key stands in the window's back and forward."""

    page: str
    anchor: str = ""

    @classmethod
    def of(cls, key: str) -> Spot:
        """Return the place that a key names."""
        page, _, anchor = key.partition("#")
        return cls(page, anchor)

    @property
    def key(self) -> str:
        return f"{self.page}#{self.anchor}" if self.anchor else self.page


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that has every word that was looked for, and the piece of it around the first."""

    page: Page
    section: Section
    snippet: str

    @property
    def spot(self) -> Spot:
        return Spot(self.page.id, self.section.anchor)


class Manual:
    """The pages by their ids. `contents` are those that the first page links to, in its order."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = {page.id: page for page in pages}
        first = self.pages.get(CONTENTS)
        linked = [self.follow(CONTENTS, link) for link in first.links] if first else []
        ids = [CONTENTS] if first else []
        ids += [spot.page for spot in linked if spot is not None]
        self.contents = tuple(self.pages[one] for one in dict.fromkeys(ids))

    def spot(self, key: str) -> Spot | None:
        """Return the place of a key, None where there is no such page."""
        spot = Spot.of(key)
        return spot if spot.page in self.pages else None

    def follow(self, page: str, link: str) -> Spot | None:
        """Return where a link on a page leads within the manual, None where it leads out of it."""
        address, _, anchor = link.partition("#")
        if ":" in address:
            return None
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(address))) if address else page
        return self.spot(f"{target.removesuffix('.md')}#{anchor}")

    def search(self, query: str) -> list[Hit]:
        """Return the sections in which all words stand (or begin one), best first."""
        words = query.casefold().split()
        if not words:
            return []
        found = [
            (_score(page, section, words), Hit(page, section, _snippet(section, words)))
            for page in self.pages.values()
            for section in page.sections
        ]
        # Sorting keeps the order of the pages where the scores are the same.
        best = sorted((one for one in found if one[0] > 0), key=lambda one: -one[0])
        return [hit for _score, hit in best[:MOST_HITS]]


@cache
def shipped_manual() -> Manual:
    """Read the files that come with the program, once."""
    return read_manual(documents(), changelog())


def read_manual(folder: Path, changes: Path | None = None) -> Manual:
    """Read every Markdown file below a folder, those of the manual first, and last the file with all changes."""
    files = sorted(folder.rglob("*.md"), key=lambda file: (file.parent.name != "manual", file.as_posix()))
    pages = [_read(folder, file) for file in files if file != changes]
    return Manual(pages if changes is None else [*pages, _read_changes(changes)])


def _read(folder: Path, file: Path) -> Page:
    page = file.relative_to(folder).with_suffix("").as_posix()
    inside = posixpath.dirname(page)

    def picture(address: str) -> str:
        return posixpath.normpath(posixpath.join(inside, address))

    return read_page(page, file.read_text(encoding="utf-8"), picture)


def _read_changes(file: Path) -> Page:
    """Read the list of changes. It stands beside the folder of the other pages, and its links lead into that."""
    text = file.read_text(encoding="utf-8").replace("](docs/", "](")
    return read_page(CHANGES, text, lambda address: address)


def _score(page: Page, section: Section, words: Sequence[str]) -> float:
    title, heading, text = page.title.casefold(), section.heading.casefold(), section.text.casefold()
    score = 0.0
    for word in words:
        here = text.count(word)
        if word not in heading and not here:
            return 0.0
        score += min(here, _MOST_IN_TEXT)
        score += _IN_HEADING if word in heading else 0
        score += _IN_TITLE if word in title and section is page.sections[0] else 0
    return score + (_OF_MANUAL if page.id.startswith("manual/") else 0)


def _snippet(section: Section, words: Sequence[str]) -> str:
    flat = " ".join(section.text.split())
    places = [at for word in words if (at := flat.casefold().find(word)) >= 0]
    start = max(0, min(places, default=0) - _BEFORE)
    # Begin with a whole word.
    start = flat.find(" ", start) + 1 if start else 0
    piece = flat[start : start + _SNIPPET]
    return f"{'…' if start else ''}{piece}{'…' if start + _SNIPPET < len(flat) else ''}"
