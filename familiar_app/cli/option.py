"""Kinds of option values, checked while the command line is read."""

from __future__ import annotations

import argparse
import re
import unicodedata
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from familiar_app.domain.clock import parse_time
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import PersonKey, is_familiar_id

MAX_CHANNEL_CHARS = 256
_PERSON_KEY = re.compile(r"[a-z][a-z0-9_-]*:\S(?:.{0,254}\S)?\Z")


def instant(text: str) -> datetime:
    """Read a time."""
    try:
        return parse_time(text)
    except BadInputError as error:
        raise argparse.ArgumentTypeError(f"{error.reason} {error.next_step}") from error


def limit(text: str) -> int:
    """Read a number from 1."""
    number = whole_number(text)
    if number < 1:
        raise argparse.ArgumentTypeError("this has to be 1 or more.")
    return number


def whole_number(text: str) -> int:
    """Read a whole number that fits an id."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise argparse.ArgumentTypeError("this has to be a whole number.")
    return int(text)


def familiar_id(text: str) -> str:
    """Read the id of a familiar."""
    if not is_familiar_id(text):
        raise argparse.ArgumentTypeError(
            "an id has lower-case letters, digits, '-' and '_', and begins with a letter or digit."
        )
    return text


def composed(text: str) -> str:
    """Return a name that is the same whichever keyboard or system composed its accents."""
    return unicodedata.normalize("NFC", text.strip())


def channel(text: str) -> str:
    """Read the key of a channel."""
    name = composed(text)
    if not name or len(name) > MAX_CHANNEL_CHARS or not name.isprintable():
        raise argparse.ArgumentTypeError("this is no name of a channel.")
    return name


def zone(text: str) -> ZoneInfo:
    """Read the name of a time zone."""
    try:
        return ZoneInfo(text.strip())
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise argparse.ArgumentTypeError("this is no time zone, such as Europe/Berlin.") from error


def local_channel(text: str) -> str:
    """Read the key of a channel in the program's own window."""
    name = channel(text)
    if not name.startswith("local:") or name == "local:":
        raise argparse.ArgumentTypeError("this has to be a local channel, such as local:main.")
    return name


def person_key(text: str) -> PersonKey:
    """Read the key of a person; behind the colon may stand a name of several words."""
    text = text.strip()
    if not _PERSON_KEY.match(text) or not text.isprintable():
        raise argparse.ArgumentTypeError("a person is named like discord:123 or local:ann.")
    return PersonKey(text)


def speaker(text: str) -> str:
    """Read the name of somebody who speaks."""
    name = composed(text)
    if not name or len(name) > 80 or not name.isprintable():
        raise argparse.ArgumentTypeError("this is no name.")
    if unicodedata.normalize("NFKC", name).casefold() == "owner":
        raise argparse.ArgumentTypeError("the owner speaks without --as.")
    return name
