"""Hosts the familiars of an open vault: builds what each of them stands on, and keeps its memory in step by itself.

What is hosted is noted in the services by the gate, which also sees to it that only one change is under way at a time.
"""

from __future__ import annotations

import asyncio
import logging

from familiar_app.bootstrap.embedder_pool import EmbedderPool
from familiar_app.bootstrap.lore_shelf import ProfileLorebooks
from familiar_app.bootstrap.model_pool import ModelPool
from familiar_app.context.assembler import Assembler
from familiar_app.conversation.exchange import Conversation
from familiar_app.conversation.inspector import Inspector
from familiar_app.conversation.witness import Witness
from familiar_app.domain.ids import FamiliarId
from familiar_app.interchange.lorebook.library import LoreLibrary
from familiar_app.projectors.port import Desk
from familiar_app.projectors.runner import Projectors
from familiar_app.services import Hosted, Services

log = logging.getLogger(__name__)


class FamiliarHost:
    """The models and embedders of one open vault, and the familiars built on them.

    `lasting` is for a vault that stays open: familiars draw their memory and remind by themselves.
    """

    def __init__(self, services: Services, lore_library: LoreLibrary, *, lasting: bool) -> None:
        self._services = services
        self._lore_library = lore_library
        self._lasting = lasting
        self._models = ModelPool(services.network, services.vault.secrets.get)
        self._embedders = EmbedderPool(services.profile.root)

    async def host(self, familiar: FamiliarId) -> Hosted:
        """Build a familiar from its files as they are now."""
        profile, vault, clock = self._services.profile, self._services.vault, self._services.clock
        config = await asyncio.to_thread(profile.config, familiar)
        card = await asyncio.to_thread(profile.card, familiar)
        prose = await self._models.get(config.models.prose, profile.root)
        background = await self._models.get(config.models.background, profile.root)
        embedder = self._embedders.get(config.providers.embedding)
        assembler = Assembler(
            familiar=familiar,
            card=lambda: card,
            config=config,
            vault=vault,
            model=prose,
            clock=clock,
            owner_name=profile.settings().owner_name,
            lorebooks=ProfileLorebooks(profile, familiar, config, self._lore_library),
            embedder=embedder,
        )
        conversation = Conversation(
            familiar=familiar,
            name=card.name,
            config=config,
            vault=vault,
            model=prose,
            assembler=assembler,
            clock=clock,
        )
        witness = Witness(background, vault, familiar, clock, config.context.kept_traces)
        hosted = Hosted(
            id=familiar,
            name=card.name,
            config=config,
            prose=prose,
            background=background,
            assembler=assembler,
            conversation=conversation,
            inspector=Inspector(familiar, config, vault, prose, assembler),
            projectors=Projectors(Desk(familiar, card.name, vault, witness, config, clock, embedder)),
            embedder=embedder,
        )
        self._keep_memory(hosted)
        return hosted

    async def host_again(self, familiar: FamiliarId) -> Hosted:
        """Host a familiar anew; its old projectors end first, so that no two of them do the same work.

        Where that fails, they go on.
        """
        services = self._services
        old = services.familiars.get(familiar)
        if old is not None:
            await old.projectors.stop()
            await old.conversation.reminders.stop()
        try:
            hosted = await self.host(familiar)
        except BaseException:
            if old is not None and self._lasting:
                self._start_projectors(old)
                old.conversation.reminders.start(services.tasks, owner=services)
            raise
        if old is not None:
            hosted.conversation.reminders.take_over(old.conversation.reminders)
        return hosted

    async def let_go_of_unused(self) -> None:
        """Close the models, and forget the embedders, that no familiar of the services uses any more."""
        hosted = self._services.familiars.values()
        await self._models.keep_only(model for one in hosted for model in (one.prose, one.background))
        with_embedder = [(one, one.embedder) for one in hosted if one.embedder is not None]
        self._embedders.keep_only(
            [embedder for _one, embedder in with_embedder],
            [embedder for one, embedder in with_embedder if one.config.memory.retrieval.embedding_weight > 0],
        )

    async def close(self) -> None:
        """Close every embedder and model."""
        await self._embedders.close()
        await self._models.close()

    def _keep_memory(self, hosted: Hosted) -> None:
        """Where the vault stays open for long, keep its index and the vectors of the familiar in step with it."""
        if not self._lasting:
            return
        services = self._services
        services.vault.index.start(services.tasks, owner=services)
        self._start_projectors(hosted)
        hosted.conversation.reminders.start(services.tasks, owner=services)
        if hosted.embedder is not None and hosted.config.memory.retrieval.embedding_weight > 0:
            self._embedders.keep_filled(hosted.embedder, services.vault, services.tasks, owner=services)

    def _start_projectors(self, hosted: Hosted) -> None:
        """Let a familiar draw its memory by itself, unless its model would make things up; `project` asks any model."""
        if hosted.background.info.weak:
            log.info("familiar %s draws no memory by itself: its background model is too weak", hosted.id)
            return
        hosted.projectors.start(self._services.tasks, owner=self._services)
