"""Pictures of the Timeline in the whole window: `python -m tests.ui.timeline_pictures FOLDER [NAME …]`.

Empty, with a short story, with 20, 2,000 and 100,000 facts, in light and dark, at 100 % and 150 %.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

os.environ["QT_API"] = "pyside6"


from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import Fact
from familiar_app.store.moment import to_micros
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.panel import create_timeline_panel
from familiar_app.ui.timeline.span_index import Moment
from familiar_app.ui.timeline.view import TimelineView
from tests.ui.picture_window import main, open_world, panel_window, picture_name
from tests.ui.pictures import settle
from tests.ui.timeline_scene import NOW, day, fill_vault, new_vault, tell_story

Told = dict[str, Fact]
Show = Callable[[TimelineView, Told], Awaitable[None]]


async def as_it_opens(_view: TimelineView, _told: Told) -> None:
    """The present, with all of time in sight."""


async def moved(view: TimelineView, told: Told) -> None:
    """Both handles apart, and a fact at the side."""
    view.show_fact(told["oslo"].id)
    view.model.go(Moment(to_micros(day(-100)), to_micros(day(-50))))


async def square(view: TimelineView, _told: Told) -> None:
    view.do("square")
    view.model.go(Moment(to_micros(day(-100)), to_micros(day(-50))))


async def compared(view: TimelineView, _told: Told) -> None:
    view.model.go(Moment(*[to_micros(day(-100))] * 2))
    view.do("mark_a")
    view.model.go_now()
    view.do("mark_b")


async def changed(view: TimelineView, told: Told) -> None:
    view.model.choose((told["rome"].id,))
    view.do("edit")


async def opened_lanes(view: TimelineView, _told: Told) -> None:
    view.do("axis")
    await settle()
    view.model.toggle_lane(1)
    view.model.zoom(0.15, to_micros(day(-200)))
    view.model.go(Moment(*[to_micros(day(-200))] * 2))


SCENES: dict[str, tuple[int | None, Show]] = {
    "empty": (0, as_it_opens),
    "story": (None, as_it_opens),
    "moved": (None, moved),
    "square": (None, square),
    "compared": (None, compared),
    "changed": (None, changed),
    "twenty": (20, as_it_opens),
    "thousands": (2_000, as_it_opens),
    "opened": (2_000, opened_lanes),
    "many": (100_000, as_it_opens),
    "many_square": (100_000, square),
}
LOOKS = (("light", 1.0), ("dark", 1.0), ("contrast", 1.0), ("light", 1.5))


async def take(name: str, theme: Theme, folder: Path, root: Path) -> None:
    """Write the pictures of one scene."""
    facts, show = SCENES[name]
    clock = FixedClock(NOW)
    root.mkdir()
    vault = await new_vault(root, clock)
    told = await tell_story(vault, clock) if facts is None else {}
    if facts:
        await fill_vault(vault, facts, max(4, facts // 50))
    for look in LOOKS:
        world = open_world(root, theme, clock, look, (create_timeline_panel,), weak=True)
        world.gate.services.vault = vault
        async with panel_window(world, "timeline", _has_texts) as (window, view):
            await show(view, told)
            await settle(20)
            window.grab().save(str(folder / picture_name(f"timeline-{name}", look)))
    await vault.close()


def _has_texts(view: Any) -> bool:
    return view.model.loaded and len(view.model.texts) == view.model.size


if __name__ == "__main__":
    main(sys.argv[1:], list(SCENES), take)
