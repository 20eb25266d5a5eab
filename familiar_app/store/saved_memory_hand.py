"""What people do with memories by hand: each is checked, logged as one operator turn and carried out, or refused.

Runs inside the writer's transaction. Raises UserError or BadInputError; then nothing was changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.ids import ChannelKey, FamiliarId, Lineage, PersonKey, TurnId, ego_key
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory import placeholder
from familiar_app.domain.saved_memory.keeper import Keeper, Wording
from familiar_app.domain.saved_memory.memory import (
    GLOBAL_LINEAGE,
    MemoryId,
    MemoryPlace,
    SavedMemory,
    Scope,
    content_identity,
    usable_lineage,
)
from familiar_app.domain.saved_memory.named import names_somebody
from familiar_app.domain.saved_memory.tag import clean_tags, tag_problem
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.moment import to_micros
from familiar_app.store.privacy import private_names, read_levels
from familiar_app.store.saved_memory_log import (
    Act,
    ActPlace,
    Op,
    catch_up,
    log_act,
    next_number,
    place_fields,
    put_op,
)
from familiar_app.store.saved_memory_row import active_in, existing_memory, read_memory

if TYPE_CHECKING:
    from sqlite3 import Connection

RETIRED = tr_later("retired by hand")
REPLACED = tr_later("replaced by an import")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: memories added, left out because they were there, and retired to make way."""

    added: int
    skipped: int
    retired: int


def add(
    connection: Connection, keeper: Keeper, new: Wording, by: PersonKey, at: datetime, source: TurnId | None
) -> MemoryId:
    """Store what a person wrote. Where it is there already, that row becomes theirs."""
    catch_up(connection)
    wording = checked(connection, keeper, new)
    known = next((row for row in active_in(connection, wording.place) if _is_same(row, wording)), None)
    if known is not None:
        tags = list(dict.fromkeys((*known.tags, *wording.tags)))
        _check_tags(keeper, tags)
        op: Op = {"op": "change", "id": known.id, "tags": tags, "manual": True}
        _log(connection, keeper.familiar, "add", by, (op,), at)
        return known.id
    _check_room(connection, keeper, wording.place)
    number = next_number(connection)
    put = _put(keeper, number, wording, by, manual=True)
    _log(connection, keeper.familiar, "add", by, (put | {"source_turn": source},), at)
    return number


def edit(
    connection: Connection,
    keeper: Keeper,
    number: MemoryId,
    content: str | None,
    tags: Sequence[str] | None,
    by: PersonKey,
    at: datetime,
) -> MemoryId:
    """Change text or tags of a memory; it counts as a person's from then on, also where both stay the same."""
    catch_up(connection)
    known = _active(connection, keeper, number)
    new = Wording(
        known.place, known.content if content is None else content, known.tags if tags is None else tuple(tags)
    )
    wording = checked(connection, keeper, new)
    op: Op = {
        "op": "change", "id": number, "content": wording.content, "tags": list(wording.tags), "manual": True,
    }  # fmt: skip
    _log(connection, keeper.familiar, "edit", by, (op,), at)
    return number


def protect(
    connection: Connection, keeper: Keeper, number: MemoryId, on: bool, by: PersonKey, at: datetime
) -> MemoryId:
    """Keep a memory from being forgotten to make room, or let it be."""
    catch_up(connection)
    known = _active(connection, keeper, number)
    if known.manually_written != on:
        _log(connection, keeper.familiar, "protect", by, ({"op": "protect", "id": number, "manual": on},), at)
    return number


def retire(connection: Connection, keeper: Keeper, number: MemoryId, by: PersonKey, at: datetime) -> MemoryId:
    """Take a memory out of every prompt, count and list; it can be restored."""
    catch_up(connection)
    _active(connection, keeper, number)
    _log(connection, keeper.familiar, "retire", by, ({"op": "retire", "id": number, "reason": RETIRED},), at)
    return number


def restore(connection: Connection, keeper: Keeper, number: MemoryId, by: PersonKey, at: datetime) -> MemoryId:
    """Bring a retired memory back, where there is room for it and nobody's privacy stands against it."""
    catch_up(connection)
    known = existing_memory(connection, number, keeper.lineage)
    if known.active:
        raise UserError(tr("Memory {number} is not retired.", number=str(number)), tr("There is nothing to restore."))
    _check_people(connection, Wording(known.place, known.content))
    _check_room(connection, keeper, known.place)
    _log(connection, keeper.familiar, "restore", by, ({"op": "restore", "id": number},), at)
    return number


