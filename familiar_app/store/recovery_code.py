"""The printable code that opens a vault when its passphrase is forgotten.

Twenty-six random symbols (130 bits) and two that check them, in Crockford's base 32: no letter that looks like a
digit counts as a letter. The check is the number modulo the prime 1021, which finds every single wrong symbol and
every swap of two neighbours.
"""

from __future__ import annotations

import re
import secrets
import unicodedata

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr, tr_later

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LOOKALIKES = str.maketrans({"O": "0", "I": "1", "L": "1"})
_RANDOM_SYMBOLS, _CHECK_SYMBOLS, _GROUP = 26, 2, 4
_CHECK_PRIME = 1021
_NEXT_STEP = tr_later("Compare it with the printed code, group by group.")


def new_recovery_code() -> str:
    """Return a fresh code in seven groups of four, such as `7K3M-…`."""
    symbols = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_SYMBOLS))
    return _grouped(symbols + _check(symbols))


def normalise_recovery_code(text: str) -> str:
    """Return the code as it was printed, from any case, spacing and dashes, with O read as 0 and I and L as 1.

    Raises BadInputError where it is too short or long, has a symbol that no code has, or fails its check.
    """
    plain = re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).upper().translate(_LOOKALIKES)
    expected = _RANDOM_SYMBOLS + _CHECK_SYMBOLS
    if any(symbol not in _ALPHABET for symbol in plain):
        raise BadInputError(tr("the recovery code has a character that no code has."), next_step=tr(_NEXT_STEP))
    if len(plain) != expected:
        raise BadInputError(
            tr(
                "the recovery code has {expected} letters and digits, and this has {length}.",
                expected=expected,
                length=len(plain),
            ),
            next_step=tr(_NEXT_STEP),
        )
    if _check(plain[:_RANDOM_SYMBOLS]) != plain[_RANDOM_SYMBOLS:]:
        raise BadInputError(tr("the recovery code has a typing mistake."), next_step=tr(_NEXT_STEP))
    return _grouped(plain)


def _check(symbols: str) -> str:
    number = 0
    for symbol in symbols:
        number = (number * len(_ALPHABET) + _ALPHABET.index(symbol)) % _CHECK_PRIME
    high, low = divmod(number, len(_ALPHABET))
    return _ALPHABET[high] + _ALPHABET[low]


def _grouped(symbols: str) -> str:
    return "-".join(symbols[start : start + _GROUP] for start in range(0, len(symbols), _GROUP))
