"""Models as a panel without a place in the rail: the settings and the palette lead to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from familiar_app.domain.errors import BugError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.config_change import change_config
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.model_shelf import ModelRow, ModelShelfModel
from familiar_app.ui.kit.model_shelf_view import ModelShelfView
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.models.deed import use_model

if TYPE_CHECKING:
    from familiar_app.services import Services

WIDTH = 760
WORDS = tr_later(
    "A model writes what a familiar says, and reads along to remember. One that runs here sends nothing anywhere. "
    "The host of a model is named before it is connected to, and its size and checksum are asked first."
)


def create_models_panel(services: Services, context: PanelContext) -> ModelsPanel:
    """Make the panel for an open vault; a PanelFactory."""
    return ModelsPanel(services, context)


class ModelsPanel:
    """Implements `kit.panel.Panel`."""

    id = "models"
    title = tr_later("Models")
    icon = "model"
    off_rail = True

    def __init__(self, services: Services, context: PanelContext) -> None:
        if context.parts is None or context.gate is None:
            raise BugError("The panel of models was made outside a window.")
        self._services, self._context, self._gate = services, context, context.gate
        self.model = ModelShelfModel(context.parts.models, self._configs, self._name)
        self.view = ModelShelfView(
            context.theme,
            context.tasks,
            self.model,
            use=self._use,
            use_text=self._use_text(),
            allow_network=partial(context.gate.set_local_only, False),
        )
        self.view.local_only_changed.connect(self._network_changed)
        self.widget = self._page()
        self._tasks = Tasks(context.tasks, self.widget, self.view.notice.show_error)
        context.familiar_changed.connect(lambda _id: self._familiar_changed())
        context.familiar_reloaded.connect(lambda _id: self.view.load())

    def actions(self) -> Sequence[Action]:
        return (Action("models.refresh", tr("Look for models again"), self.view.load, "F5", "refresh", tr(self.title)),)

    def palette_entries(self) -> Sequence[Action]:
        run = partial(self._context.go_to, self.id, "")
        words = tr("download fetch gguf llm smollm2 llama qwen mistral catalogue")
        return (Action("models.show", tr("Models: fetch, use, delete"), run, "", self.icon, tr(self.title), words),)

    def activate(self) -> None:
        self.view.use_text = self._use_text()
        self.view.load()
        self.view.address.setFocus()

    def find(self) -> None:
        """Nothing to search here."""

    def show_place(self, key: str) -> None:
        """There are no places within."""

    async def close(self) -> None:
        self.view.stop()
        await self.view.tasks.cancel()
        await self._tasks.cancel()

    def _page(self) -> QWidget:
        page = column(spacing=12)
        page.setContentsMargins(24, 16, 24, 24)
        page.addWidget(label(tr(WORDS), "quiet", wrap=True))
        page.addWidget(self.view)
        page.addStretch(1)
        scroll = PageScroll()
        scroll.show_page(self._context.theme, page, WIDTH)
        made, layout = surface(QWidget(), 1), column(spacing=0)
        made.setAccessibleName(tr(self.title))
        layout.addWidget(PanelHeader(self._context.theme, tr(self.title)))
        # Above what scrolls: a button far down asks here, too.
        notice = QWidget()
        around = column(spacing=0)
        around.setContentsMargins(24, 8, 24, 0)
        around.addWidget(self.view.notice)
        notice.setLayout(around)
        layout.addWidget(notice)
        layout.addWidget(scroll, 1)
        made.setLayout(layout)
        return made

    def _use_text(self) -> str:
        return tr("Use for {name}", name=self._services.familiars[self._context.familiar].name)

    def _configs(self) -> Mapping[FamiliarId, CharacterConfig]:
        return {id_: one.config for id_, one in self._services.familiars.items()}

    def _name(self, familiar: FamiliarId) -> str:
        hosted = self._services.familiars.get(familiar)
        return str(familiar) if hosted is None else hosted.name

    def _familiar_changed(self) -> None:
        self.view.use_text = self._use_text()
        self.view.load()

    def _network_changed(self) -> None:
        self._context.local_only_changed.emit(self._services.network.local_only)

    def _use(self, one: ModelRow) -> None:
        self.view.notice.clear()
        familiar = self._context.familiar
        self._tasks.start(partial(self._use_for, familiar, one), name="models.use")

    async def _use_for(self, familiar: FamiliarId, one: ModelRow) -> None:
        old = await use_model(self._gate, self._services, familiar, one)
        self._context.familiar_reloaded.emit(str(familiar))
        name = self._services.familiars[familiar].name
        self._context.offer_undo(
            tr("{name} uses {model} now, for replies and for background work.", name=name, model=one.title),
            partial(self._put_back, familiar, old),
        )

    def _put_back(self, familiar: FamiliarId, old: Mapping[str, Any]) -> None:
        self._tasks.start(partial(self._put_back_now, familiar, old), name="models.undo")

    async def _put_back_now(self, familiar: FamiliarId, old: Mapping[str, Any]) -> None:
        await change_config(self._gate, self._services.profile, familiar, old, old)
        self._context.familiar_reloaded.emit(str(familiar))
