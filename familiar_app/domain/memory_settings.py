"""The settings of memory: how it is drawn, searched, told and kept on purpose. The rest is in `settings`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from familiar_app.domain.ranking import Weights
from familiar_app.domain.saved_memory.limit import with_usable_limits
from familiar_app.domain.setting_value import AudienceName, Batch, Interval, Limit, Seconds, Table, Weight


class RetrievalSettings(Table):
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


class AudienceSettings(Table):
    """How freely channels use what was learned elsewhere: `local` in the program's own window, `shared` in others."""

    local: AudienceName
    shared: AudienceName


class RichNoteSettings(Table):
    """When facts are noted, and how much is read at once."""

    tick_s: Interval
    batch_turns: Batch
    quiet_s: Seconds
    manifest_people: Batch


class FactSupersedeSettings(Table):
    """When new facts are compared with earlier ones, with how many, and whether the owner is asked first."""

    tick_s: Interval
    batch_facts: Batch
    max_priors: Batch
    retire_at_once: bool


class PeopleDossierSettings(Table):
    """How often portraits are written anew, from how many facts at once, and what counts in the familiar's own."""

    tick_s: Interval
    batch_facts: Batch
    least_own_importance: Annotated[int, Field(ge=1, le=10)]


class RollingSummarySettings(Table):
    """After how many turns a channel's story is carried on, and how many it takes at once."""

    tick_s: Interval
    new_turns: Batch
    most_turns: Batch


class ReflectionSettings(Table):
    """After how many turns the familiar thinks, about how much, and how many thoughts it keeps."""

    tick_s: Interval
    new_turns: Batch
    most_turns: Batch
    most_facts: Batch
    most_thoughts: Batch


class FactEmbeddingSettings(Table):
    """How often facts without a vector are looked for, and how many are embedded at once."""

    tick_s: Interval
    batch_facts: Batch


class TurnEmbeddingSettings(Table):
    """How often turns without a vector are looked for, and how many are embedded at once."""

    tick_s: Interval
    batch_turns: Batch


class MemorySettings(Table):
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


class SavedMemoriesSettings(Table):
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


class MemoryProviders(Table):
    """The projections that are kept up to date, by name."""

    projectors: Annotated[tuple[str, ...], Field(strict=False)]


class EmbeddingSettings(Table):
    """What turns text into vectors. `dim` is for `hash`; an empty `model_dir` takes the model that is installed."""

    backend: Literal["off", "hash", "fastembed"]
    dim: Annotated[int, Field(ge=8, le=4096)]
    model: str
    model_dir: str


class Providers(Table):
    """Parts that can be exchanged."""

    embedding: EmbeddingSettings
    memory: MemoryProviders
