"""What exists while a vault is open, and the gate that opens it. Built by `bootstrap`, used by `ui` and `cli`.

This module holds no behaviour: it only names the parts, so that the window and the command line stand on the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from familiar_app.context.assembler import Assembler
from familiar_app.conversation.exchange import Conversation
from familiar_app.conversation.inspector import Inspector
from familiar_app.discord_link.hub import Hub
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import Clock
from familiar_app.domain.embedding import Embedder
from familiar_app.domain.erasure import ErasurePlan, Receipt
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.network import NetworkPolicy
from familiar_app.models.port import LanguageModel
from familiar_app.projectors.runner import Projectors
from familiar_app.store.backup_keeper import BackupKeeper
from familiar_app.store.profile import Profile
from familiar_app.store.vault import Vault

GateState = Literal["new", "locked", "open"]


@dataclass(slots=True)
class Hosted:
    """One familiar, ready to talk."""

    id: FamiliarId
    name: str
    config: CharacterConfig
    prose: LanguageModel
    background: LanguageModel
    assembler: Assembler
    conversation: Conversation
    inspector: Inspector
    projectors: Projectors
    embedder: Embedder | None = None


@dataclass(slots=True)
class Services:
    """The parts behind an open vault.

    `familiars` is in the order of the profile's settings; `broken` has those whose files could not be read, and why.
    `discord` is there in the window alone.
    """

    profile: Profile
    vault: Vault
    clock: Clock
    tasks: TaskRegistry
    network: NetworkPolicy
    familiars: dict[FamiliarId, Hosted] = field(default_factory=dict)
    broken: dict[FamiliarId, FamiliarError] = field(default_factory=dict)
    discord: Hub | None = None
    backups: BackupKeeper = field(init=False)

    def __post_init__(self) -> None:
        self.backups = BackupKeeper(self.vault, self.profile, self.clock)


@dataclass(frozen=True, slots=True)
class NewFamiliar:
    """What is needed to make a familiar. `model` is a SPEC of the command line (`smollm2`, `gguf:FILE`, …).

    `api_key` goes into the vault, never into a file. `lorebook_toml` is a lorebook that came with the card, and
    `card_kept` what the card said beyond ours.
    """

    card: CharacterCard
    id: FamiliarId | None = None
    model: str = "smollm2"
    api_key: str | None = field(default=None, repr=False)
    avatar_png: bytes | None = field(default=None, repr=False)
    lorebook_toml: bytes | None = field(default=None, repr=False)
    card_kept: bytes | None = field(default=None, repr=False)


class Gate(Protocol):
    """Opens, makes and closes the vault of one profile folder."""

    @property
    def state(self) -> GateState: ...

    @property
    def profile(self) -> Profile: ...

    @property
    def services(self) -> Services:
        """The open services. Raises LockedError where the vault is not open."""
        ...

    async def create(self, passphrase: str, familiar: NewFamiliar, *, recovery_code: str, remember: bool) -> Services:
        """Make profile, vault and first familiar. `remember` keeps a copy of the key in the OS keyring."""
        ...

    async def unlock(
        self, *, passphrase: str | None = None, recovery_code: str | None = None, keyring: bool = False
    ) -> Services:
        """Open the vault with one of the three. Raises LockedError where it does not fit."""
        ...

    async def add_familiar(self, familiar: NewFamiliar) -> Hosted: ...

    async def reload_familiar(self, familiar: FamiliarId) -> Hosted:
        """Read the familiar's files again and rebuild what stands on them. On an error the old one stays in use."""
        ...

    async def plan_to_remove(self, familiar: FamiliarId, *, last: bool = False) -> ErasurePlan:
        """Tell what would go with a familiar. Raises UserError for the only one of the profile, unless with `last`."""
        ...

    async def remove_familiar(
        self, familiar: FamiliarId, progress: Callable[[float], None] | None = None, *, last: bool = False
    ) -> Receipt:
        """Erase a familiar from the vault, and its folder. Raises UserError as `plan_to_remove`."""
        ...

    async def set_local_only(self, on: bool) -> None: ...

    async def close(self) -> None:
        """Close everything in order; afterwards the state is `locked`."""
        ...
