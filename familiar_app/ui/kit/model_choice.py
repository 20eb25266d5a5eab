"""Which model to use, as a person chooses it, and the SPEC it comes to. Knows no Qt."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from familiar_app.domain.model_spec import BUNDLED_MODEL, url_problem
from familiar_app.domain.text import tr

Kind = Literal["bundled", "gguf", "openai", "scripted"]


def is_this_computer(url: str) -> bool:
    """Tell whether an address names this computer itself."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(slots=True)
class ModelChoice:
    """The choice while it is being made. `key` is the secret of an endpoint and never part of the SPEC."""

    kind: Kind = "bundled"
    file: str = ""
    url: str = ""
    model: str = ""
    key: str = ""

    def problem(self) -> tuple[str, str] | None:
        """Return the field that can't stay so (`file`, `url` or `model`) and why, None where all is well."""
        if self.kind in ("gguf", "scripted"):
            return self._file_problem()
        if self.kind == "openai":
            return self._endpoint_problem()
        return None

    def spec(self) -> str:
        """Return the SPEC of the command line."""
        match self.kind:
            case "bundled":
                return BUNDLED_MODEL
            case "openai":
                return f"openai:{self.url.strip()}#{self.model.strip()}"
            case _:
                return f"{self.kind}:{self.file.strip()}"

    def leaves(self) -> bool:
        """Tell whether conversations are sent to another computer."""
        return self.kind == "openai" and not is_this_computer(self.url.strip())

    @property
    def host(self) -> str:
        """The computer the endpoint runs on."""
        try:
            return urlsplit(self.url.strip()).hostname or self.url.strip()
        except ValueError:
            return self.url.strip()

    def _file_problem(self) -> tuple[str, str] | None:
        text = self.file.strip()
        if not text:
            return "file", tr("Choose the file of the model.")
        if not Path(text).expanduser().is_file():
            return "file", tr("There is no such file.")
        return None

    def _endpoint_problem(self) -> tuple[str, str] | None:
        url = self.url.strip()
        if not url:
            return "url", tr("Type the address of the endpoint.")
        wrong = url_problem(url)
        if wrong is not None:
            return "url", tr("This {wrong}.", wrong=wrong)
        if not self.model.strip():
            return "model", tr("Type the name of the model at this endpoint.")
        return None


def choice_from_slot(provider: str, model: str, base_url: str) -> ModelChoice:
    """Return the choice that a slot of the settings stands for."""
    if provider == "openai":
        return ModelChoice("openai", url=base_url, model=model)
    if provider == "scripted":
        return ModelChoice("scripted", file=model)
    return ModelChoice() if model == BUNDLED_MODEL else ModelChoice("gguf", file=model)
