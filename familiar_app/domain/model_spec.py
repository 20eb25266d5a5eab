"""The short form in which a model is named on the command line, and what it means in the settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr, tr_later

BUNDLED_MODEL = "smollm2"
_FORMS = tr_later("Use smollm2, gguf:FILE, openai:URL#MODEL or scripted:FILE.")


def url_problem(url: str) -> str | None:
    """Tell what is wrong with an endpoint's address, None where nothing is. The text never repeats the address."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return tr("is not a valid address")
    if parts.scheme not in ("http", "https") or not host:
        return tr("must be an address that begins with http:// or https://")
    if parts.username is not None or parts.password is not None:
        return tr("must not hold a name or key; keys are kept in the vault")
    return None


def model_slot_from_spec(spec: str, *, base_dir: Path | None = None) -> dict[str, Any]:
    """Return the keys of a model slot that `spec` sets; an endpoint is asked without a key until one is named.

    A relative FILE is taken from `base_dir`, where given. Raises BadInputError that says how a model is named.
    """
    kind, _, rest = spec.strip().partition(":")
    kind, rest = kind.strip().lower(), rest.strip()
    if kind == BUNDLED_MODEL and not rest:
        return _slot("llama_cpp", BUNDLED_MODEL)
    if kind == "gguf":
        return _slot("llama_cpp", _file(rest, base_dir))
    if kind == "scripted":
        return _slot("scripted", _file(rest, base_dir))
    if kind == "openai":
        return _endpoint(rest)
    raise BadInputError(tr("this names no kind of model."), field="model", next_step=tr(_FORMS))


def _slot(provider: str, model: str, base_url: str = "") -> dict[str, Any]:
    return {"provider": provider, "model": model, "base_url": base_url, "api_key_secret": ""}


def _file(name: str, base_dir: Path | None) -> str:
    if not name:
        raise BadInputError(tr("the file is missing behind the colon."), field="model", next_step=tr(_FORMS))
    path = Path(name).expanduser()
    return str(base_dir / path if base_dir is not None else path)


def _endpoint(rest: str) -> dict[str, Any]:
    url, _, model = rest.partition("#")
    url, model = url.strip().rstrip("/"), model.strip()
    problem = url_problem(url)
    if problem is not None:
        raise BadInputError(
            tr("the address behind openai: {problem}.", problem=problem), field="model", next_step=tr(_FORMS)
        )
    if not model:
        raise BadInputError(
            tr("the model's name is missing behind the address."),
            field="model",
            next_step=tr("Write it behind a #, such as openai:http://127.0.0.1:11434/v1#llama3.2."),
        )
    return _slot("openai", model, url)
