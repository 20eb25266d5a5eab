"""The kinds of values that settings have, with their bounds; what a table of a settings file is."""

from __future__ import annotations

from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from familiar_app.domain.audience import AudienceMode
from familiar_app.domain.model_spec import url_problem

SYSTEM_ZONE = "system"


def auto_to_none(value: object) -> object:
    if value is None:
        raise PydanticCustomError("auto_or_value", 'write "auto" for the provider\'s own choice')
    return None if value == "auto" else value


def empty_to_none(value: object) -> object:
    return None if value == "" else value


def known_zone(name: str) -> str:
    if name != SYSTEM_ZONE:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise PydanticCustomError(
                "unknown_zone", 'is not a known time zone; use a name such as "Europe/Berlin", or "system"'
            ) from error
    return name


def usable_url(url: str) -> str:
    problem = url_problem(url) if url else None
    if problem is not None:
        raise PydanticCustomError("bad_url", "{problem}", {"problem": problem})
    return url


AutoCount = Annotated[Annotated[int, Field(ge=0)] | None, BeforeValidator(auto_to_none)]
AutoNumber = Annotated[Annotated[float, Field(ge=0, allow_inf_nan=False)] | None, BeforeValidator(auto_to_none)]
Share = Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(auto_to_none)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Interval = Annotated[float, Field(ge=0.1, le=86_400, allow_inf_nan=False, strict=False)]
Batch = Annotated[int, Field(ge=1, le=1000)]
Tokens = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=0, le=100_000)]
Limit = Annotated[int, Field(ge=1)]
BookName = Annotated[str, Field(pattern=r"^[^./\\:][^/\\:]*$", max_length=100)]
Weight = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False, strict=False)]
ZoneName = Annotated[str, AfterValidator(known_zone)]
AudienceName = Annotated[AudienceMode, Field(strict=False)]


class Table(BaseModel):
    """One table of a settings file: immutable, without unknown keys, without conversions."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
