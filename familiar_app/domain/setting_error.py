"""Merges setting files and turns what is wrong with them into sentences that name file, key and remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import ntr, tr, tr_later

Source = tuple[str, Mapping[str, Any]]
Model = TypeVar("Model", bound=BaseModel)


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `over` laid on it: tables are merged key by key, everything else is replaced."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def validate_merged(model: type[Model], sources: Sequence[Source]) -> Model:
    """Merge `sources`, later ones over earlier ones, and check the result. Raises BadInputError."""
    merged: dict[str, Any] = {}
    for _, content in sources:
        merged = merge(merged, content)
    try:
        return model.model_validate(merged)
    except ValidationError as error:
        raise _bad_input(model, sources, error.errors(include_url=False, include_input=False)) from None


def known_keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Yield the dotted keys of a settings model, in order; a name that the owner chooses shows as `*`."""
    for name, field in model.model_fields.items():
        child, free = _table_of(field.annotation)
        dotted = f"{prefix}{name}"
        if child is None:
            yield dotted
        else:
            yield from known_keys(child, f"{dotted}.*." if free else f"{dotted}.")


def _bad_input(model: type[BaseModel], sources: Sequence[Source], errors: Sequence[ErrorDetails]) -> BadInputError:
    # Unknown keys come first: a mistyped key is the likelier cause of whatever else is wrong.
    first = min(errors, key=lambda error: error["type"] != "extra_forbidden")
    path = tuple(str(part) for part in first["loc"])
    unknown = first["type"] == "extra_forbidden"
    reason, next_step = _unknown_key(model, path) if unknown else _bad_value(first)
    if len(errors) > 1:
        more = ntr("{n} more after this one.", "{n} more after this one.", len(errors) - 1)
        next_step = f"{next_step} {more}".strip()
    return BadInputError(reason, source=_origin(sources, path), field=".".join(path), next_step=next_step)


def _origin(sources: Sequence[Source], path: tuple[str, ...]) -> str:
    """Return the last file that says something about `path` or, failing that, about the table around it."""
    for length in range(len(path), 0, -1):
        for name, content in reversed(sources):
            if _holds(content, path[:length]):
                return name
    return sources[-1][0]


def _holds(content: object, path: tuple[str, ...]) -> bool:
    for part in path:
        if not isinstance(content, Mapping) or part not in content:
            return False
        content = content[part]
    return True


def _unknown_key(model: type[BaseModel], path: tuple[str, ...]) -> tuple[str, str]:
    siblings = _siblings(model, path[:-1])
    near = difflib.get_close_matches(path[-1], siblings, n=1, cutoff=0.6)
    if near:
        return tr("this key does not exist."), tr("Did you mean {key}?", key=".".join((*path[:-1], near[0])))
    everywhere = list(known_keys(model))
    elsewhere = [key for key in everywhere if key.rpartition(".")[2] == path[-1]]
    close = elsewhere[:1] or difflib.get_close_matches(".".join(path), everywhere, n=1, cutoff=0.5)
    if close:
        return tr("this key does not exist."), tr("Did you mean {key}?", key=close[0])
    return tr("this key does not exist."), tr("Known keys here: {keys}.", keys=", ".join(siblings))


def _siblings(model: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    table: type[BaseModel] = model
    skip = False
    for part in path:
        if skip:
            skip = False
            continue
        field = table.model_fields.get(part)
        child, skip = _table_of(field.annotation) if field is not None else (None, False)
        if child is None:
            break
        table = child
    return list(table.model_fields)


def _table_of(annotation: object) -> tuple[type[BaseModel] | None, bool]:
    """Return the table behind a field and whether the owner chooses the names in between."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    for argument in get_args(annotation):
        if isinstance(argument, type) and issubclass(argument, BaseModel):
            return argument, True
    return None, False


def _bad_value(error: ErrorDetails) -> tuple[str, str]:
    context = error.get("ctx", {})
    if error["type"] == "literal_error":
        return tr("this value is not one of those known."), tr("Use {values}.", values=_alternatives(context))
    if error["type"] == "missing":
        return tr("this key is missing."), tr("Restore the shipped file of defaults.")
    if error["type"] == "model_type":
        return tr("this must be a table of keys."), ""
    if error["type"].endswith("_type") or error["type"] == "auto_or_value":
        return tr("{problem}.", problem=_plain(error)), ""
    return tr("the value does not fit: {problem}.", problem=_plain(error)), ""


# What the library says of the usual mistakes, in sentences that can be translated.
_PLAIN = {
    "greater_than": tr_later("it should be greater than {gt}"),
    "greater_than_equal": tr_later("it should be greater than or equal to {ge}"),
    "less_than": tr_later("it should be less than {lt}"),
    "less_than_equal": tr_later("it should be less than or equal to {le}"),
    "finite_number": tr_later("it should be a finite number"),
    "int_type": tr_later("it should be a valid integer"),
    "int_from_float": tr_later("it should be a valid integer, got a number with a fractional part"),
    "float_type": tr_later("it should be a valid number"),
    "bool_type": tr_later("it should be a valid boolean"),
    "string_type": tr_later("it should be a valid string"),
    "list_type": tr_later("it should be a valid list"),
    "dict_type": tr_later("it should be a valid dictionary"),
    "auto_or_value": tr_later('write "auto" for the provider\'s own choice'),
    "unknown_zone": tr_later('it is not a known time zone; use a name such as "Europe/Berlin", or "system"'),
    "no_address": tr_later('it needs base_url, because its provider is "openai"'),
}


def _alternatives(context: Mapping[str, Any]) -> str:
    """Return the values of a closed list; the library puts an English word before the last one."""
    before, _, last = str(context.get("expected", "")).rpartition(" or ")
    return tr("{values} or {last}", values=before, last=last) if before else last


def _plain(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    if error["type"] == "bad_url":
        return tr("it {problem}", problem=context["problem"])
    if error["type"] in _PLAIN:
        return tr(_PLAIN[error["type"]], **{name: str(value) for name, value in context.items()})
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input ").rstrip(".")
    if message.startswith(("should", "is ", "must", "needs")):
        return f"it {message}"
    return message[:1].lower() + message[1:]
