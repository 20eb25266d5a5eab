"""The projectors there are, by name: the program's own, and those that others register or install.

A package adds one through the entry-point group `familiar_app.projectors`: the entry's name is the projector's, and it
points at a factory. A factory gets a `Desk` and returns a `MemoryProjector`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from familiar_app.domain.errors import BadInputError, BugError, UserError
from familiar_app.domain.text import joined, tr
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.fact_embedding import FactEmbedding
from familiar_app.projectors.fact_supersede import FactSupersede
from familiar_app.projectors.loop import ProjectorLoop
from familiar_app.projectors.people_dossier import PeopleDossier
from familiar_app.projectors.port import Desk, MemoryProjector, TickingProjector
from familiar_app.projectors.reflection import Reflection
from familiar_app.projectors.rich_note import RichNote
from familiar_app.projectors.rolling_summary import RollingSummary
from familiar_app.projectors.saved_memory import SavedMemory
from familiar_app.projectors.turn_embedding import TurnEmbedding

GROUP = "familiar_app.projectors"
FIELD = "providers.memory.projectors"

ProjectorFactory = Callable[[Desk], MemoryProjector]
_Maker = Callable[[Desk, BeliefReplay], TickingProjector]

# In the order in which one builds on another.
_BUILT_IN: dict[str, _Maker] = {
    "rich_note": RichNote,
    "fact_supersede": FactSupersede,
    "people_dossier": PeopleDossier,
    "rolling_summary": RollingSummary,
    "reflection": Reflection,
    "fact_embedding": FactEmbedding,
    "turn_embedding": TurnEmbedding,
    "saved_memory": SavedMemory,
}
_REGISTERED: dict[str, ProjectorFactory] = {}


def register_projector(name: str, factory: ProjectorFactory) -> None:
    """Add a projector. Raises BugError where the name is taken."""
    if name in _BUILT_IN or name in _REGISTERED:
        raise BugError(f"There is a projector named {name} already.")
    _REGISTERED[name] = factory


def unregister_projector(name: str) -> None:
    """Take a registered projector away again. Those that run go on."""
    _REGISTERED.pop(name, None)


def known_projectors() -> tuple[str, ...]:
    """Return the names of all projectors, the program's own first, in the order in which one builds on another."""
    return tuple(dict.fromkeys((*_BUILT_IN, *_REGISTERED, *_installed())))


def check_projectors(names: Iterable[str]) -> None:
    """Raise BadInputError that names the first unknown or repeated projector, and lists the known ones."""
    known, seen = known_projectors(), set[str]()
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = [tr("Did you mean {key}?", key=one) for one in near]
            raise BadInputError(
                tr("there is no projector {name!r}.", name=name),
                source="character.toml",
                field=FIELD,
                next_step=joined([*hint, tr("Known projectors: {names}.", names=", ".join(known))], " "),
            )
        if name in seen:
            raise BadInputError(
                tr("the projector {name!r} stands here twice.", name=name), source="character.toml", field=FIELD
            )
        seen.add(name)


def build_projectors(names: Iterable[str], desk: Desk) -> list[MemoryProjector]:
    """Build projectors, each once, in the order in which one builds on another. Raises as `check_projectors`."""
    wanted = list(names)
    check_projectors(wanted)
    beliefs = BeliefReplay(desk.vault, desk.familiar)
    return [_build(name, desk, beliefs) for name in known_projectors() if name in wanted]


def _build(name: str, desk: Desk, beliefs: BeliefReplay) -> MemoryProjector:
    if name in _BUILT_IN:
        return ProjectorLoop(_BUILT_IN[name](desk, beliefs), desk)
    factory = _REGISTERED.get(name) or _load(_installed()[name])
    return factory(desk)


@cache
def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _load(entry: EntryPoint) -> ProjectorFactory:
    try:
        factory: ProjectorFactory = entry.load()
    except (ImportError, AttributeError) as error:
        raise UserError(
            tr(
                "The projector {name} is installed but cannot be loaded ({kind}).",
                name=entry.name,
                kind=type(error).__name__,
            ),
            tr("Mend or remove its package, or take it out of {field}.", field=FIELD),
        ) from error
    return factory
