"""Search by meaning as one switch: it moves the embedder, its projector and its weight together. Knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr
from familiar_app.models.embedder_factory import build_embedder
from familiar_app.store.resource import resource

BACKEND = "providers.embedding.backend"
PROJECTORS = "providers.memory.projectors"
WEIGHT = "memory.retrieval.embedding_weight"
PROJECTOR = "fact_embedding"
OWN_BACKEND = "fastembed"
OWN_WEIGHT = 0.6


def is_on(config: CharacterConfig) -> bool:
    """Tell whether all three are on."""
    return not missing(config)


def missing(config: CharacterConfig) -> list[str]:
    """Return what of the three is off, in words."""
    parts = (
        (config.providers.embedding.backend != "off", tr("the embedder")),
        (PROJECTOR in config.providers.memory.projectors, tr("vectors of facts")),
        (config.memory.retrieval.embedding_weight > 0, tr("the weight of meaning")),
    )
    return [name for on, name in parts if not on]


def values(config: CharacterConfig) -> dict[str, Any]:
    """Return the three as they are, to come back to them exactly."""
    return {
        BACKEND: config.providers.embedding.backend,
        PROJECTORS: list(config.providers.memory.projectors),
        WEIGHT: config.memory.retrieval.embedding_weight,
    }


def switched(config: CharacterConfig, on: bool, shipped: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes that turn all three on or off; None takes a key back to its shipped value.

    Other projectors stay as they are. Off leaves nothing behind: where the list is the shipped one, the key goes too.
    """
    others = [name for name in config.providers.memory.projectors if name != PROJECTOR]
    if not on:
        usual = others == list(shipped["providers"]["memory"]["projectors"])
        return {BACKEND: None, PROJECTORS: None if usual else others, WEIGHT: None}
    weight = config.memory.retrieval.embedding_weight
    return {BACKEND: OWN_BACKEND, PROJECTORS: [*others, PROJECTOR], WEIGHT: weight if weight > 0 else OWN_WEIGHT}


def obstacle(config: CharacterConfig, root: Path) -> str:
    """Say why it cannot be switched on, "" where its model is at hand. Looks for files; call it on a thread."""
    wanted = config.providers.embedding.model_copy(update={"backend": OWN_BACKEND})
    try:
        build_embedder(wanted, base_dir=root, tokenizer=resource("embedder", "tokenizer.json"))
    except BadInputError as error:
        return str(error)
    return ""


def state_text(config: CharacterConfig, hindrance: str) -> str:
    """Say how it stands in a line."""
    off = missing(config)
    if len(off) == 3:
        return hindrance or tr("Off. Its model comes with the program: there is nothing to download.")
    if off:
        return tr("Partly on; still off: {parts}.", parts=", ".join(off))
    if config.providers.embedding.backend == "hash":
        return tr("On, by spelling alone (hash), as the familiar's file says.")
    return hindrance or tr("On. Its model runs on this computer's processor.")
