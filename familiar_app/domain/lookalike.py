"""Brings names that look alike into one form, to tell that they do. The form is for comparing and is never shown."""

from __future__ import annotations

import re
import unicodedata

# Show as nothing, also where they belong into names: joiners, selectors of a glyph's form, and an empty Braille cell.
_UNSEEN = re.compile("[\u200c\u200d\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_LETTERS = (
    # Cyrillic, Greek and phonetic letters with the Latin ones that they are drawn like; capitals on their own.
    ("АВЕЅІЈКМНОРСТУХаеѕіјкморсухԁһԛԝвнт", "abesijkmhopctyxaesijkmopcyxdhqwbht"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαειοκνρτυχγ", "abezhikmnoptyxaeiokvptuxy"),
    ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢıɑɡ", "abcdefghijklmnoprstuvwyziag"),
)
_LATIN = {ord(strange): latin for strange, latin in zip(*map("".join, zip(*_LETTERS, strict=True)), strict=True)}
# A capital i, an l and a one are drawn alike, and so are an o and a zero.
_DRAWN = str.maketrans("i10", "llo")


def looks_like(name: str) -> str:
    """Return what is the same for all names that a reader could take for this one."""
    seen = _UNSEEN.sub("", unicodedata.normalize("NFKC", name)).translate(_LATIN)
    return " ".join(seen.casefold().translate(_DRAWN).split())
