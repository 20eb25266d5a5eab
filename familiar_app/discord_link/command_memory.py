"""`/remember` and `/memories`: what is kept on purpose about whoever asks, and for managers about their server.

Rights are asked for at every action anew, and a button that names a memory which has changed since does nothing.
"""

from __future__ import annotations

from dataclasses import replace

from familiar_app.discord_link.memory_tag import read_tags, shown_tags
from familiar_app.discord_link.own_record import (
    identities,
    memories_for,
    memory_mark,
    memory_text,
    server_memories,
    when,
)
from familiar_app.discord_link.page import (
    STALE,
    Ask,
    DeclinedError,
    Form,
    Page,
    Press,
    Routes,
    Style,
    number_in,
    shortened,
    turned,
)
from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.saved_memory.keeper import Actor, Wording, may_change
from familiar_app.domain.saved_memory.memory import MemoryId, MemoryPlace, SavedMemory, Scope
from familiar_app.domain.text import in_english

SIZE = 4
MINE, SERVER = "me", "server"
_SHOWN_CHARS = 280
_PAGE, _EDIT, _CHANGE, _REMOVE, _RESTORE = (
    "memory.page",
    "memory.edit",
    "memory.change",
    "memory.remove",
    "memory.restore",
)


def add_routes(routes: Routes) -> None:
    """Say what the buttons of these pages do."""
    routes.does |= {_PAGE: show, _CHANGE: _change, _REMOVE: _remove, _RESTORE: _restore}
    routes.opens[_EDIT] = _open_edit


async def remember(ask: Ask) -> Page:
    """Keep a sentence: about whoever asks, or about the server. `ask.args` has the scope and the tags."""
    place = await _place(ask, ask.args[0] if ask.args else MINE)
    await _check_agreed(ask, place)
    keys = await identities(ask.host, ask.asker)
    if not any(may_change(actor, place) for actor in _actors(ask, keys)):
        raise DeclinedError("Only those who manage this server can have something remembered about it.")
    try:
        memory = await ask.host.vault.saved_memories.add(
            ask.host.keeper,
            Wording(place, ask.text, read_tags(ask.args[1] if len(ask.args) > 1 else "")),
            by=ask.asker.key,
        )
    except BadInputError as error:
        raise DeclinedError(_sentence(error.reason)) from error
    except UserError as error:
        raise DeclinedError(_reason(error)) from error
    text = memory_text(memory, char=ask.host.name, user=ask.asker.name)
    scope = SERVER if place.scope is Scope.SERVER else MINE
    buttons = (_button_of(_EDIT, "Change", memory, scope, 0), _button_of(_REMOVE, "Remove", memory, scope, 0))
    return Page(f"{ask.host.name} keeps this: {shortened(text, 1400)}{shown_tags(memory.tags)}", (buttons,))


async def show(ask: Ask) -> Page:
    """Show a page of memories. `ask.args` has the scope and where the page begins."""
    return await _page(ask)


