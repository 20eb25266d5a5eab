"""Commands where several familiars share an account: which of them is meant is asked, and each has its own memories."""

from __future__ import annotations

from pathlib import Path

from tests.doubles.discord.interaction import Interactions
from tests.e2e.discord.test_house import NIX, home

OWN = '[discord]\nmode = "ambient"\n'


async def test_the_familiar_is_chosen_and_buttons_stay_with_it(tmp_path: Path) -> None:
    async with home(tmp_path, NIX, toml=f'lineage = "heron"\n{OWN}') as house:
        on = house.on
        house.link(f'lineage = "heron"\n{OWN}')
        async with on.connected():
            hands = Interactions(on.scene)
            page = await hands.use("Ann", "memories", familiar="nix")
            assert page.text.startswith("**What Nix Discord keeps about you**")
            assert (await hands.use("Ann", "memories")).text.startswith("**What Mira keeps about you**")
            saved = await hands.use("Ann", "remember", text="{user} keeps bees", familiar="nix")
            assert saved.text == "Nix Discord keeps this: Ann keeps bees"
            removed = await hands.press("Ann", saved, "Remove")
            assert "**What Nix Discord keeps about you**" in removed.text
            (listed,) = [one for one in on.discord.rest.commands if one["name"] == "memories"]
            choices = next(one["choices"] for one in listed["options"] if one["name"] == "familiar")
            assert [(one["name"], one["value"]) for one in choices] == [("Mira", "mira"), ("Nix Discord", "nix")]


async def test_with_one_familiar_nothing_is_asked(tmp_path: Path) -> None:
    async with home(tmp_path) as house, house.on.connected():
        on = house.on
        await on.scene.until(lambda: bool(on.discord.rest.commands))
        options = [
            option["name"]
            for command in on.discord.rest.commands
            for one in [command, *command.get("options", [])]
            for option in one.get("options", [])
        ]
        assert "about" in options
        assert "familiar" not in options
