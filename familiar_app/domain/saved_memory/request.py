"""Checks a call of the memory tools as far as no stored row is needed: arguments, context, whom it means, the text.

The first check that fails decides. What is left, privacy, the row itself and the room for it, is checked where the
row is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from familiar_app.domain.ids import ChannelKey, FamiliarId, Lineage, PersonKey, TurnId, ego_key
from familiar_app.domain.privacy import Proxy
from familiar_app.domain.saved_memory import placeholder
from familiar_app.domain.saved_memory.memory import MemoryId, Scope
from familiar_app.domain.saved_memory.status import Failure, Refused
from familiar_app.domain.saved_memory.target import MAX_CANDIDATES, NOBODY, ChatPerson, Circle, Found, resolve

SERVER_WIDE = "server_wide"
TARGET_USER = "target_user"
_SCOPES = (SERVER_WIDE, TARGET_USER)
_LARGEST_ID = 1 << 62


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a tool is called from. What the caller does not know is None, and makes the context incomplete.

    A direct message and a local channel are servers of their own. `source_turn` is the message that is answered.
    """

    familiar: FamiliarId | None
    char: str
    lineage: Lineage
    server: str | None
    channel: ChannelKey | None
    speaker: ChatPerson | None
    participants: tuple[ChatPerson, ...] = ()
    members: tuple[ChatPerson, ...] = ()
    direct: bool = False
    guild: str | None = None
    source_turn: TurnId | None = None

    @property
    def people(self) -> tuple[ChatPerson, ...]:
        """Everybody who is known here, the speaker first."""
        speaker = () if self.speaker is None else (self.speaker,)
        return (*speaker, *self.participants, *self.members)

    @property
    def circle(self) -> Circle:
        """Who can be meant by a name."""
        key = None if self.familiar is None else ego_key(self.familiar)
        own = next((one for one in self.participants if one.key is not None and one.key == key), None)
        itself = own or ChatPerson(key, self.char, bot=True)
        talking = ([] if self.speaker is None else [self.speaker]) + list(self.participants)
        return Circle(itself, tuple(one for one in talking if one is not own), self.members, self.direct)


@dataclass(frozen=True, slots=True)
class Limits:
    """What the settings allow."""

    enabled: bool
    max_length: int
    max_server: int
    max_personal: int

    def of(self, scope: Scope) -> int:
        """Return how many memories of a scope there may be."""
        return self.max_server if scope is Scope.SERVER else self.max_personal


@dataclass(frozen=True, slots=True)
class Aim:
    """Where a memory goes, and whom it is about: `key` is None for nobody, or for somebody whom nobody knows."""

    scope: Scope
    key: PersonKey | None = None
    name: str | None = None
    proxy: Proxy | None = None


@dataclass(frozen=True, slots=True)
class SaveIntent:
    """A save whose form is right."""

    context: ToolContext
    aim: Aim
    content: str


@dataclass(frozen=True, slots=True)
class UpdateIntent:
    """An update whose form is right; without content the memory goes."""

    context: ToolContext
    aim: Aim
    memory: MemoryId
    content: str | None


def check_save(arguments: object, context: ToolContext, limits: Limits) -> SaveIntent | Refused:
    """Check a call of the saving tool."""
    problem = _save_arguments(arguments)
    if problem is not None or not isinstance(arguments, Mapping):
        return Refused(Failure.INVALID_ARGS, problem or "The arguments have to be an object.")
    refused = _standing(context, limits)
    if refused is not None:
        return refused
    content, target = arguments["memory_content"], arguments.get("target_user") or ""
    personal = arguments["memory_scope"] == TARGET_USER
    if not content.strip():
        return Refused(Failure.INVALID_ARGS, "memory_content is empty. Say what is to be remembered.")
    if personal and not target.strip():
        return Refused(Failure.INVALID_ARGS, "With target_user as scope, name the person in target_user.")
    aim = Aim(Scope.SERVER)
    if personal:
        person = _person(target, context)
        if isinstance(person, Refused):
            return person
        aim, content = _aim(person, context, content)
    return _with_content(context, aim, placeholder.clean(content), limits)


