"""The settings of a familiar and of a profile: their shape, and how files are merged into them.

The shipped values stand in `resources/defaults/*.toml` and nowhere else; the models here have no defaults. Reading and
writing the files is the store's part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from familiar_app.domain.audience import AudienceMode
from familiar_app.domain.chat import Sampling, Slot
from familiar_app.domain.ids import ChannelKey, FamiliarId, Lineage, is_local
from familiar_app.domain.model_spec import model_slot_from_spec as model_slot_from_spec
from familiar_app.domain.model_spec import url_problem
from familiar_app.domain.ranking import Weights
from familiar_app.domain.saved_memory.limit import with_usable_limits
from familiar_app.domain.setting_error import Source, validate_merged

Provider = Literal["llama_cpp", "openai", "scripted"]
Theme = Literal["system", "light", "dark", "contrast"]
LogLevel = Literal["debug", "info", "warning", "error"]

SYSTEM_ZONE = "system"


def _auto_to_none(value: object) -> object:
    if value is None:
        raise PydanticCustomError("auto_or_value", 'write "auto" for the provider\'s own choice')
    return None if value == "auto" else value


def _empty_to_none(value: object) -> object:
    return None if value == "" else value


def _known_zone(name: str) -> str:
    if name != SYSTEM_ZONE:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise PydanticCustomError(
                "unknown_zone", 'is not a known time zone; use a name such as "Europe/Berlin", or "system"'
            ) from error
    return name


def _usable_url(url: str) -> str:
    problem = url_problem(url) if url else None
    if problem is not None:
        raise PydanticCustomError("bad_url", "{problem}", {"problem": problem})
    return url


AutoCount = Annotated[Annotated[int, Field(ge=0)] | None, BeforeValidator(_auto_to_none)]
AutoNumber = Annotated[Annotated[float, Field(ge=0, allow_inf_nan=False)] | None, BeforeValidator(_auto_to_none)]
Share = Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(_auto_to_none)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Interval = Annotated[float, Field(ge=0.1, le=86_400, allow_inf_nan=False, strict=False)]
Batch = Annotated[int, Field(ge=1, le=1000)]
Tokens = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=0, le=100_000)]
Limit = Annotated[int, Field(ge=1)]
BookName = Annotated[str, Field(pattern=r"^[^./\\:][^/\\:]*$", max_length=100)]
Weight = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False, strict=False)]
ZoneName = Annotated[str, AfterValidator(_known_zone)]
Mode = Annotated[AudienceMode, Field(strict=False)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class SamplingSettings(_Table):
    """How answers are drawn. None leaves the choice to the provider."""

    temperature: AutoNumber
    top_p: Share
    top_k: AutoCount
    min_p: Share
    repeat_penalty: AutoNumber
    seed: AutoCount
    stop: Annotated[tuple[str, ...], Field(strict=False)]

    def as_sampling(self, *more_stops: str) -> Sampling:
        """Return what a request carries, with `more_stops` behind the configured ones."""
        values = self.model_dump()
        values["stop"] = tuple(dict.fromkeys([text for text in (*self.stop, *more_stops) if text]))
        return Sampling(**values)


class ModelSlot(_Table):
    """One model and how it is asked. `context_tokens`, `gpu_layers` and `threads` are None for "auto"."""

    provider: Provider
    model: Annotated[str, Field(min_length=1)]
    base_url: Annotated[str, AfterValidator(_usable_url)]
    api_key_secret: str
    context_tokens: Annotated[Annotated[int, Field(ge=256)] | None, BeforeValidator(_auto_to_none)]
    max_answer_tokens: Annotated[int, Field(ge=16)]
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    max_retries: Annotated[int, Field(ge=0, le=20)]
    max_requests_in_flight: Annotated[int, Field(ge=1, le=64)]
    gpu_layers: AutoCount
    threads: Annotated[Annotated[int, Field(ge=1)] | None, BeforeValidator(_auto_to_none)]
    idle_unload_s: Seconds
    sampling: SamplingSettings

    @model_validator(mode="after")
    def _endpoint_has_address(self) -> ModelSlot:
        if self.provider == "openai" and not self.base_url:
            raise PydanticCustomError("no_address", 'needs base_url, because its provider is "openai"')
        return self


class Models(_Table):
    """The two slots: replies, and work in the background."""

    prose: ModelSlot
    background: ModelSlot

    def slot(self, name: Slot) -> ModelSlot:
        """Return the slot of that name."""
        return self.prose if name == "prose" else self.background


# Layers whose cap has another name than they.
_CAPS = {
    "conversation_summary": "summary",
    "reflections": "reflection",
    "people_dossiers": "dossier",
    "retrieved_context": "rag",
    "saved_memories": "saved_memory",
}


class TextBudget(_Table):
    """Caps in tokens, one for each section of a prompt, and the step in which old turns leave it."""

    character_card_tokens: Tokens
    operating_mode_tokens: Tokens
    lorebook_tokens: Tokens
    max_lorebook_entries: Count
    saved_memory_tokens: Tokens
    summary_tokens: Tokens
    reflection_tokens: Tokens
    max_reflections: Count
    dossier_tokens: Tokens
    max_dossier_people: Count
    dossier_window_turns: Batch
    rag_tokens: Tokens
    max_rag_items: Annotated[int, Field(ge=0, le=100)]
    recent_history_tokens: Annotated[int, Field(ge=32)]
    final_reminder_tokens: Tokens
    history_step_turns: Annotated[int, Field(ge=1, le=1024)]

    def cap(self, layer: str) -> int | None:
        """Return the cap of a layer, None where it has none."""
        return getattr(self, f"{_CAPS.get(layer, layer)}_tokens", None)


class Budget(_Table):
    """What prompts of each kind may hold."""

    text: TextBudget


class ContextSettings(_Table):
    """How prompts are put together."""

    prompt_layers: Annotated[tuple[str, ...], Field(strict=False)]
    reminder_role: Literal["user", "system"]
    quote_chars: Annotated[int, Field(ge=0, le=1000)]
    kept_traces: Annotated[int, Field(ge=1, le=100_000)]


class ConversationSettings(_Table):
    """How replies are taken from the model."""

    owner_label: str
    may_stay_silent: bool
    stop_at_other_speakers: bool
    tools: Annotated[tuple[str, ...], Field(strict=False)]


class NoteSettings(_Table):
    """The owner's own words among the newest turns. A blank `text` is no note."""

    text: str
    depth: Annotated[int, Field(ge=0, le=1000)]
    role: Literal["system", "user", "assistant"]
    searched: bool


