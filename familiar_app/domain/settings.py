"""The settings of a familiar and of a profile: their shape, and how files are merged into them.

The shipped values stand in `resources/defaults/*.toml` and nowhere else; the models here have no defaults. Reading and
writing the files is the store's part.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from familiar_app.domain.audience import AudienceMode
from familiar_app.domain.chat import Sampling, Slot
from familiar_app.domain.ids import ChannelKey, FamiliarId, Lineage, is_local
from familiar_app.domain.memory_settings import MemorySettings, Providers, SavedMemoriesSettings
from familiar_app.domain.model_spec import model_slot_from_spec as model_slot_from_spec
from familiar_app.domain.setting_error import Source, validate_merged
from familiar_app.domain.setting_value import (
    SYSTEM_ZONE,
    AudienceName,
    AutoCount,
    AutoNumber,
    Batch,
    BookName,
    Count,
    Seconds,
    Share,
    Table,
    Tokens,
    ZoneName,
    auto_to_none,
    empty_to_none,
    usable_url,
)

Provider = Literal["llama_cpp", "openai", "scripted"]
DiscordMode = Literal["mentions", "ambient"]
DiscordPersona = Literal["webhook", "webhook_only", "name"]
Language = Literal["system", "en", "de"]
Theme = Literal["system", "light", "dark", "contrast"]
LogLevel = Literal["debug", "info", "warning", "error"]


class SamplingSettings(Table):
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


class ModelSlot(Table):
    """One model and how it is asked. `context_tokens`, `gpu_layers` and `threads` are None for "auto"."""

    provider: Provider
    model: Annotated[str, Field(min_length=1)]
    base_url: Annotated[str, AfterValidator(usable_url)]
    api_key_secret: str
    context_tokens: Annotated[Annotated[int, Field(ge=256)] | None, BeforeValidator(auto_to_none)]
    max_answer_tokens: Annotated[int, Field(ge=16)]
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    max_retries: Annotated[int, Field(ge=0, le=20)]
    max_requests_in_flight: Annotated[int, Field(ge=1, le=64)]
    gpu_layers: AutoCount
    threads: Annotated[Annotated[int, Field(ge=1)] | None, BeforeValidator(auto_to_none)]
    idle_unload_s: Seconds
    sampling: SamplingSettings

    @model_validator(mode="after")
    def _endpoint_has_address(self) -> ModelSlot:
        if self.provider == "openai" and not self.base_url:
            raise PydanticCustomError("no_address", 'needs base_url, because its provider is "openai"')
        return self


class Models(Table):
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


class TextBudget(Table):
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


class Budget(Table):
    """What prompts of each kind may hold."""

    text: TextBudget


class ContextSettings(Table):
    """How prompts are put together."""

    prompt_layers: Annotated[tuple[str, ...], Field(strict=False)]
    reminder_role: Literal["user", "system"]
    quote_chars: Annotated[int, Field(ge=0, le=1000)]
    kept_traces: Annotated[int, Field(ge=1, le=100_000)]


class ConversationSettings(Table):
    """How replies are taken from the model."""

    owner_label: str
    may_stay_silent: bool
    stop_at_other_speakers: bool
    tools: Annotated[tuple[str, ...], Field(strict=False)]


class NoteSettings(Table):
    """The owner's own words among the newest turns. A blank `text` is no note."""

    text: str
    depth: Annotated[int, Field(ge=0, le=1000)]
    role: Literal["system", "user", "assistant"]
    searched: bool


class LorebookSettings(Table):
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


class ChannelSettings(Table):
    """What one channel does in its own way. A key that is absent follows the familiar."""

    prompt_layers: Annotated[tuple[str, ...] | None, Field(strict=False)] = None
    audience: AudienceName | None = None
    lorebooks: Annotated[tuple[BookName, ...], Field(strict=False)] = ()
    tools: Annotated[tuple[str, ...] | None, Field(strict=False)] = None
    mode: DiscordMode | None = None
    first: bool | None = None


class DisplaySettings(Table):
    """How the familiar sees the world's clock."""

    timezone: ZoneName

    def zone(self) -> tzinfo | None:
        """Return the zone, None for the computer's own."""
        return None if self.timezone == SYSTEM_ZONE else ZoneInfo(self.timezone)


