"""The prompts as a panel of the main window: one view per familiar, made when it is first shown."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import ptr, tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.zone import system_zone
from familiar_app.ui.prompts.model import PromptsModel
from familiar_app.ui.prompts.view import PromptsView

if TYPE_CHECKING:
    from familiar_app.services import Services

log = logging.getLogger(__name__)


def create_prompts_panel(services: Services, context: PanelContext) -> PromptsPanel:
    """Make the prompts panel for an open vault."""
    return PromptsPanel(services, context)


class PromptsPanel:
    """Implements `kit.panel.Panel`. Looking changes nothing in the vault."""

    id = "prompts"
    title = tr_later("Prompts")
    icon = "prompts"

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.widget = FamiliarViews(services, context, self._make_view, begin=PromptsView.load)
        self.widget.show_familiar(context.familiar)

    @property
    def view(self) -> PromptsView:
        """The view of the familiar that is shown."""
        return self.widget.current

    def _make_view(self, familiar: FamiliarId) -> PromptsView:
        return PromptsView(PromptsModel(self._services, familiar, system_zone=system_zone()), self._context)

    def actions(self) -> Sequence[Action]:
        def deed(name: str, title: str, shortcut: str = "", icon: str = "", words: str = "") -> Action:
            return Action(
                f"prompts.{name}",
                title,
                lambda: self.view.do(name),
                shortcut=shortcut,
                icon=icon,
                group=tr("Prompts"),
                words=words,
            )

        return (
            deed(
                "why_not",
                tr("Why is something not in this prompt?"),
                "Ctrl+Shift+Y",
                "question",
                tr("missing left out"),
            ),
            deed("reason", tr("Why this layer is in the prompt"), words=tr("reason cache budget")),
            deed(
                "memory",
                tr("What memory offered for this prompt"),
                words=tr("candidates weights signals held back"),
            ),
            deed("lore", tr("What the lorebook decided for this prompt"), words=tr("entries verdicts")),
            deed(
                "trial",
                tr("Try this prompt with changes"),
                "Ctrl+T",
                "refresh",
                tr("what if layers order weights"),
            ),
            deed(
                "compare",
                tr("Compare with another prompt"),
                "Ctrl+D",
                "compare",
                tr("differences side by side"),
            ),
            deed("try", tr("Show the changed prompt beside the original"), words=tr("a/b what if")),
            deed("ask_both", tr("Ask the model with both prompts"), words=tr("answer again")),
            deed("answers", tr("Copy both answers"), icon="copy"),
            deed("end_pair", tr("Close the comparison"), words=tr("one prompt")),
            deed("fold", tr("Fold or unfold all layers")),
            deed("text", tr("Copy this prompt as text"), icon="copy"),
            deed("json", tr("Copy this prompt as JSON"), icon="copy"),
            deed("sent", tr("Copy this prompt as it was sent"), icon="copy", words=tr("bytes request body")),
        )

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the keys that only parts of this panel know."""
        enter, shift_enter = ptr("key of the keyboard", "Return"), ptr("key of the keyboard", "Shift+Return")
        space, delete = ptr("key of the keyboard", "Space"), ptr("key of the keyboard", "Del")
        return {
            tr("In the list of prompts"): ((tr("Open"), enter), (tr("Compare with the open one"), shift_enter)),
            tr("In a prompt"): (
                (tr("Fold or unfold the layer"), space),
                (tr("Go to where the line came from"), enter),
                (tr("Next hit, previous hit"), f"{enter} {shift_enter}"),
                (tr("Close the comparison"), ptr("key of the keyboard", "Esc")),
            ),
            tr("In the trial"): ((tr("Layer on or off"), space), (tr("Move the layer"), "Alt+↑ Alt+↓")),
            tr("Among candidates"): ((tr("Leave out or take in"), delete), (tr("Show it"), enter)),
        }

    def palette_entries(self) -> Sequence[Action]:
        return (
            Action(
                "prompts.layouts",
                tr("Compare two layouts"),
                self._try_layouts,
                icon="compare",
                group=tr("Prompts"),
                words=tr("layout order layers trial a/b what if"),
            ),
        )

    def _try_layouts(self) -> None:
        """Show where layers are switched and moved, to be put beside how they stood."""
        self._context.go_to(self.id, "")
        self.view.do("trial")

    def activate(self) -> None:
        self.view.come_forward()
        self.view.listed.setFocus()

    def find(self) -> None:
        view = self.view
        if view.model.pair is None and view.model.trace is not None:
            view.middle.begin_find()

    def show_place(self, key: str) -> None:
        if key.isdigit():
            self.view.open_trace(int(key))

    async def close(self) -> None:
        for view in self.widget:
            try:
                await view.panes.write()
            except FamiliarError as error:
                log.warning("how the prompts panel is divided was not stored", exc_info=error)
            await view.tasks.cancel()