class LorebookSettings(_Table):
    """How lorebooks are searched. 0 switches the limits off; `recursive` can be left to what the books ask for."""

    rules: Literal["fixed", "st-1.18"]
    recent_window: Annotated[int, Field(ge=0, le=1000)]
    recursive: Literal["books", "on", "off"]
    max_passes: Count
    min_activations: Count
    min_activations_depth: Count
    case_sensitive: bool
    match_whole_words: bool
    group_scoring: bool
    order: Literal["evenly", "familiar_first", "shared_first"]
    constants_first: bool
    fill_gaps: bool
    vector_threshold: Annotated[float, Field(ge=-1, le=1, strict=False)]
    vector_entries: Count
    owner_description: str
    note: NoteSettings


class ChannelSettings(_Table):
    """What one channel does in its own way. A key that is absent follows the familiar."""

    prompt_layers: Annotated[tuple[str, ...] | None, Field(strict=False)] = None
    audience: Mode | None = None
    lorebooks: Annotated[tuple[BookName, ...], Field(strict=False)] = ()
    tools: Annotated[tuple[str, ...] | None, Field(strict=False)] = None


class DisplaySettings(_Table):
    """How the familiar sees the world's clock."""

    timezone: ZoneName

    def zone(self) -> tzinfo | None:
        """Return the zone, None for the computer's own."""
        return None if self.timezone == SYSTEM_ZONE else ZoneInfo(self.timezone)


class RetrievalSettings(_Table):
    """How much each signal counts when memory is searched; 0 leaves it out."""

    bm25_weight: Weight
    recency_weight: Weight
    importance_weight: Weight
    embedding_weight: Weight
    nearness_weight: Weight
    named_weight: Weight
    neighbours_weight: Weight
    facts_weight: Weight

    def weights(self) -> Weights:
        """Return them as ranking takes them."""
        return Weights(**{name.removesuffix("_weight"): value for name, value in self.model_dump().items()})


class AudienceSettings(_Table):
    """How freely channels use what was learned elsewhere: `local` in the program's own window, `shared` in others."""

    local: Mode
    shared: Mode


class RichNoteSettings(_Table):
    """When facts are noted, and how much is read at once."""

    tick_s: Interval
    batch_turns: Batch
    quiet_s: Seconds
    manifest_people: Batch


class FactSupersedeSettings(_Table):
    """When new facts are compared with earlier ones, with how many, and whether the owner is asked first."""

    tick_s: Interval
    batch_facts: Batch
    max_priors: Batch
    retire_at_once: bool


class PeopleDossierSettings(_Table):
    """How often portraits are written anew, from how many facts at once, and what counts in the familiar's own."""

    tick_s: Interval
    batch_facts: Batch
    least_own_importance: Annotated[int, Field(ge=1, le=10)]


class RollingSummarySettings(_Table):
    """After how many turns a channel's story is carried on, and how many it takes at once."""

    tick_s: Interval
    new_turns: Batch
    most_turns: Batch


class ReflectionSettings(_Table):
    """After how many turns the familiar thinks, about how much, and how many thoughts it keeps."""

    tick_s: Interval
    new_turns: Batch
    most_turns: Batch
    most_facts: Batch
    most_thoughts: Batch


class FactEmbeddingSettings(_Table):
    """How often facts without a vector are looked for, and how many are embedded at once."""

    tick_s: Interval
    batch_facts: Batch


class TurnEmbeddingSettings(_Table):
    """How often turns without a vector are looked for, and how many are embedded at once."""

    tick_s: Interval
    batch_turns: Batch


