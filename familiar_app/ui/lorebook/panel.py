"""The lorebook as a panel of the main window: one view per familiar, made when it is first shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import local_time
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import ptr, tr, tr_later
from familiar_app.domain.turn import Role, Turn
from familiar_app.interchange.lorebook.lore_file import LoreFile
from familiar_app.store.book_shelf import BookShelf
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.date_text import numeric_date_time
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.pane import Panes
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.lorebook.book_views import BookViews
from familiar_app.ui.lorebook.books import Books
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.tester import Moment, Said, TrialModel
from familiar_app.ui.lorebook.trial import Terms
from familiar_app.ui.lorebook.view import LorebookView

if TYPE_CHECKING:
    from familiar_app.services import Services

log = logging.getLogger(__name__)
MOST_BACK = 500
"""How many turns back the tester can go."""
MOST_IN_PALETTE = 1000


def create_lorebook_panel(services: Services, context: PanelContext) -> LorebookPanel:
    """Make the lorebook panel for an open vault."""
    return LorebookPanel(services, context)


class LorebookPanel:
    """Implements `kit.panel.Panel`. Everything typed is in the file a moment later."""

    id = "lorebook"
    title = tr_later("Lorebook")
    icon = "lorebook"

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.widget: FamiliarViews[BookViews] = FamiliarViews(
            services, context, self._make_views, begin=BookViews.load, shown=BookViews.look
        )
        self.widget.show_familiar(context.familiar)
        context.familiar_reloaded.connect(self._reloaded)

    @property
    def view(self) -> LorebookView:
        """The view of the book that is shown, of the familiar that is shown."""
        return self.widget.current.current

    def _make_views(self, familiar: FamiliarId) -> BookViews:
        terms = _KeptTerms(self._services, familiar)
        books = Books(BookShelf(self._services.profile, familiar), lambda changes: self._save(familiar, changes))
        made = BookViews(books, self._context, lambda path: self._make_view(familiar, terms, books, path))
        made.terms = terms
        return made

    async def _save(self, familiar: FamiliarId, changes: Mapping[str, Any]) -> None:
        """Change the settings of a familiar and put them in force."""
        await asyncio.to_thread(self._services.profile.save_config, familiar, changes)
        if self._context.gate is not None:
            await self._context.gate.reload_familiar(familiar)
        self._context.familiar_reloaded.emit(str(familiar))

    def _make_view(self, familiar: FamiliarId, terms: _KeptTerms, books: Books, path: Path) -> LorebookView:
        services = self._services
        model = LorebookModel(LoreFile(path))
        tester = TrialModel(terms.get, lambda: services.familiars[familiar].prose)
        view = LorebookView(
            model,
            tester,
            self._context,
            Panes(services.vault.state, "lorebook.panes"),
            lambda key: self._turns(familiar, terms.get(), key),
            lambda: services.vault.lore_uses.of_familiar(familiar),
            books,
            lambda: self._channels(familiar),
        )
        view.work.known = lambda: self._context.actions_changed(self.id)
        view.work.renamed = lambda old, new: self._renamed(familiar, books, old, new)
        view.table.rows.zone = services.familiars[familiar].config.display.zone()
        return view

    def _reloaded(self, familiar: str) -> None:
        views = self.widget.of(familiar)
        if views is None:
            return
        views.terms.forget()
        for view in views:
            view.work.inspect_anew()
            view.work.test_soon()

    async def _renamed(self, familiar: FamiliarId, books: Books, old: str, new: str) -> None:
        """Let what is known of a book follow its new name."""
        await self._services.vault.lore_uses.rename_book(familiar, old, new)
        await books.read()

    async def _channels(self, familiar: FamiliarId) -> list[tuple[str, str]]:
        """Return the keys of the familiar's channels with their titles."""
        return [
            (str(one.channel.key), channel_title(one.channel))
            for one in await self._services.vault.channels.list(familiar)
        ]

    async def _turns(self, familiar: FamiliarId, terms: Terms, key: str) -> Said:
        """Return the newest turns of a channel, as the prompt would have them searched."""
        vault = self._services.vault
        listed = await vault.channels.list(familiar)
        last = await vault.state.get(f"chat.last_channel.{familiar}")
        chosen = next(
            (one.channel for one in listed if (str(one.channel.key) == key if key else one.channel.id == last)), None
        )
        if chosen is None:
            return Said()
        window, zone = max(1, terms.chosen.recent_window), self._services.familiars[familiar].config.display.zone()
        moments = tuple(
            Moment(f"{_speaker(turn, terms)}: {turn.content}", numeric_date_time(local_time(turn.at, zone)))
            for turn in await vault.turns.page(chosen.id, limit=window + MOST_BACK)
            if turn.content.strip()
        )
        channels = tuple((str(one.channel.key), channel_title(one.channel)) for one in listed)
        return Said(moments, window, str(chosen.key), channels)

    def actions(self) -> Sequence[Action]:
        def deed(name: str, title: str, shortcut: str = "", icon: str = "", words: str = "") -> Action:
            return Action(
                f"lorebook.{name}",
                title,
                lambda: self.view.do(name),
                shortcut=shortcut,
                icon=icon,
                group=tr("Lorebook"),
                words=words,
            )

        return (
            deed("add", tr("Add an entry"), "Ctrl+N", "plus", tr("new")),
            deed("duplicate", tr("Duplicate the chosen entries"), "Ctrl+D", "copy"),
            deed("enable", tr("Switch the chosen entries on")),
            deed("disable", tr("Switch the chosen entries off")),
            deed("delete", tr("Delete the chosen entries"), icon="trash"),
            deed("undo", tr("Undo in the lorebook"), icon="undo"),
            deed("redo", tr("Redo in the lorebook"), icon="redo"),
            deed("about", tr("About this lorebook"), words=tr("name channels folders budget")),
            deed("deleted", tr("Deleted entries of the lorebook…"), icon="trash", words=tr("trash restore")),
            deed("make", tr("Make a new lorebook"), words=tr("book")),
            deed("replace", tr("Search and replace in the lorebook…"), "Ctrl+H", "edit", tr("find")),
            deed("turns", tr("Test the chat's last turns"), "Ctrl+T", "chat", tr("tester")),
            deed("case", tr("Save the test as a case…"), words=tr("tester")),
            deed("import", tr("Import a lorebook…"), icon="folder"),
        )

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the keys that only parts of this panel know."""
        enter, delete = ptr("key of the keyboard", "Return"), ptr("key of the keyboard", "Del")
        return {
            tr("In the table of entries"): (
                (tr("On or off"), ptr("key of the keyboard", "Space")),
                (tr("Change"), enter),
                (tr("Delete"), delete),
                (tr("Move up, down"), "Alt+↑ Alt+↓"),
                (tr("Undo, redo"), ptr("key of the keyboard", "Ctrl+Z Ctrl+Shift+Z")),
            ),
            tr("Among the keys of an entry"): (
                (tr("Key before, after"), "← →"),
                (tr("Change"), enter),
                (tr("Take out"), delete),
            ),
        }

    def palette_entries(self) -> Sequence[Action]:
        """Return the entries of the book that is shown, up to a number that can be looked through at every key."""
        view = self.view
        export = Action(
            "lorebook.export",
            tr("Export the lorebook…"),
            self._export,
            icon="save",
            group=tr("Lorebook"),
            words=tr("save sillytavern risuai file"),
        )
        return [export] + [
            Action(
                f"lorebook.entry.{entry.uid}",
                entry.name,
                lambda uid=entry.uid: self._context.go_to(self.id, str(view.model.file_uid(uid))),
                group=tr("Lorebook entry"),
                words=" ".join(entry.keys[:8]),
            )
            for entry in view.model.book.entries[:MOST_IN_PALETTE]
        ]

    def _export(self) -> None:
        self._context.go_to(self.id, "")
        self.view.do("export")

    def activate(self) -> None:
        view = self.view
        view.work.look_at_file()
        view.work.test_soon()
        view.work.count_uses()
        self.widget.current.look()
        if view.model.rows():
            view.table.setFocus()

    def find(self) -> None:
        self.view.search.setFocus()
        self.view.search.selectAll()

    def show_place(self, key: str) -> None:
        """Show an entry: `book/uid` as traces name it, or the id alone for the book that is shown."""
        book, slash, uid = key.rpartition("/")
        views = self.widget.current
        if slash:
            views.show_book(book)
        view = views.current
        view.choosing.named(uid)

    async def close(self) -> None:
        for views in self.widget:
            for view in views:
                await view.close_book()
            await views.tasks.cancel()


class _KeptTerms:
    """The terms of a familiar, read once and again after its files were read anew."""

    def __init__(self, services: Services, familiar: FamiliarId) -> None:
        self._services, self._familiar = services, familiar
        self._terms: Terms | None = None

    def get(self) -> Terms:
        if self._terms is None:
            hosted = self._services.familiars[self._familiar]
            budget, profile = hosted.config.budget.text, self._services.profile
            try:
                card = profile.card(self._familiar)
            except FamiliarError as error:
                # The character panel shows what is wrong with the card; the tester can do with the name.
                log.warning("the tester goes without the card", exc_info=error)
                card = CharacterCard(name=hosted.name)
            self._terms = Terms(
                chosen=hosted.config.lorebook,
                room_tokens=budget.lorebook_tokens,
                most_entries=budget.max_lorebook_entries,
                card=card,
                user=hosted.config.conversation.owner_label or profile.settings().owner_name,
            )
        return self._terms

    def forget(self) -> None:
        self._terms = None


def _speaker(turn: Turn, terms: Terms) -> str:
    if turn.role is Role.ASSISTANT:
        return terms.card.name
    return turn.author.name if turn.author is not None else terms.user