def move(
    connection: Connection, keeper: Keeper, number: MemoryId, place: MemoryPlace, by: PersonKey, at: datetime
) -> MemoryId:
    """Let a memory be about another server or person, or known to every familiar."""
    catch_up(connection)
    known = _active(connection, keeper, number)
    if known.place == place:
        return number
    checked(connection, keeper, Wording(place, known.content, known.tags))
    _check_room(connection, keeper, place, without=frozenset((number,)))
    op: Op = {"op": "change", "id": number, "manual": True, **place_fields(place)}
    _log(connection, keeper.familiar, "move", by, (op,), at)
    return number


def reinforce(
    connection: Connection, familiar: FamiliarId, channel: ChannelKey, memories: Sequence[MemoryId], at: datetime
) -> None:
    """Remember that memories were of use in a channel."""
    catch_up(connection)
    found = (read_memory(connection, number) for number in memories)
    ops: list[Op] = [{"op": "reinforce", "id": one.id} for one in found if one is not None and one.active]
    if ops:
        act = Act("reinforce", ego_key(familiar), ops)
        log_act(connection, ActPlace(familiar, channel), act, to_micros(at))


def bring_in(
    connection: Connection,
    keeper: Keeper,
    items: Sequence[Wording],
    replace: bool,
    by: PersonKey,
    at: datetime,
    *,
    dry_run: bool,
) -> Imported:
    """Store memories from a file: those not there yet, or with `replace` in the place of all that are.

    Everything is checked before anything is written. Imported memories do not count as written by hand.
    """
    catch_up(connection)
    wordings = [_checked_item(connection, keeper, item, place) for place, item in enumerate(items, start=1)]
    places = dict.fromkeys(item.place for item in wordings)
    present = {place: [row for row in active_in(connection, place) if row.place == place] for place in places}
    gone = [row for rows in present.values() for row in rows] if replace else []
    known = set() if replace else {_mark(row.place, row.content, row.tags) for rows in present.values() for row in rows}
    fresh: dict[tuple[MemoryPlace, bytes, frozenset[str]], Wording] = {}
    for item in wordings:
        mark = _mark(item.place, item.content, item.tags)
        if mark not in known:
            fresh.setdefault(mark, item)
    _check_import_room(connection, keeper, list(fresh.values()), frozenset(row.id for row in gone))
    if dry_run or (not fresh and not gone):
        return Imported(len(fresh), len(wordings) - len(fresh), len(gone))
    ops: list[Op] = [{"op": "retire", "id": row.id, "reason": REPLACED} for row in gone]
    number = next_number(connection)
    for offset, item in enumerate(fresh.values()):
        ops.append(_put(keeper, MemoryId(number + offset), item, by, manual=False))
    _log(connection, keeper.familiar, "import", by, ops, at)
    return Imported(len(fresh), len(wordings) - len(fresh), len(gone))


def checked(connection: Connection, keeper: Keeper, new: Wording) -> Wording:
    """Return a memory as it will be stored. Raises BadInputError (text, tags) or UserError (place, privacy)."""
    if not new.place.owner.strip():
        raise UserError(tr("It is not said about whom or which server this is."), tr("Name a person or a server."))
    if new.place.is_global and new.place.scope is Scope.SERVER:
        raise UserError(tr("A memory about a server is never known to every familiar."), tr("Choose a person instead."))
    if not new.place.is_global and not usable_lineage(new.place.lineage):
        raise UserError(
            tr("This familiar has no lineage, so nothing can be kept for it."), tr("Set lineage in its settings.")
        )
    content = placeholder.clean(new.content)
    if not 1 <= len(content) <= keeper.limits.max_length:
        raise BadInputError(
            tr(
                "a memory has 1 to {limit} characters; this one has {length}.",
                limit=str(keeper.limits.max_length),
                length=str(len(content)),
            ),
            field="content",
        )
    tags = clean_tags(new.tags)
    _check_tags(keeper, tags)
    wording = Wording(new.place, content, tags)
    _check_people(connection, wording)
    return wording


