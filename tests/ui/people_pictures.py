"""Pictures of People and Reflections in the whole window: `python -m tests.ui.people_pictures FOLDER [NAME …]`.

Empty, with a short story, with very many, in light and dark, at 100 % and 150 %.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

os.environ["QT_API"] = "pyside6"


from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import MAIN_CHANNEL
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.projectors.port import Desk
from familiar_app.projectors.runner import Projectors
from familiar_app.store.vault import Vault
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.people.panel import create_people_panel
from familiar_app.ui.reflections.panel import create_reflections_panel
from familiar_app.ui.timeline.panel import create_timeline_panel
from tests.ui.panel_scene import ANN, BEN, MIRA, config, tell_people, tell_thoughts, think
from tests.ui.picture_window import main, open_world, panel_window, picture_name
from tests.ui.pictures import settle
from tests.ui.timeline_scene import NOW, day, new_vault, tell_story
from tests.unit.projectors.scene import ToldModel

Show = Callable[[Any], Awaitable[None]]
MANY = 3_000


async def as_it_opens(_view: Any) -> None:
    """Nothing is chosen."""


async def ann(view: Any) -> None:
    view.show_person(ANN)


async def both(view: Any) -> None:
    view.model.choose([ANN, BEN])
    view._show_rows()


async def merged(view: Any) -> None:
    await view.model.merge([BEN], ANN)
    view.load()
    await settle(10)
    view.show_person(ANN)
    await settle(20)
    bar = view.context.side_view.findChild(type(view.context.side_view._widget)).verticalScrollBar()
    bar.setValue(bar.maximum())
    await view.model.part([BEN])


async def turn(view: Any) -> None:
    view._show_turn(view.cards[1].case.reflection.cited_turns[0])


async def fact(view: Any) -> None:
    view.mark(view.cards[1].case, "unpin" if view.cards[1].case.pinned else "pin")
    view._show_fact(view.cards[2].case.reflection.cited_facts[0])


async def too_little(view: Any) -> None:
    view.model._needed = 1_000
    view.reflect()


SCENES: dict[str, tuple[str, str, Show]] = {
    "people-empty": ("people", "empty", as_it_opens),
    "people-ann": ("people", "story", ann),
    "people-both": ("people", "story", both),
    "people-merged": ("people", "story", merged),
    "people-many": ("people", "many", as_it_opens),
    "reflections-empty": ("reflections", "empty", as_it_opens),
    "reflections-little": ("reflections", "story", too_little),
    "reflections-turn": ("reflections", "story", turn),
    "reflections-fact": ("reflections", "story", fact),
    "reflections-many": ("reflections", "many", as_it_opens),
}
LOOKS = (("light", 1.0), ("dark", 1.0), ("contrast", 1.0), ("light", 1.5))


async def fill(vault: Vault, clock: FixedClock, kind: str) -> None:
    if kind == "empty":
        return
    told = await tell_story(vault, clock)
    await tell_people(vault, told)
    await tell_thoughts(vault, told)
    if kind == "many":
        channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
        authors = [Author(f"discord:{1000 + n}", f"Person of a rather long name {n}", f"p{n}") for n in range(MANY)]
        turns = [NewTurn(channel.id, Role.USER, "Hello.", day(-n / 9), author) for n, author in enumerate(authors)]
        await vault.turns.append_many(turns)
        for number in range(60):
            await think(vault, f"Thought {number}: the days grow longer, and nobody hurries.", -1, facts=[told["cat"]])


async def take(name: str, theme: Theme, folder: Path, root: Path) -> None:
    """Write the pictures of one scene."""
    panel, kind, show = SCENES[name]
    clock = FixedClock(NOW)
    root.mkdir()
    vault = await new_vault(root, clock)
    await fill(vault, clock, kind)
    panels = (create_timeline_panel, create_people_panel, create_reflections_panel)
    for look in LOOKS:
        world = open_world(root, theme, clock, look, panels, weak=False)
        services = world.gate.services
        services.vault = vault
        for hosted in services.familiars.values():
            hosted.config = config()
            hosted.projectors = Projectors(Desk(hosted.id, hosted.name, vault, ToldModel(), hosted.config, clock))
        async with panel_window(world, panel, lambda view: view.model.loaded) as (window, view):
            await show(view)
            await settle(25)
            window.grab().save(str(folder / picture_name(name, look)))
    await vault.close()


if __name__ == "__main__":
    main(sys.argv[1:], list(SCENES), take)