class MemorySettings(_Table):
    """How memory is read and kept up to date, and the limits of one request in the background."""

    batch_timeout_s: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False, strict=False)]
    batch_answer_tokens: Annotated[int, Field(ge=16)]
    retrieval: RetrievalSettings
    audience: AudienceSettings
    rich_note: RichNoteSettings
    fact_supersede: FactSupersedeSettings
    people_dossier: PeopleDossierSettings
    rolling_summary: RollingSummarySettings
    reflection: ReflectionSettings
    fact_embedding: FactEmbeddingSettings
    turn_embedding: TurnEmbeddingSettings


class SavedMemoriesSettings(_Table):
    """How many memories may be saved, how long each may be, and when they fade. A limit that is no number is mended."""

    max_server: Limit
    max_personal: Limit
    max_length: Limit
    max_tags: Limit
    self_teaching_enabled: bool
    decay_enabled: bool
    decay_days: Limit
    notice_visibility: Literal["verbose", "minimal", "hidden"]
    members_may_teach: bool
    channel_tags: bool
    word_tags: bool

    @model_validator(mode="before")
    @classmethod
    def _mend(cls, values: object) -> object:
        return with_usable_limits(values) if isinstance(values, Mapping) else values


class MemoryProviders(_Table):
    """The projections that are kept up to date, by name."""

    projectors: Annotated[tuple[str, ...], Field(strict=False)]


class EmbeddingSettings(_Table):
    """What turns text into vectors. `dim` is for `hash`; an empty `model_dir` takes the model that is installed."""

    backend: Literal["off", "hash", "fastembed"]
    dim: Annotated[int, Field(ge=8, le=4096)]
    model: str
    model_dir: str


class Providers(_Table):
    """Parts that can be exchanged."""

    embedding: EmbeddingSettings
    memory: MemoryProviders


class DiscordSettings(_Table):
    """When the familiar speaks on Discord. `bots` are the numbers of bots that may speak to it by name."""

    mode: Literal["mentions", "ambient"]
    direct_messages: bool
    bots: Annotated[tuple[int, ...], Field(strict=False)]
    missed_messages: Annotated[int, Field(ge=0, le=1000)]


class CharacterConfig(_Table):
    """Everything `character.toml` can say, merged over the shipped file."""

    lineage: Lineage
    display: DisplaySettings
    models: Models
    budget: Budget
    context: ContextSettings
    conversation: ConversationSettings
    lorebook: LorebookSettings
    channels: dict[str, ChannelSettings]
    memory: MemorySettings
    saved_memories: SavedMemoriesSettings
    discord: DiscordSettings
    providers: Providers

    def prompt_layers(self, channel: ChannelKey) -> tuple[str, ...]:
        """Return the layers of a channel, which may be named with or without its platform."""
        for name in (channel, channel.partition(":")[2]):
            own = self.channels.get(name)
            if own is not None and own.prompt_layers is not None:
                return own.prompt_layers
        return self.context.prompt_layers

    def tools(self, channel: ChannelKey) -> tuple[str, ...]:
        """Return the names of the tools that the familiar has in a channel."""
        for name in (channel, channel.partition(":")[2]):
            own = self.channels.get(name)
            if own is not None and own.tools is not None:
                return own.tools
        return self.conversation.tools

    def audience_mode(self, channel: ChannelKey) -> AudienceMode:
        """Return how freely a channel uses what was learned elsewhere."""
        for name in (channel, channel.partition(":")[2]):
            own = self.channels.get(name)
            if own is not None and own.audience is not None:
                return own.audience
        return self.memory.audience.local if is_local(channel) else self.memory.audience.shared

    def is_named(self, channel: ChannelKey, names: Iterable[str]) -> bool:
        """Tell whether one of `names`, with or without its platform, means this channel."""
        return not {channel, channel.partition(":")[2]}.isdisjoint(names)


class ProfileSettings(_Table):
    """Everything the profile's `settings.toml` can say, merged over the shipped file."""

    familiars: Annotated[tuple[FamiliarId, ...], Field(strict=False)]
    last_familiar: Annotated[FamiliarId | None, BeforeValidator(_empty_to_none)]
    owner_name: Annotated[str, Field(min_length=1, max_length=80)]
    local_only: bool
    remember_key: bool
    theme: Theme
    zoom: Annotated[float, Field(ge=0.5, le=3.0)]
    reduce_motion: bool
    tray: bool
    log_level: LogLevel


def parse_config(sources: list[Source]) -> CharacterConfig:
    """Merge parsed `character.toml` files, the shipped one first, and check the result.

    `sources` are pairs of a file's name and its content. Raises BadInputError that names file, dotted key and reason.
    """
    return validate_merged(CharacterConfig, sources)


def parse_profile_settings(sources: list[Source]) -> ProfileSettings:
    """Merge parsed `settings.toml` files, the shipped one first, and check the result; errors as `parse_config`."""
    return validate_merged(ProfileSettings, sources)
