"""The parts of a case file: each has the form it has to have, or the case is refused with the name of the part.

What is missing, null, empty or false counts as left out; halves of surrogate pairs are replaced. What the parts mean is
for `case` to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.lorebook.entry import EntryKey
from familiar_app.domain.lorebook.kind import finite_number, whole_text


def an_object(value: Any, field: str) -> Mapping[str, Any]:
    """Return an object, an empty one where there is none. Raises BadInputError."""
    if not value:
        return {}
    if not isinstance(value, Mapping):
        raise BadInputError("this has to be an object.", field=field)
    return value


def a_list(value: Any, field: str) -> list[Any]:
    """Return a list, an empty one where there is none. Raises BadInputError."""
    if not value:
        return []
    if not isinstance(value, list | tuple):
        raise BadInputError("this has to be a list.", field=field)
    return list(value)


def objects(value: Any, field: str) -> list[Mapping[str, Any]]:
    """Return a list of objects. Raises BadInputError."""
    listed = a_list(value, field)
    if not all(isinstance(one, Mapping) for one in listed):
        raise BadInputError("this has to be a list of objects.", field=field)
    return listed


def texts(value: Any, field: str) -> list[str]:
    """Return a list of texts. Raises BadInputError."""
    listed = a_list(value, field)
    if not all(isinstance(one, str) for one in listed):
        raise BadInputError("this has to be a list of texts.", field=field)
    return list(map(whole_text, listed))


def text(value: Any, field: str) -> str:
    """Return a text, an empty one where there is none. Raises BadInputError."""
    if not value:
        return ""
    if not isinstance(value, str):
        raise BadInputError("this has to be a text.", field=field)
    return whole_text(value)


def number(value: Any, field: str) -> float:
    """Return a number, also one written as a text. Raises BadInputError."""
    found = finite_number(value)
    if found is None:
        raise BadInputError("this has to be a number.", field=field)
    return found


def whole(value: Any, field: str) -> int | None:
    """Return a whole number, None where there is none. Raises BadInputError."""
    return None if value is None else int(number(value, field))


def entry_key(value: Mapping[str, Any], field: str) -> EntryKey:
    """Return which entry an object with `book` and `uid` names. Raises BadInputError."""
    book, uid = value.get("book"), value.get("uid")
    if not isinstance(book, str) or isinstance(uid, bool) or not isinstance(uid, int | str):
        raise BadInputError("this has to name entries by book and uid.", field=field)
    return EntryKey(book, uid)