class DiscordSettings(Table):
    """When the familiar speaks on Discord. `bots` are the numbers of bots that may speak to it by name.

    `aliases`, `first` and `persona` count where several familiars share one account: how else it is called, whether it
    answers whoever names nobody, and how it shows who speaks.
    """

    mode: DiscordMode
    direct_messages: bool
    bots: Annotated[tuple[int, ...], Field(strict=False)]
    missed_messages: Annotated[int, Field(ge=0, le=1000)]
    aliases: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=80)], ...], Field(strict=False)]
    first: bool
    persona: DiscordPersona
    while_typing: Literal["ignore", "wait", "interrupt"]
    buttons: bool
    proxy_lookup: bool


class CharacterConfig(Table):
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

    @property
    def discord_ambient(self) -> bool:
        """Whether there is a channel of Discord in which the model may join in unasked."""
        return "ambient" in (self.discord.mode, *(one.mode for one in self.channels.values()))

    def discord_mode(self, channel: ChannelKey, parent: ChannelKey | None = None) -> DiscordMode:
        """Return when the familiar speaks in a channel of Discord; a thread does as the channel it stands under."""
        for key in (channel, parent or channel):
            for name in (key, key.partition(":")[2]):
                own = self.channels.get(name)
                if own is not None and own.mode is not None:
                    return own.mode
        return self.discord.mode

    def discord_first(self, channel: ChannelKey, parent: ChannelKey | None = None) -> bool | None:
        """Return whether the familiar answers whoever names nobody; None where nothing is said about the channel."""
        for key in (channel, parent or channel):
            for name in (key, key.partition(":")[2]):
                own = self.channels.get(name)
                if own is not None and own.first is not None:
                    return own.first
        return None

    def is_named(self, channel: ChannelKey, names: Iterable[str]) -> bool:
        """Tell whether one of `names`, with or without its platform, means this channel."""
        return not {channel, channel.partition(":")[2]}.isdisjoint(names)


class BackupSettings(Table):
    """When backups are made, where to (from the profile's folder), and how many are kept. 0 hours is never."""

    every_hours: Annotated[int, Field(ge=0, le=24 * 366)]
    folder: Annotated[str, Field(min_length=1)]
    keep_daily: Annotated[int, Field(ge=0, le=366)]
    keep_weekly: Annotated[int, Field(ge=0, le=520)]
    keep_monthly: Annotated[int, Field(ge=0, le=1200)]


class LockSettings(Table):
    """When the window locks by itself, and whether others may see it. 0 minutes is never."""

    idle_minutes: Annotated[int, Field(ge=0, le=24 * 60)]
    with_screen: bool
    close_vault: bool
    hide_from_capture: bool


class NotifySettings(Table):
    """Whether the system shows notifications of the window, and whether they may hold names and words."""

    do_not_disturb: bool
    words: bool


class ProfileSettings(Table):
    """Everything the profile's `settings.toml` can say, merged over the shipped file."""

    familiars: Annotated[tuple[FamiliarId, ...], Field(strict=False)]
    last_familiar: Annotated[FamiliarId | None, BeforeValidator(empty_to_none)]
    owner_name: Annotated[str, Field(min_length=1, max_length=80)]
    local_only: bool
    remember_key: bool
    language: Language
    theme: Theme
    zoom: Annotated[float, Field(ge=0.5, le=3.0)]
    reduce_motion: bool
    tray: bool
    log_level: LogLevel
    backup: BackupSettings
    lock: LockSettings
    notify: NotifySettings


def parse_config(sources: list[Source]) -> CharacterConfig:
    """Merge parsed `character.toml` files, the shipped one first, and check the result.

    `sources` are pairs of a file's name and its content. Raises BadInputError that names file, dotted key and reason.
    """
    return validate_merged(CharacterConfig, sources)


def parse_profile_settings(sources: list[Source]) -> ProfileSettings:
    """Merge parsed `settings.toml` files, the shipped one first, and check the result; errors as `parse_config`."""
    return validate_merged(ProfileSettings, sources)
