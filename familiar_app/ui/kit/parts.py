"""What the composition root hands to the window, in one place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.chat import ModelInfo
from familiar_app.domain.task import TaskRegistry
from familiar_app.ui.kit.desktop import Desktop
from familiar_app.ui.kit.panel import PanelFactory
from familiar_app.ui.kit.theme import Theme

if TYPE_CHECKING:
    from familiar_app.models.model_library import ModelLibrary
    from familiar_app.services import Gate


class ReadCard(Protocol):
    """A card as it was read from a file, with its portrait where there is one."""

    @property
    def card(self) -> CharacterCard: ...

    @property
    def avatar_png(self) -> bytes | None: ...


class FoundServer(Protocol):
    """A model server that answers on this computer."""

    @property
    def kind(self) -> str: ...

    @property
    def base_url(self) -> str: ...

    @property
    def models(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowParts:
    """Everything the window stands on.

    `panels` is in the order of the rail. `read_card` reads a file, `card_lorebook` gives the `lorebook.toml` that a
    card brought and `card_kept` what it said beyond ours, None where there is nothing (all called on a thread).
    `test_model` gets the SPEC of a model, a key or None, and whether only this computer may be reached; it loads or
    reaches the model and gives it
    back. `find_servers` asks the usual ports of this computer. `keyring_available` may ask the system (called on a
    thread). `request_quit` asks for the end of the program; it returns at once. `desktop` is the system around it.
    `set_log_level` puts a level of the settings in force. `remember_key` keeps or forgets the copy of the open vault's
    key in the system's keyring, and the setting that says so. `models` fetches models, also before there is a vault.
    """

    gate: Gate
    tasks: TaskRegistry
    theme: Theme
    panels: Sequence[PanelFactory]
    read_card: Callable[[Path], ReadCard]
    card_lorebook: Callable[[ReadCard], bytes | None]
    test_model: Callable[[str, str | None, bool], Awaitable[ModelInfo]]
    find_servers: Callable[[], Awaitable[Sequence[FoundServer]]]
    keyring_available: Callable[[], bool]
    request_quit: Callable[[], object]
    set_log_level: Callable[[str], object]
    remember_key: Callable[[bool], Awaitable[None]]
    desktop: Desktop
    models: ModelLibrary
    card_kept: Callable[[ReadCard], bytes | None] = lambda _card: None
