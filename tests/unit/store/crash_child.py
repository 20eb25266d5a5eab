"""A process that uses a vault until it is killed. Run as `python -m tests.unit.store.crash_child MODE VAULT KEY`.

`append` stores turns from several tasks at once and prints each one's id and text once the vault has acknowledged it.
`hold` stores what the test plants on standard input, uses it in every way that might spill to disk, and waits.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from pathlib import Path

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import MAIN_CHANNEL, ChannelId, FamiliarId, PersonKey
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.vault import Vault

CLOCK = SystemClock()
MIRA = FamiliarId("mira")


async def append_for_ever(vault: Vault, channel: ChannelId, writer: int, run: str) -> None:
    author = Author(PersonKey(f"discord:{writer}"), f"Writer {writer}")
    for number in itertools.count():
        text = f"{run} {writer} {number} " + "x" * (number * 37 % 3000)
        turn, _ = await vault.turns.append(NewTurn(channel, Role.USER, text, CLOCK.now(), author, message_id=text[:30]))
        print(json.dumps([turn.id, text]), flush=True)  # noqa: T201
        if number % 7 == 3:
            for _ in range(2):
                answer = NewTurn(channel, Role.ASSISTANT, "answer", CLOCK.now(), answers=turn.id)
                reply, _ = await vault.turns.append(answer)
            await vault.turns.revise(reply.id, f"{text} revised")
            print(json.dumps([reply.id, f"{text} revised"]), flush=True)  # noqa: T201


async def hold(vault: Vault, channel: ChannelId) -> None:
    planted = json.loads(sys.stdin.readline())
    author = Author(PersonKey("discord:7"), planted["name"], planted["name"])
    text = planted["sentence"]
    await vault.secrets.set("openai", planted["secret"])
    await vault.state.set("draft", text)
    await vault.turns.append_many(
        [NewTurn(channel, Role.USER, f"{text} {n}", CLOCK.now(), author, message_id=str(n)) for n in range(3000)]
    )
    first = (await vault.turns.page(channel, limit=1))[0]
    await vault.turns.revise(first.id, f"{text} again")
    await vault.turns.search(text.upper(), limit=3000)
    await vault._opened.engine.read(
        lambda c: c.execute(
            "SELECT count(DISTINCT a.content || b.content) FROM turns a JOIN turns b ON b.id < 20"
        ).fetchone()
    )
    print("ready", flush=True)  # noqa: T201
    await asyncio.sleep(60)


async def main() -> None:
    mode, path, key = sys.argv[1:4]
    vault = await Vault.open(Path(path), clock=CLOCK, data_key=bytes.fromhex(key))
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    if mode == "hold":
        await hold(vault, channel.id)
    else:
        print("ready", flush=True)  # noqa: T201
        await asyncio.gather(*(append_for_ever(vault, channel.id, writer, sys.argv[4]) for writer in range(4)))


if __name__ == "__main__":
    asyncio.run(main())