async def _page(ask: Ask, note: str = "") -> Page:
    scope, start = (ask.args[0] if ask.args else MINE), number_in(ask.args, 1)
    place = await _place(ask, scope)
    found, withheld = await _listed(ask, scope)
    start = start if start < len(found) else max(0, (len(found) - 1) // SIZE * SIZE)
    limit = ask.host.keeper.limits.of(place.scope)
    whose = "about this server" if scope == SERVER else "about you"
    lines = [note, f"**What {ask.host.name} keeps {whose}** · {len(found)} of at most {limit}"]
    rows: list[tuple[Press, ...]] = []
    for number, memory in enumerate(found[start : start + SIZE], start + 1):
        text = memory_text(memory, char=ask.host.name, user=ask.asker.name)
        shown = f"{shortened(text, _SHOWN_CHARS)}{shown_tags(memory.tags)}"
        lines.append(f"**{number}.** {shown} · {when(memory.created_at)}")
        if await _may(ask, memory):
            edit, remove = (
                _button_of(action, f"{label} {number}", memory, scope, start)
                for action, label in ((_EDIT, "Change"), (_REMOVE, "Remove"))
            )
            rows.append((edit, remove))
    if not found:
        lines.append("Nothing yet. `/remember` keeps something.")
    if withheld:
        lines.append(f"-# {withheld} more were learned where you cannot read from here.")
    if turning := turned(_PAGE, start, SIZE, len(found)):
        rows.append(tuple(replace(one, args=(scope, *one.args)) for one in turning))
    return Page("\n".join(line for line in lines if line), tuple(rows))


async def _listed(ask: Ask, scope: str) -> tuple[list[SavedMemory], int]:
    """Return what may be shown, and how many memories may not. Who does not manage a server sees what they taught."""
    if scope != SERVER or ask.asker.guild is None:
        return await memories_for(ask.host, ask.asker)
    found = await server_memories(ask.host, ask.asker.guild)
    return [one for one in found if ask.asker.manages or await _may(ask, one)], 0


async def _place(ask: Ask, scope: str) -> MemoryPlace:
    lineage = ask.host.conversation.config.lineage
    if scope != SERVER:
        return MemoryPlace(Scope.PERSONAL, ask.asker.key, lineage)
    if ask.asker.guild is None:
        raise DeclinedError("Here is no server. Use the command in one of its channels.")
    teach = ask.host.conversation.config.saved_memories.members_may_teach
    if not ask.asker.manages and not teach:
        raise DeclinedError("Only those who manage this server can see and change what is kept about it.")
    return MemoryPlace(Scope.SERVER, ask.asker.guild, lineage)


async def _check_agreed(ask: Ask, place: MemoryPlace) -> None:
    """Decline where whoever asks wants nothing kept, or was not asked yet on a server that asks first."""
    privacy = ask.host.vault.privacy
    if place.scope is not Scope.PERSONAL:
        return
    level = await privacy.get(ask.asker.key)
    if not level.allows_memories:
        raise DeclinedError(
            f"Nothing is kept about you as long as your level is '{level}'. /privacy changes it, and then ask again."
        )
    servers = await privacy.opt_in_servers()
    if ask.asker.guild in servers and not await privacy.has_chosen(ask.asker.key):
        raise DeclinedError("On this server nothing is kept about anybody who has not agreed. /privacy agrees.")


def _actors(ask: Ask, keys: tuple[PersonKey, ...]) -> list[Actor]:
    guild = ask.asker.guild
    here = () if guild is None else (guild,)
    teach = ask.host.conversation.config.saved_memories.members_may_teach
    manages, may_teach = here if ask.asker.manages else (), here if teach else ()
    return [Actor(key, manages, may_teach) for key in keys]


async def _may(ask: Ask, memory: SavedMemory) -> bool:
    """Tell whether whoever asks may change a memory now."""
    keys = await identities(ask.host, ask.asker)
    return any(may_change(actor, memory.place, memory) for actor in _actors(ask, keys))


async def named(ask: Ask, *, retired: bool = False) -> SavedMemory | None:
    """Return the memory that a button names: of this familiar, unchanged since, and theirs to decide about."""
    memory = await ask.host.vault.saved_memories.get(MemoryId(number_in(ask.args)))
    if memory is None or memory.active == retired or not await _may(ask, memory):
        return None
    lineage = ask.host.conversation.config.lineage
    if memory.place.lineage != lineage and not memory.place.is_global:
        return None
    mark = ask.args[1] if len(ask.args) > 1 else ""
    return memory if memory_mark(memory) == mark else None


def _button_of(action: str, label: str, memory: SavedMemory, scope: str, start: int) -> Press:
    style: Style = "danger" if action == _REMOVE else "plain"
    return Press(label, action, (str(memory.id), memory_mark(memory), scope, str(start)), style)


def _back(ask: Ask) -> Ask:
    """Return the wish to see the page that a button stood on."""
    scope = ask.args[2] if len(ask.args) > 2 and ask.args[2] in (MINE, SERVER) else MINE
    return replace(ask, args=(scope, str(number_in(ask.args, 3))))


async def _open_edit(ask: Ask) -> Form | Page:
    memory = await named(ask)
    if memory is None:
        return await _page(_back(ask), STALE)
    most = ask.host.keeper.limits.max_length
    text = memory.content[:most]
    return Form("What is kept", "Write {user} for the person it is about", _CHANGE, ask.args, text, max_chars=most)


async def _change(ask: Ask) -> Page:
    memory = await named(ask)
    if memory is None:
        return await _page(_back(ask), STALE)
    try:
        await ask.host.vault.saved_memories.edit(ask.host.keeper, memory.id, by=ask.asker.key, content=ask.text)
    except BadInputError as error:
        raise DeclinedError(_sentence(error.reason)) from error
    except UserError as error:
        raise DeclinedError(_reason(error)) from error
    return await _page(_back(ask), "Changed.")


async def _remove(ask: Ask) -> Page:
    memory = await named(ask)
    if memory is None:
        return await _page(_back(ask), STALE)
    gone = await ask.host.vault.saved_memories.retire(ask.host.keeper, memory.id, by=ask.asker.key)
    page = await _page(_back(ask), "Removed: it is used nowhere any more. `/forget memory` erases it for good.")
    undo = Press("Undo", _RESTORE, (str(gone.id), memory_mark(gone), *ask.args[2:]))
    rows = (*page.rows[:-1], (*page.rows[-1], undo)) if page.rows else ((undo,),)
    return replace(page, rows=rows)


async def _restore(ask: Ask) -> Page:
    memory = await named(ask, retired=True)
    if memory is None or memory.retired_by not in await identities(ask.host, ask.asker):
        return await _page(_back(ask), STALE)
    try:
        await ask.host.vault.saved_memories.restore(ask.host.keeper, memory.id, by=ask.asker.key)
    except UserError as error:
        raise DeclinedError(_reason(error)) from error
    return await _page(_back(ask), "It is kept again.")


def _reason(error: UserError) -> str:
    """Return why a memory is not taken, in words for whoever asked; the next step in the error is for the owner."""
    return _sentence(error.message)


def _sentence(text: str) -> str:
    said = in_english(text)
    return f"{said[:1].upper()}{said[1:]}"
