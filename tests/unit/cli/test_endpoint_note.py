"""Whoever runs a command is told once to which computers conversations are sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from familiar_app.cli.endpoint_note import name_endpoints
from tests.doubles.talk import make_config

HOSTED = '[models.prose]\nprovider = "openai"\nmodel = "m"\nbase_url = "https://api.example.org/v1"\n'


@dataclass
class Told:
    """Stands in for the output, and for the state of a vault."""

    lines: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)

    def message(self, text: str) -> None:
        self.lines.append(text)

    async def get(self, key: str) -> str | None:
        return self.values.get(key)

    async def set(self, key: str, value: str) -> None:
        self.values[key] = value


def services(told: Told, *tomls: str, local_only: bool = False) -> Any:
    familiars = {
        str(number): SimpleNamespace(name=f"Mira {number}", config=make_config(toml))
        for number, toml in enumerate(tomls, 1)
    }
    return SimpleNamespace(
        network=SimpleNamespace(local_only=local_only), vault=SimpleNamespace(state=told), familiars=familiars
    )


async def test_an_endpoint_is_named_once() -> None:
    told = Told()
    for _ in range(2):
        await name_endpoints(services(told, HOSTED, "", HOSTED), told)  # type: ignore[arg-type]
    assert told.lines == ["Conversations of Mira 1, Mira 3 are sent to api.example.org, as the settings say."]
    other = HOSTED.replace("api.example.org", "api.example.net")
    await name_endpoints(services(told, other), told)  # type: ignore[arg-type]
    assert len(told.lines) == 2


async def test_what_stays_here_is_not_told_of() -> None:
    told = Told()
    await name_endpoints(services(told, HOSTED, local_only=True), told)  # type: ignore[arg-type]
    await name_endpoints(services(told, "", HOSTED.replace("https://api.example.org", "http://localhost:1")), told)  # type: ignore[arg-type]
    assert told.lines == []
    assert told.values == {}
