"""A window with the pages of models and of the network, over a host of models on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.contact import FETCHING_MODELS, MODEL_ENDPOINT, Contacts
from familiar_app.domain.model_catalogue import CatalogueModel
from familiar_app.models.download_part import PartFile
from familiar_app.models.download_remote import RemoteFile
from familiar_app.models.model_library import ModelLibrary
from familiar_app.models.network import NetworkPolicy
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.models.panel import create_models_panel
from familiar_app.ui.network.panel import create_network_panel
from tests.doubles.model_host import ModelHost, model_bytes, model_host
from tests.ui.double import NOON, World, make_world
from tests.ui.pictures import CARDS


class OnLoopback(CatalogueModel):
    """A model of the catalogue that lies on loopback."""

    address = ""

    @property
    def url(self) -> str:
        return self.address


@dataclass
class Shelf:
    """The world, the host, and the library that fetches from it."""

    world: World
    host: ModelHost
    library: ModelLibrary
    network: NetworkPolicy


@asynccontextmanager
async def shelf_world(root: Path, theme: Theme, *, local_only: bool = True) -> AsyncIterator[Shelf]:
    """Make a world whose vault is open and whose first model of the catalogue lies on loopback."""
    async with model_host() as host:
        world = make_world(root, theme, cards=CARDS)
        world.gate.profile.save_settings({"local_only": local_only})
        services = world.gate.open_now()
        services.network = network = NetworkPolicy(local_only=local_only, contacts=Contacts(FixedClock(NOON)))
        world.gate.open_now = lambda: services  # type: ignore[method-assign]
        OnLoopback.address = host.url
        shipped = world.parts.models.catalogue
        known = {name: getattr(shipped[0], name) for name in CatalogueModel.__slots__}
        first = OnLoopback(**known | {"file": "model.gguf", "about_bytes": 300_000})
        library = ModelLibrary(root, (first, *shipped[1:]), lambda: network, world.tasks)
        panels = (*world.parts.panels, create_models_panel, create_network_panel)
        world.parts = replace(world.parts, models=library, panels=panels)
        yield Shelf(world, host, library, network)
        await library.close()


def put_model(library: ModelLibrary, file: str) -> None:
    """Have a model here already."""
    library.shelf.folder.mkdir(exist_ok=True)
    (library.shelf.folder / file).write_bytes(model_bytes())


def begin_model(library: ModelLibrary, host: ModelHost, done: int = 100_000) -> None:
    """Have a download of an earlier day."""
    part = PartFile(library.shelf.folder, "model.gguf")
    part.note(RemoteFile(host.url, len(host.data), host.sha256, None))
    part.write(host.data[:done])
    part.close()


def some_contacts(network: NetworkPolicy) -> None:
    """Have spoken to a few."""
    assert network.contacts is not None
    for _round in range(41):
        network.contacts.note("models.example.org", MODEL_ENDPOINT)
    network.contacts.note("huggingface.co", FETCHING_MODELS)
    network.contacts.note("cas-bridge.xethub.hf.co", FETCHING_MODELS)
    network.contacts.note("huggingface.co", FETCHING_MODELS, refused=True)
