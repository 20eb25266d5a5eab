"""On a server that asks first, the model saves nothing about people who have not agreed, even if they never spoke."""

from __future__ import annotations

from dataclasses import replace

from familiar_app.domain.ids import OWNER, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory.target import ChatPerson
from tests.unit.conversation.memory_stage import ANN, BEN, MIRA, SERVER, Stage

CLEO = ChatPerson(PersonKey("discord:77"), "Cleo", global_name="Cleo")
RESTRICTED = "memory_save_failed_privacy_restricted"


async def ask_first(stage: Stage) -> None:
    await stage.vault.privacy.set_opt_in(SERVER, True, familiar=MIRA, by=OWNER)
    stage.context = replace(stage.context, members=(CLEO,))


async def test_nothing_is_saved_about_whoever_has_not_agreed(stage: Stage) -> None:
    await ask_first(stage)
    await stage.private(ANN, PrivacyLevel.NONE)
    assert (await stage.save("{user} keeps bees", "Ann")).success
    for name in ("Ben", "Cleo"):
        assert (await stage.save("{user} keeps bees", name)).status == RESTRICTED
    assert (await stage.save("The garden is Cleo's.")).status == RESTRICTED
    assert (await stage.save("The garden is Ann's.")).success
    await stage.private(CLEO, PrivacyLevel.NONE)
    assert (await stage.save("The garden is Cleo's.")).success


async def test_elsewhere_they_are_like_everybody(stage: Stage) -> None:
    await ask_first(stage)
    elsewhere = {"server": "discord:999", "guild": "discord:999"}
    assert (await stage.save("{user} keeps bees", "Ben", **elsewhere)).success
    assert (await stage.save("The garden is Cleo's.", **elsewhere)).success
    assert BEN.key not in await stage.vault.privacy.levels()
