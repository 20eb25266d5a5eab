"""The settings panel: every setting in one searchable page. Changes are saved at once and can be undone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.settings import CharacterConfig, ProfileSettings
from familiar_app.domain.statement import endpoint_hosts
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.dialog import ask_for_network
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.label import column, surface
from familiar_app.ui.kit.model_choice import choice_from_slot
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.settings.act import SettingsActs
from familiar_app.ui.settings.change import SettingsChange
from familiar_app.ui.settings.dialog import ask_model
from familiar_app.ui.settings.erasing import ERASING
from familiar_app.ui.settings.listing import SettingList
from familiar_app.ui.settings.model import SETTINGS, read_value
from familiar_app.ui.settings.row import ZoneRow
from familiar_app.ui.settings.setting import Setting
from familiar_app.ui.settings.system import SystemSettings

if TYPE_CHECKING:
    from familiar_app.services import Services

WIDTH = 760


def settings_panel(services: Services, context: PanelContext) -> SettingsPanel:
    """Build the panel; a PanelFactory."""
    if context.parts is None:
        raise OutsideError(tr("The settings need the parts of the window."))
    return SettingsPanel(services, context, context.parts)


class SettingsPanel:
    """See `kit.panel.Panel`."""

    id = "settings"
    title = tr_later("Settings")
    icon = "settings"

    def __init__(self, services: Services, context: PanelContext, parts: WindowParts) -> None:
        self._services, self._context, self._parts = services, context, parts
        self._change = SettingsChange(parts.gate, services)
        self._settings: ProfileSettings | None = None
        self._config: CharacterConfig | None = None
        self._acts = SettingsActs(services, context, parts, self._change, lambda: self.widget)
        self.notice = Notice(context.theme)
        self.widget = self._build()
        self._tasks = Tasks(context.tasks, self.widget, self.notice.show_error)
        self._system = SystemSettings(
            parts, context, lambda work: self._tasks.start(work, name="settings.system", replace=True)
        )
        context.familiar_changed.connect(lambda _familiar: self._load_soon())
        context.familiar_reloaded.connect(lambda _familiar: self._load_soon())
        context.local_only_changed.connect(lambda _on: self._load_soon())
        context.settings_changed.connect(lambda _settings: self._load_soon())

    def actions(self) -> Sequence[Action]:
        return ()

    def palette_entries(self) -> Sequence[Action]:
        return [self._entry(setting) for setting in SETTINGS]

    def _entry(self, setting: Setting) -> Action:
        name, title, words = f"settings.{setting.key}", tr(setting.title), tr(setting.words)
        group = tr("Settings · {group}", group=tr(setting.group))
        if setting in ERASING:
            # Its row would only ask for one more press.
            return Action(name, f"{title}…", self._button(setting)[1], "", "trash", group, words)
        go = partial(self._context.go_to, "settings", setting.key)
        return Action(name, title, go, "", "settings", group, words, minor=True)

    def activate(self) -> None:
        self._load_soon()
        self._search.setFocus()

    def find(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def show_place(self, key: str) -> None:
        """Scroll to a setting, by its key or the beginning of it (`model` is the model for replies)."""
        self._search.clear()
        found = next((row for name, row in self._list.rows.items() if name.startswith(key)), None)
        if found is not None:
            found.setFocus()
            found.focusNextChild()
            # What a search had hidden gets its place only now.
            QTimer.singleShot(0, self.widget, lambda: self._scroll.ensureWidgetVisible(found, 0, 120))

    async def close(self) -> None:
        await self._tasks.cancel()

    # Building

    def _build(self) -> QWidget:
        whole = surface(QWidget(), 1)
        whole.setAccessibleName(tr("Settings"))
        header = PanelHeader(self._context.theme, tr("Settings"))
        self._search = SearchField(self._context.theme, tr("Search settings"))
        self._search.setMinimumWidth(self._context.theme.px(240))
        header.add_end(self._search)
        self._list = SettingList(self._context.theme, self._changed, self._button)
        self._list.layout.insertWidget(0, self.notice)
        self._search.textChanged.connect(self._list.show_only)
        self._scroll = PageScroll()
        self._scroll.show_page(self._context.theme, self._list.layout, WIDTH)
        layout = column(spacing=0)
        layout.addWidget(header)
        layout.addWidget(self._scroll, 1)
        whole.setLayout(layout)
        self._list.divide()
        return whole

    def _button(self, setting: Setting) -> tuple[str, Callable[[], object]]:
        if setting.kind == "model":
            return tr("Change…"), partial(self._start, self._choose_model, setting)
        caption, act = self._acts.of(setting)
        return caption, partial(self._start, act, setting)

    def _start(self, act: Callable[[Setting], Any], setting: Setting) -> None:
        self._tasks.start(lambda: act(setting), name=f"settings.{setting.key}")

    # Showing

    def _load_soon(self) -> None:
        self._tasks.start(self._load, name="settings.load", replace=True)

    async def _load(self) -> None:
        self._settings, self._config = await self._change.read(self._context.familiar)
        name = self._services.familiars[self._context.familiar].name
        self._list.groups["Models"][0].setText(tr("Models of {name}", name=name))
        self._list.groups["Memory"][0].setText(tr("Memory of {name}", name=name))
        self._list.rows["erase_familiar"].show_text(name)
        for setting in SETTINGS:
            if setting.kind != "act" and setting.scope != "system":
                self._list.rows[setting.key].show_value(read_value(setting, self._settings, self._config))
        await self._system.load(self._list.rows["autostart"])
        hosts = endpoint_hosts(one.config for one in self._services.familiars.values())
        self._list.rows["local_only"].show_text(
            tr("Off, conversations are sent to {hosts}.", hosts=", ".join(hosts)) if hosts else ""
        )
        self._list.rows["profile_folder"].show_text(str(self._services.profile.root))
        self._list.rows["providers.embedding"].show_text(await self._change.meaning_text(self._config))
        zone = self._list.rows["display.timezone"]
        if isinstance(zone, ZoneRow):
            zone.set_zones(await asyncio.to_thread(lambda: sorted(available_timezones())))

    # Changing

    def _changed(self, setting: Setting, value: Any) -> None:
        self.notice.clear()
        if setting.key == "remember_key":
            self._tasks.start(lambda: self._remember(value), name="settings.remember_key")
            return
        if setting.scope == "system":
            self._system.changed(setting, self._list.rows[setting.key], value)
            return
        old, familiar = self._change.before(setting, self._settings, self._config), self._context.familiar
        self._tasks.start(
            lambda: self._save(familiar, setting, value, old), name=f"settings.save.{setting.key}", replace=True
        )

    async def _save(
        self, familiar: FamiliarId, setting: Setting, value: Any, old: Any, *, undoing: bool = False
    ) -> None:
        """Store a value; for the familiar for which it was changed, whichever one is shown meanwhile."""
        shown = familiar == self._context.familiar
        config = self._config if shown else self._services.familiars[familiar].config
        try:
            if setting.scope == "profile":
                await self._change.save_profile({setting.key: value})
            else:
                changes = self._change.changes(setting, value, config)
                await self._change.save_familiar(familiar, changes)
        finally:
            await self._load()
        self._announce(setting, familiar)
        if not undoing:
            back = partial(self._save, familiar, setting, old, value, undoing=True)
            again = partial(self._save, familiar, setting, value, old, undoing=True)
            self._context.offer_undo(
                _changed_text(setting), partial(self._undo, setting, back), partial(self._undo, setting, again)
            )

    def _undo(self, setting: Setting, back: Callable[[], Any]) -> None:
        self._tasks.start(back, name=f"settings.undo.{setting.key}", replace=True)

    def _announce(self, setting: Setting, familiar: FamiliarId) -> None:
        """Tell the rest of the window what is in force now."""
        if setting.key == "local_only":
            self._context.local_only_changed.emit(self._services.network.local_only)
        elif setting.scope == "familiar":
            self._context.familiar_reloaded.emit(str(familiar))
        elif setting.key == "owner_name":
            for familiar in self._services.familiars:
                self._context.familiar_reloaded.emit(str(familiar))
        elif setting.key == "log_level" and self._settings is not None:
            self._parts.set_log_level(self._settings.log_level)
        self._context.settings_changed.emit(self._settings)

    async def _remember(self, on: bool) -> None:
        try:
            await self._parts.remember_key(on)
        finally:
            await self._load()
        self._context.tell(
            tr("The keyring has a copy of the key now.") if on else tr("The keyring has no copy of the key now.")
        )

    async def _choose_model(self, setting: Setting) -> None:
        familiar = self._context.familiar
        slot = read_value(setting, self._settings, self._config)
        choice = await ask_model(
            self.widget,
            self._parts,
            tr(setting.title),
            choice_from_slot(slot.provider, slot.model, slot.base_url),
            local_only=lambda: self._services.network.local_only,
            stored_key=lambda: self._change.stored_key(familiar, setting.key),
            network_allowed=lambda: self._context.local_only_changed.emit(self._services.network.local_only),
        )
        if choice is None or (choice.leaves() and not await self._may_leave(choice.host)):
            return
        old = await self._change.save_model(familiar, setting.key, choice)
        self._announce(setting, familiar)
        back = partial(self._put_back, setting, familiar, old)
        self._context.offer_undo(_changed_text(setting), partial(self._undo, setting, back))

    async def _put_back(self, setting: Setting, familiar: Any, old: dict[str, Any]) -> None:
        await self._change.save_familiar(familiar, old)
        self._announce(setting, familiar)

    async def _may_leave(self, host: str) -> bool:
        """Ask before local-only is switched off for a model elsewhere."""
        if not self._services.network.local_only:
            return True
        if not await ask_for_network(self.widget, host):
            return False
        await self._parts.gate.set_local_only(False)
        self._context.local_only_changed.emit(self._services.network.local_only)
        return True


def _changed_text(setting: Setting) -> str:
    return tr("{setting} changed.", setting=tr(setting.title))
