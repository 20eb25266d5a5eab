"""Whatever an answer says, sent or changed, by the account or by webhooks: nobody is pinged who was not named."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doubles.discord.deed import press
from tests.doubles.discord.world import FIRST_PERSON, GUILD, Payload, pinged
from tests.doubles.waiting import until_told
from tests.e2e.discord.stage import Script, Stage, stage
from tests.e2e.discord.test_house import NIX, home

ROUNDS = 25
ANN, BEN, CY = (FIRST_PERSON + number for number in (1, 2, 3))
PIECES = (
    "[@Ann]", "[@ben]", "[@Cy]", "[@Zoe]", "[@Mira]", f"<@{ANN}>", f"<@!{BEN}>", f"<@{CY}>", f"<@&{GUILD}>",
    "@everyone", "@here", "@Everyone", f"[@{ANN}]", f"<[@{BEN}]>", f"<[@!{CY}]>", f"<[@&{GUILD}]>",
    "[@everyone]", "@[@here]", "[@", "]", "<@", ">", "<", "@", str(ANN), str(CY), "everyone", "&", "!",
    " ", " ", "\n", "\n\n", "words " * 40, "```", "`", "\u200b", "**", "> ",
    f"https://example.org/<@{ANN}>", f"[x](https://example.org/@everyone/<@{BEN}>)",
)  # fmt: skip


def any_answer(dice: random.Random) -> str:
    return "So: " + "".join(dice.choices(PIECES, k=dice.choice((3, 12, 80))))


def check(message: Payload, answer: str) -> None:
    """See that a message pings those alone whom its answer names, and asks Discord to look for nobody else."""
    names = {"ann": ANN, "ben": BEN}
    named = {str(number) for name, number in names.items() if f"[@{name}]" in answer.lower()}
    assert pinged(message) <= named
    leave = message["allowed_mentions"]
    assert leave["parse"] == []
    assert {str(one) for one in leave.get("users", ())} <= named
    assert not leave.get("replied_user")
    assert not leave.get("roles")
    assert set(re.findall(r"<@!?(\d+)>", message["content"])) <= named
    assert not re.search(r"<@&\d+>|@(everyone|here)", message["content"], re.IGNORECASE)


async def fuzz(on: Stage, model: Script, ask: str, sent: list[Payload], dice: random.Random) -> set[str]:
    """Have many answers given and given anew, and look at all that is sent. Returns who was pinged at all."""
    found: set[str] = set()
    edited = on.discord.rest.edited
    await on.scene.write("Ben", "I am here")
    for number in range(ROUNDS):
        model.lines = {"": (answer := any_answer(dice))}
        before, changes = len(sent), len(edited)
        await on.scene.write("Ann", f"{ask} {number}")
        await ended(on, lambda before=before: len(sent) > before and bool(sent[-1]["components"]))  # type: ignore[misc]
        for one in sent[before:]:
            check(one, answer)
            found |= pinged(one)
        model.lines = {"": (other := any_answer(dice))}
        before = len(sent)
        await press(on.scene, "Ann", int(sent[-1]["id"]), "again")
        await ended(on, lambda changes=changes: len(edited) > changes)  # type: ignore[misc]
        for one in (*edited[changes:], *sent[before:]):
            check(one, other)
    return found


async def ended(on: Stage, condition: Callable[[], bool]) -> None:
    """Wait until something was sent, and nothing more is being sent."""
    await on.scene.until(condition, "for an answer")

    async def over() -> bool:
        return not [one for host in on.link.house.members for one in await on.vault.deliveries.left(host.familiar)]

    await until_told(over)


@pytest.mark.slow
async def test_the_account_pings_nobody_who_was_not_named(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.scene.join("Cy")
        found = await fuzz(on, on.model, "@Mira and", on.discord.rest.sent, random.Random(7))
        assert found <= {str(ANN)}, "Ben's words were not heard: they did not mention the familiar"
        assert found


@pytest.mark.slow
async def test_webhooks_ping_nobody_who_was_not_named(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house, house.on.connected():
        house.on.scene.join("Cy")
        hooks = house.on.discord.rest.hooks.sent
        house.models[next(iter(house.models))].lines = {"": "<silent>"}
        found = await fuzz(house.on, house.models[NIX], "Nix, and", hooks, random.Random(8))
        assert found <= {str(ANN), str(BEN)}
        assert found
