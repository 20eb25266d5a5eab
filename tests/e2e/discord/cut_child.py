"""A process that listens on the make-believe Discord and is killed at one point of answering.

Run as `python -m tests.e2e.discord.cut_child VAULT REST GATEWAY TOKEN POINT`. Prints `connected` once it is.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from familiar_app.discord_link.client import Addresses, GatewayClient
from familiar_app.discord_link.link import DiscordLink
from familiar_app.domain.clock import SystemClock
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.network import NetworkPolicy
from familiar_app.store.delivery import Deliveries
from familiar_app.store.message import Messages
from familiar_app.store.turn import Turns
from familiar_app.store.vault import Vault
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import CHEAP, QUICK, Script, conversation_of

PASSPHRASE = "three blue herons"
TWO_PARTS = "word " * 700
ANEW = "Otherwise, and shorter."
_SIGKILL = getattr(signal, "SIGKILL", None)


def die() -> None:
    if _SIGKILL is None:
        os._exit(9)
    os.kill(os.getpid(), _SIGKILL)


def cut(owner: type, name: str, *, after: bool, count: int = 1) -> None:
    """Let the process end before or after the `count`th call of a method."""
    real: Callable[..., Any] = getattr(owner, name)
    calls = 0

    async def wrapped(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == count and not after:
            die()
        result = await real(*args, **options)
        if calls == count and after:
            die()
        return result

    setattr(owner, name, wrapped)


POINTS: dict[str, Callable[[], None]] = {
    "heard": lambda: cut(Turns, "append", after=True),
    "asked": lambda: cut(Script, "prepare", after=False),
    "made": lambda: cut(Turns, "append", after=True, count=2),
    "typing": lambda: cut(GatewayClient, "type_once", after=True),
    "before the first": lambda: cut(GatewayClient, "send", after=False),
    "after the first": lambda: cut(GatewayClient, "send", after=True),
    "first noted": lambda: cut(Messages, "sent", after=True),
    "after the second": lambda: cut(GatewayClient, "send", after=True, count=2),
    "second noted": lambda: cut(Messages, "sent", after=True, count=2),
    "before the end": lambda: cut(Deliveries, "end", after=False),
}
AGAIN: dict[str, Callable[[], None]] = {
    "made": lambda: cut(Turns, "append", after=True),
    "before the edit": lambda: cut(GatewayClient, "edit", after=False),
    "after the edit": lambda: cut(GatewayClient, "edit", after=True),
    "handed over": lambda: cut(Deliveries, "hand_over", after=True),
    "before the removal": lambda: cut(GatewayClient, "remove", after=False),
    "after the removal": lambda: cut(GatewayClient, "remove", after=True),
    "before the end": lambda: cut(Deliveries, "end", after=False),
}


async def main() -> None:
    path, rest, gateway, token, point = sys.argv[1:6]
    clock = SystemClock()
    vault = await Vault.open(Path(path), clock=clock, passphrase=PASSPHRASE, cost=CHEAP)
    again = point.startswith("again ")
    model = Script(lines={"": ANEW if again else TWO_PARTS})
    tasks = TaskRegistry(lambda _, error: print(repr(error), file=sys.stderr))  # noqa: T201
    link = DiscordLink(
        conversation=conversation_of(vault, MIRA, "Mira", model),
        clock=clock,
        tasks=tasks,
        token=token,
        check=NetworkPolicy(local_only=True).check,
        addresses=Addresses(rest, gateway),
        patience=QUICK,
        on_status=lambda status: print(status.state, flush=True),  # noqa: T201
    )
    (AGAIN[point.removeprefix("again ")] if again else POINTS[point])()
    await link.run()


if __name__ == "__main__":
    asyncio.run(main())
