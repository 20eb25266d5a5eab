"""The models that can be fetched: what each is, what it needs, and where its file lies. Reads no file itself."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit, urlunsplit

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr

HUB = "https://huggingface.co"
CONTEXT_TOKENS = 8192
WORK_BYTES = 256 * 1024 * 1024
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,180}\.gguf\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """One model of the catalogue. `about_bytes` is the size of its file as far as one knows before asking the host."""

    name: str
    title: str
    maker: str
    licence: str
    parameters: str
    repository: str
    file: str
    about_bytes: int
    cache_bytes_per_token: int
    trained_context_tokens: int
    good: str
    bad: str

    @property
    def url(self) -> str:
        return f"{HUB}/{self.repository}/resolve/main/{self.file}"

    @property
    def page(self) -> str:
        """Where a person reads about it."""
        return f"{HUB}/{self.repository}"

    @property
    def memory_bytes(self) -> int:
        """What it needs with a context of 8,192 tokens."""
        return needed_memory(self.about_bytes, self.cache_bytes_per_token)


def needed_memory(size_bytes: int, cache_bytes_per_token: int | None, context_tokens: int = CONTEXT_TOKENS) -> int:
    """Return the memory a file needs with a context; one that nothing else is known of is taken for a usual one."""
    cache = size_bytes // 4 if cache_bytes_per_token is None else cache_bytes_per_token * context_tokens
    return size_bytes + cache + WORK_BYTES


def read_catalogue(text: str) -> tuple[CatalogueModel, ...]:
    """Read the shipped catalogue. Raises BadInputError where it is not one."""
    try:
        models = tuple(CatalogueModel(**entry) for entry in tomllib.loads(text)["model"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise BadInputError(tr("the catalogue of models cannot be read."), source="catalogue.toml") from error
    return models


def find_model(models: Sequence[CatalogueModel], name: str) -> CatalogueModel | None:
    """Return the model that a name, a title or a file's name means."""
    wanted = name.strip().casefold()
    for model in models:
        if wanted in (model.name.casefold(), model.title.casefold(), model.file.casefold()):
            return model
    return None


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where a model's file is fetched from, and the name it gets here."""

    url: str
    file: str
    about_bytes: int | None = None
    cache_bytes_per_token: int | None = None

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


def source_of(model: CatalogueModel) -> ModelSource:
    """Return where a model of the catalogue is fetched from."""
    return ModelSource(model.url, model.file, model.about_bytes, model.cache_bytes_per_token)


def source_from_url(address: str) -> ModelSource:
    """Return what an address of one's own means; a page of the Hub that shows a file means the file.

    Raises BadInputError where nothing can be fetched from it.
    """
    try:
        parts = urlsplit(address.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    here = host in ("localhost", "127.0.0.1", "::1")
    if not host or parts.scheme not in (("http", "https") if here else ("https",)):
        raise BadInputError(
            tr("this is no address that begins with https://."),
            field="address",
            next_step=tr("Copy the address of a GGUF file, or name a model of 'model list'."),
        )
    if parts.username is not None or parts.password is not None:
        raise BadInputError(tr("the address must not hold a name or password."), field="address")
    path = parts.path.replace("/blob/", "/resolve/", 1) if host == "huggingface.co" else parts.path
    name = unquote(path.rsplit("/", 1)[-1])
    if not _FILE_NAME.match(name):
        raise BadInputError(
            tr("the address does not end in the name of a GGUF file."),
            field="address",
            next_step=tr("Copy the address of the file itself; it ends in .gguf."),
        )
    return ModelSource(urlunsplit(parts._replace(path=path, fragment="")), name)


def is_model_file_name(name: str) -> bool:
    """Tell whether a file of this name may lie among the models: a plain name, and a GGUF file."""
    return _FILE_NAME.match(name) is not None
