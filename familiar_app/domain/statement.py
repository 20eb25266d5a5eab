"""Writes the privacy statement from the settings as they are: what is kept, how, for how long, and who else gets it.

Pure. It says nothing that no setting or part of the program bears out; what it cannot know, such as who has the
passphrase, it leaves to the owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from familiar_app.domain.audience import AudienceMode
from familiar_app.domain.settings import CharacterConfig, ModelSlot

_PROJECTORS = {
    "rich_note": "facts about what is said, each with the messages it comes from",
    "people_dossier": "a short portrait of each person, made of these facts",
    "rolling_summary": "a summary of each channel",
    "reflection": "thoughts about what was said, with what they rest on",
    "saved_memory": "memories that the familiar, or a person, decided to save",
    "fact_embedding": "vectors of facts, to find them again by their meaning",
    "turn_embedding": "vectors of messages, to find them again by their meaning",
}
_USED = {
    AudienceMode.STRICT: "what was said in a place is used only where everybody who reads the answer could read it.",
    AudienceMode.SERVER: "what was said in a channel may be used in all channels of that server, where others read.",
    AudienceMode.OPEN: "what was said in a channel may be used in others, also on other servers; direct messages stay.",
}
_QUIET = ("fact_supersede",)


@dataclass(frozen=True, slots=True)
class Handled:
    """One familiar: what it is called, and its settings."""

    name: str
    config: CharacterConfig


@dataclass(frozen=True, slots=True)
class Handling:
    """Everything the statement is written from.

    `asks_first` tells of the server it is written for whether people have to agree, None where it is for no server;
    `servers_that_ask` counts those that do. `on_discord` tells whether any of the familiars listens there.
    """

    familiars: Sequence[Handled]
    local_only: bool
    on_discord: bool
    asks_first: bool | None = None
    servers_that_ask: int = 0
    key_in_keyring: bool = False


def statement(handling: Handling) -> str:
    """Return the statement as Markdown."""
    parts = [
        ("Who this is about", list(_who(handling))),
        ("What is kept, and where", list(_kept(handling))),
        ("What is drawn from it", list(_drawn(handling))),
        ("Who else gets it", list(_elsewhere(handling))),
        ("How long it is kept", list(_how_long(handling))),
        ("What you can do", list(_rights(handling))),
    ]
    body = "\n\n".join(f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines) for title, lines in parts)
    return f"# How memory is handled\n\n{body}\n"


def _who(handling: Handling) -> Iterator[str]:
    names = _listed([one.name for one in handling.familiars]) or "no familiar yet"
    yield f"Familiar, a program, hosts {names}: characters that remember conversations. Whoever runs it is the owner."
    yield "The owner can read and change everything it keeps. Nobody else has access to it through the program."


def _kept(handling: Handling) -> Iterator[str]:
    yield "What is said is kept on the owner's computer, in one file that is encrypted with AES-256 (SQLCipher)."
    yield "Its key is protected by a passphrase (Argon2id) and a recovery code; backups have the same key."
    if handling.key_in_keyring:
        yield "A copy of the key is in the keyring of the owner's system, so that the program opens without asking."
    yield "The index that is searched is in memory only. Logs hold numbers, never texts, names or keys."
    if handling.on_discord:
        yield (
            "From Discord: messages of channels in which a familiar was told to listen, with author, time, names, "
            "replies, reactions, descriptions of attachments, earlier wordings, and who can read the channel."
        )
        modes = {one.config.discord.mode for one in handling.familiars}
        channels = [own.mode for one in handling.familiars for own in one.config.channels.values()]
        if "ambient" in modes or "ambient" in channels:
            yield "A familiar that listens to all of a channel keeps what is said there, not only what addresses it."
        else:
            yield "Only messages that address a familiar reach it with their words."
        direct = [one.name for one in handling.familiars if one.config.discord.direct_messages]
        yield f"Direct messages are kept by {_listed(direct)}." if direct else "Direct messages are not kept."


def _drawn(handling: Handling) -> Iterator[str]:
    for one in handling.familiars:
        active = one.config.providers.memory.projectors
        drawn = [_PROJECTORS.get(name, f"what the extension '{name}' makes") for name in active if name not in _QUIET]
        yield f"{one.name} draws {'; '.join(drawn)}." if drawn else f"{one.name} draws nothing from what is said."
    yield "There is no graph of who knows whom, and the program trains no model on what is said."
    yield from _used(handling)
    if handling.asks_first:
        yield "On this server nothing is drawn about people who have not agreed."
    elif handling.asks_first is None and handling.servers_that_ask:
        count = handling.servers_that_ask
        yield f"On {count} server{'' if count == 1 else 's'} nothing is drawn about people who have not agreed."
    elif handling.asks_first is False:
        yield "On this server it is drawn unless somebody says otherwise; everybody chooses for themselves."


def _used(handling: Handling) -> Iterator[str]:
    """Tell for each familiar how freely what was said in one place is used in another: the freest of its settings."""
    for one in handling.familiars:
        own = [found.audience for key, found in one.config.channels.items() if not key.startswith("local:")]
        modes = {one.config.memory.audience.shared, *(mode for mode in own if mode is not None)}
        yield f"{one.name}: {_USED[max(modes, key=list(AudienceMode).index)]}"


def _elsewhere(handling: Handling) -> Iterator[str]:
    if handling.local_only:
        yield "Local-only mode is on: nothing leaves the computer."
    for one in handling.familiars:
        for what, slot in (("replies", one.config.models.prose), ("memory", one.config.models.background)):
            yield f"{one.name}, {what}: {_where(slot, local_only=handling.local_only)}"
    if handling.on_discord:
        asking = [one.name for one in handling.familiars if one.config.discord.proxy_lookup]
        if asking:
            yield f"{_listed(asking)} may ask pluralkit.me by a message's number who sent it through PluralKit."
        yield "Answers are sent to Discord, which has terms and a privacy policy of its own."
    yield "Nobody else: there is no telemetry, and nothing is sold or shown to advertisers."


def _where(slot: ModelSlot, *, local_only: bool) -> str:
    host = endpoint_host(slot)
    if host is None:
        return "a model on the owner's computer; what is said does not leave it for this."
    if local_only:
        return f"set to {host}, which is not asked while local-only mode is on."
    return f"sent to {host} (model {slot.model}), with the conversation and what is remembered that belongs to it."


def endpoint_hosts(configs: Iterable[CharacterConfig]) -> list[str]:
    """Return the computers that conversations of some familiars are sent to, each once."""
    slots = [slot for config in configs for slot in (config.models.prose, config.models.background)]
    return list(dict.fromkeys(host for slot in slots if (host := endpoint_host(slot)) is not None))


def endpoint_host(slot: ModelSlot) -> str | None:
    """Return the name of the computer a model runs on where that is not the owner's own; else None."""
    if slot.provider != "openai":
        return None
    host = urlsplit(slot.base_url).hostname or slot.base_url
    if host == "localhost":
        return None
    try:
        return None if ip_address(host).is_loopback else host
    except ValueError:
        return host


def _how_long(handling: Handling) -> Iterator[str]:
    yield "Messages and what is drawn from them are kept until they are erased."
    if handling.on_discord:
        yield "A message that is deleted on Discord loses its words here too, with what rests on it alone."
    counts = sorted({one.config.context.kept_traces for one in handling.familiars})
    if counts:
        most = " or ".join(str(count) for count in counts)
        yield f"The prompts behind answers are kept for the newest {most} answers, then dropped."
    yield "Backups that still hold what was erased go within 30 days; in one that is put back it is erased again."
    yield "Only a memory that a person wrote, erased by itself, stands in older backups until these are dropped."


def _rights(handling: Handling) -> Iterator[str]:
    if not handling.on_discord:
        yield "Ask the owner to see, correct or erase what is kept about you; the program can do each of these."
        return
    yield "`/what-do-you-know` shows what is kept about you, and lets you correct it or have it forgotten."
    yield "`/memories` shows, changes and removes what was saved about you; `/remember` adds to it."
    yield "`/privacy` says what may be kept about you: everything, messages only, or nothing at all."
    yield "`/forget` erases a message, a memory, or everything about you, for good."
    yield "You can also ask the owner for any of this, and to see what was learned where you cannot read."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