def _checked_item(connection: Connection, keeper: Keeper, item: Wording, place: int) -> Wording:
    try:
        return checked(connection, keeper, item)
    except BadInputError as error:
        raise BadInputError(
            error.reason,
            field=tr("memory {place}, {field}", place=str(place), field=error.field),
            next_step=error.next_step,
        ) from error
    except UserError as error:
        raise UserError(
            tr("Memory {place} of the file: {message}", place=str(place), message=error.message), error.next_step
        ) from error


def _check_tags(keeper: Keeper, tags: Sequence[str]) -> None:
    problem = tag_problem(tags, keeper.max_tags)
    if problem is not None:
        raise BadInputError(problem, field="tags")


def _check_people(connection: Connection, wording: Wording) -> None:
    levels = read_levels(connection)
    place = wording.place
    if place.scope is Scope.PERSONAL:
        if not levels.get(PersonKey(place.owner), PrivacyLevel.NONE).allows_memories:
            raise UserError(tr("This person does not want to be remembered."), tr("Nothing about them can be kept."))
    elif levels and names_somebody(wording.content, private_names(connection, levels)):
        raise UserError(tr("This names somebody who does not want to be remembered."), tr("Leave them out."))


def _check_room(
    connection: Connection, keeper: Keeper, place: MemoryPlace, *, without: frozenset[MemoryId] = frozenset()
) -> None:
    """Refuse one memory more where there is no room for it. Rows of `without` are about to leave their place."""
    limit, load = keeper.limits.of(place.scope), _load(connection, place, without, Counter([place.lineage]))
    if load > limit:
        raise UserError(
            tr("There are {load} memories here already, and {limit} fit.", load=load - 1, limit=limit),
            tr("Retire one first, or raise the limit."),
        )


def _check_import_room(
    connection: Connection, keeper: Keeper, fresh: Sequence[Wording], gone: frozenset[MemoryId]
) -> None:
    """Refuse all of it where one place would overflow."""
    for place in dict.fromkeys(item.place for item in fresh):
        here = Counter(
            item.place.lineage for item in fresh if (item.place.scope, item.place.owner) == (place.scope, place.owner)
        )
        load, limit = _load(connection, place, gone, here), keeper.limits.of(place.scope)
        if load > limit:
            raise UserError(
                tr(
                    "With this there would be {load} memories about one owner, and {limit} fit. Nothing was imported.",
                    load=load,
                    limit=limit,
                ),
                tr("Raise the limit in [saved_memories], or take some out of the file."),
            )


def _load(connection: Connection, place: MemoryPlace, without: frozenset[MemoryId], more: Mapping[Lineage, int]) -> int:
    """Count what would count against the limit of a place. What every familiar knows counts for each of them."""
    rows = connection.execute(
        "SELECT id, persona_lineage_id FROM saved_memories WHERE retired_at IS NULL AND scope = ? AND owner = ?",
        (place.scope, place.owner),
    )
    counts = Counter(Lineage(lineage) for number, lineage in rows if number not in without)
    counts.update(more)
    if place.scope is Scope.SERVER:
        return counts[place.lineage]
    shared = counts.pop(GLOBAL_LINEAGE, 0)
    return shared + (max(counts.values(), default=0) if place.is_global else counts[place.lineage])


def _active(connection: Connection, keeper: Keeper, number: MemoryId) -> SavedMemory:
    known = existing_memory(connection, number, keeper.lineage)
    if not known.active:
        raise UserError(tr("Memory {number} is retired.", number=str(number)), tr("Restore it first."))
    return known


def _is_same(row: SavedMemory, wording: Wording) -> bool:
    return row.place == wording.place and content_identity(row.content) == content_identity(wording.content)


def _mark(place: MemoryPlace, content: str, tags: Sequence[str]) -> tuple[MemoryPlace, bytes, frozenset[str]]:
    return (place, content_identity(content), frozenset(tags))


def _put(keeper: Keeper, number: MemoryId, wording: Wording, by: PersonKey, *, manual: bool) -> Op:
    return put_op(
        number, wording.place, wording.content, wording.tags, persona=keeper.familiar, taught_by=by, manual=manual
    )


def _log(
    connection: Connection, familiar: FamiliarId, name: str, by: PersonKey, ops: Sequence[Op], at: datetime
) -> None:
    log_act(connection, ActPlace(familiar), Act(name, by, ops), to_micros(at))
