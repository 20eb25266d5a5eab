"""The prompt layers there are, by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable

from familiar_app.context.attention import ATTENTION, AttentionLayer
from familiar_app.context.character_card import CharacterCardLayer
from familiar_app.context.conversation_summary import ConversationSummaryLayer
from familiar_app.context.final_reminder import FinalReminderLayer
from familiar_app.context.layer import Layer
from familiar_app.context.lorebook import LOREBOOK, LorebookLayer
from familiar_app.context.operating_mode import OperatingModeLayer
from familiar_app.context.people_dossiers import PeopleDossiersLayer
from familiar_app.context.platform import PLATFORM, PlatformLayer
from familiar_app.context.reflections import ReflectionsLayer
from familiar_app.context.retrieved_context import RETRIEVED, RetrievedContextLayer
from familiar_app.context.saved_memories import SAVED_MEMORIES, SavedMemoriesLayer
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import joined, tr

# Shown as messages and filled by the assembler itself, so it has a name and a place but no text of its own.
HISTORY = "recent_history"

LAYERS: dict[str, Callable[[], Layer]] = {
    "character_card": CharacterCardLayer,
    "operating_mode": OperatingModeLayer,
    LOREBOOK: LorebookLayer,
    SAVED_MEMORIES: SavedMemoriesLayer,
    "conversation_summary": ConversationSummaryLayer,
    "reflections": ReflectionsLayer,
    "people_dossiers": PeopleDossiersLayer,
    RETRIEVED: RetrievedContextLayer,
    ATTENTION: AttentionLayer,
    PLATFORM: PlatformLayer,
    "final_reminder": FinalReminderLayer,
}


def check_layers(config: CharacterConfig) -> None:
    """Raise BadInputError that names the first unknown or repeated layer in a familiar's settings, and its key."""
    check_order(config.context.prompt_layers, "context.prompt_layers")
    for name, channel in config.channels.items():
        if channel.prompt_layers is not None:
            check_order(channel.prompt_layers, f"channels.{name}.prompt_layers")


def check_order(layers: Iterable[str], field: str) -> None:
    """Raise BadInputError that names the first unknown or repeated layer, as a value of the setting `field`."""
    known, seen = [*LAYERS, HISTORY], set[str]()
    for layer in layers:
        if layer not in known:
            near = difflib.get_close_matches(layer, known, n=1)
            hint = [tr("Did you mean {key}?", key=one) for one in near]
            raise BadInputError(
                tr("there is no prompt layer {layer!r}.", layer=layer),
                source="character.toml",
                field=field,
                next_step=joined([*hint, tr("Known layers: {names}.", names=", ".join(known))], " "),
            )
        if layer in seen:
            raise BadInputError(
                tr("the prompt layer {layer!r} stands here twice.", layer=layer), source="character.toml", field=field
            )
        seen.add(layer)
