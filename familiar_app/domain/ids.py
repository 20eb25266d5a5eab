"""Distinct types for identifiers, so that one cannot be passed for another.

Integer ids are the vault's row ids. `PersonKey` is a canonical key `platform:user_id` (`discord:1`, `local:owner`,
`pk:…`, `import:…`) or `ego:<familiar>` for a familiar itself. `ChannelKey` is a name such as `local:main` or
`discord:10`; it is unique together with the familiar that owns a local channel.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NewType

TurnId = NewType("TurnId", int)
ChannelId = NewType("ChannelId", int)
TraceId = NewType("TraceId", int)
FamiliarId = NewType("FamiliarId", str)
PersonKey = NewType("PersonKey", str)
ChannelKey = NewType("ChannelKey", str)
Lineage = NewType("Lineage", str)

OWNER = PersonKey("local:owner")
MAIN_CHANNEL = ChannelKey("local:main")

_FAMILIAR_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")
# Windows refuses these as folder names, whatever their case.
_RESERVED = {"con", "prn", "aux", "nul"} | {f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)}


def ego_key(familiar: FamiliarId) -> PersonKey:
    """Return the key under which a familiar itself is known."""
    return PersonKey(f"ego:{familiar}")


def proxy_key(mark: str) -> PersonKey:
    """Return the key of a name that a bot speaks under in somebody's place; it is nobody's identity."""
    return PersonKey(f"proxy:{mark}")


def is_unverified(person: PersonKey) -> bool:
    """Tell whether a key stands for a mere name, so that nobody knows whose it is."""
    return person.startswith("proxy:")


def is_local(channel: ChannelKey) -> bool:
    """Tell whether a channel lives in the program's own window."""
    return channel.startswith("local:")


def is_of_discord(channel: ChannelKey) -> bool:
    """Tell whether a channel lives on Discord: what is said in it is said there."""
    return channel.startswith("discord:")


def is_familiar_id(text: str) -> bool:
    """Tell whether `text` can name a familiar and its folder on every file system."""
    return bool(_FAMILIAR_ID.match(text)) and text not in _RESERVED


def familiar_id_from_name(name: str, taken: frozenset[str] = frozenset()) -> FamiliarId:
    """Derive a free familiar id from a display name; "familiar" where nothing usable is left. Accents are dropped."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(char))
    base = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:48] or "familiar"
    if base in _RESERVED:
        base = f"{base}-1"
    candidate, number = base, 2
    while candidate in taken:
        candidate, number = f"{base}-{number}", number + 1
    return FamiliarId(candidate)
