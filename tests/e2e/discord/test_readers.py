"""Who reads a channel is known as Discord has it: who is kept out, in private threads, and after a change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from familiar_app.discord_link.incoming import channel_key
from familiar_app.domain.audience import AudienceMode, Held, Readers
from tests.doubles.discord.world import PUBLIC_THREAD, VIEW
from tests.doubles.talk import MIRA
from tests.doubles.waiting import until_told
from tests.e2e.discord.stage import GENERAL, Stage, stage

PRIVATE_THREAD = 12
ROLE, MEMBER = 0, 1


def shut_out(number: int, kind: int = MEMBER) -> dict[str, Any]:
    return {"id": str(number), "type": kind, "allow": "0", "deny": str(VIEW)}


async def until_readers(on: Stage, channel: str, wanted: Readers) -> None:
    async def told() -> bool:
        found = await on.vault.channels.find(channel_key(on.scene.channels[channel]))
        return found is not None and await on.vault.audiences.readers(found.id) == wanted

    await until_told(told)


async def test_who_is_kept_out_of_an_open_channel_hears_nothing_of_it(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        ben = on.scene.people["Ben"].id
        party = on.scene.open_channel("party")
        on.discord.world.channels[party]["permission_overwrites"] = [shut_out(ben)]
        await on.vault.channels.ensure(channel_key(party), familiar=MIRA, title="party", guild=None)
        async with on.connected():
            await on.scene.write("Ann", "@Mira Ben's present is a kite", channel="party")
            await on.scene.write("Ben", "@Mira what do I get?")
            await on.scene.replies(2)
            await until_readers(on, "party", Readers(everyone=True, barred=frozenset({f"discord:{ben}"})))
        general = await on.vault.channels.find(GENERAL)
        kept = await on.vault.channels.find(channel_key(party))
        assert general is not None
        assert kept is not None
        audience = await on.vault.audiences.of(MIRA, general, AudienceMode.STRICT)
        assert audience.why_held([kept.id]) is Held.READERS
        here = await on.vault.audiences.of(MIRA, kept, AudienceMode.STRICT)
        assert here.why_held([general.id]) is None


async def test_what_is_said_in_a_private_thread_stays_there(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        thread = on.discord.world.add_channel("between us", kind=PUBLIC_THREAD, parent=on.scene.channels["general"])
        thread["type"] = PRIVATE_THREAD
        on.scene.channels["between us"] = int(thread["id"])
        await on.discord.gateway.tell("THREAD_CREATE", {**thread, "newly_created": True})
        await on.scene.write("Ann", "@Mira nobody else may know", channel="between us")
        await on.scene.write("Ann", "@Mira good morning")
        await on.scene.replies(2)
        general = await on.vault.channels.find(GENERAL)
        private = await on.vault.channels.find(channel_key(on.scene.channels["between us"]))
        assert general is not None
        assert private is not None
        audience = await on.vault.audiences.of(MIRA, general, AudienceMode.STRICT)
        assert audience.why_held([private.id]) is Held.UNKNOWN
        inside = await on.vault.audiences.of(MIRA, private, AudienceMode.STRICT)
        assert inside.why_held([general.id]) is None


async def test_a_change_of_readers_is_known_before_the_next_message(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        general = on.discord.world.channels[on.scene.channels["general"]]
        ben = on.scene.people["Ben"].id
        general["permission_overwrites"] = [shut_out(ben), shut_out(77, ROLE)]
        async with on.connected():
            barred = frozenset({f"discord:{ben}", "role:77"})
            await until_readers(on, "general", Readers(everyone=True, barred=barred))
            general["permission_overwrites"] = []
            await on.discord.gateway.tell("CHANNEL_UPDATE", general)
            await until_readers(on, "general", Readers(everyone=True))