def check_update(arguments: object, context: ToolContext, limits: Limits) -> UpdateIntent | Refused:
    """Check a call of the updating tool."""
    problem = _update_arguments(arguments)
    if problem is not None or not isinstance(arguments, Mapping):
        return Refused(Failure.INVALID_ARGS, problem or "The arguments have to be an object.")
    refused = _standing(context, limits)
    if refused is not None:
        return refused
    target = arguments.get("target_user")
    aim = Aim(Scope.SERVER)
    if target is not None and target.strip():
        person = _person(target, context)
        if isinstance(person, Refused):
            return person
        unfit = _unfit_for_update(person, context)
        if unfit is not None:
            return unfit
        aim = Aim(Scope.PERSONAL, person.key, person.name, person.proxy)
    memory = MemoryId(arguments["memory_id"])
    content = placeholder.clean(arguments["memory_content"])
    if not content:
        return UpdateIntent(context, aim, memory, None)
    made = _with_content(context, aim, content, limits)
    return made if isinstance(made, Refused) else UpdateIntent(context, aim, memory, content)


def _save_arguments(arguments: object) -> str | None:
    if not isinstance(arguments, Mapping):
        return "The arguments have to be an object."
    if not isinstance(arguments.get("memory_content"), str):
        return "memory_content is missing or no text."
    if arguments.get("memory_scope") not in _SCOPES:
        return f"memory_scope has to be {SERVER_WIDE} or {TARGET_USER}."
    return _target_argument(arguments)


def _update_arguments(arguments: object) -> str | None:
    if not isinstance(arguments, Mapping):
        return "The arguments have to be an object."
    number = arguments.get("memory_id")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < _LARGEST_ID:
        return "memory_id is missing or no whole number from 1."
    if not isinstance(arguments.get("memory_content"), str):
        return "memory_content is missing or no text; an empty text deletes the memory."
    return _target_argument(arguments)


def _target_argument(arguments: Mapping[str, Any]) -> str | None:
    target = arguments.get("target_user")
    return None if target is None or isinstance(target, str) else "target_user is no text."


def _standing(context: ToolContext, limits: Limits) -> Refused | None:
    """Check what holds for both tools before anybody is looked for."""
    if not limits.enabled:
        return Refused(Failure.DISABLED, "Saving memories is switched off here.")
    if context.familiar is None or not context.server or context.speaker is None or context.speaker.key is None:
        return Refused(Failure.INTERNAL_ERROR, "It is not known who calls from where, so nothing was changed.")
    return None


def _person(target: str, context: ToolContext) -> ChatPerson | Refused:
    found: Found = resolve(target, context.circle)
    if found.several:
        names = [{"key": one.key, "label": one.label} for one in found.several[:MAX_CANDIDATES]]
        message = "Several people are called that. Use a full label or an id."
        return Refused(Failure.AMBIGUOUS_USER, message, {"candidates": names})
    if found is NOBODY or found.person is None:
        return Refused(Failure.USER_NOT_FOUND, "Nobody here is called that. Use a name as it stands in the chat.")
    return found.person


def _aim(person: ChatPerson, context: ToolContext, content: str) -> tuple[Aim, str]:
    """Say where a memory about somebody goes; what belongs to nobody with an account here goes to the server."""
    if person.key == context.circle.itself.key and person.key is not None:
        return Aim(Scope.SERVER), content
    if person.bridge:
        return Aim(Scope.SERVER, person.key, person.name), placeholder.name_user(content, person.name)
    return Aim(Scope.PERSONAL, person.key, person.name, person.proxy), content


def _unfit_for_update(person: ChatPerson, context: ToolContext) -> Refused | None:
    if person.key == context.circle.itself.key:
        return Refused(Failure.INVALID_TARGET, "Memories about yourself belong to the server: leave out target_user.")
    if person.bridge:
        return Refused(Failure.INVALID_SCOPE, "A bridged person has no memories of their own: leave out target_user.")
    speaker = None if context.speaker is None else context.speaker.key
    if context.direct and person.key != speaker:
        return Refused(Failure.INVALID_SCOPE, "In a direct message only the speaker's own memories can be changed.")
    if not context.direct and not person.member and person.proxy is None:
        return Refused(Failure.INVALID_SCOPE, "This person does not belong to this server.")
    return None


def _with_content(context: ToolContext, aim: Aim, content: str, limits: Limits) -> SaveIntent | Refused:
    if 1 <= len(content) <= limits.max_length:
        return SaveIntent(context, aim, content)
    message = f"A memory has 1 to {limits.max_length} characters; this one has {len(content)}."
    return Refused(Failure.INVALID_CONTENT, message, {"length": len(content), "max_length": limits.max_length})
