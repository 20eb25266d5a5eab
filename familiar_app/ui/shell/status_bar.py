"""The status bar: the vault, local-only, the model and its speed, memory, Discord; at the far end a passing word."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QToolButton, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.icon import follow, icon
from familiar_app.ui.kit.label import ElidedLabel, column, line, row, surface
from familiar_app.ui.kit.status import Status, StatusModel, model_text
from familiar_app.ui.kit.theme import Theme

WORD_S = 4


class StatusBar(QWidget):
    """Shows a StatusModel. Each part is a button that locks, explains, or leads to settings."""

    def __init__(
        self,
        theme: Theme,
        model: StatusModel,
        *,
        lock: Callable[[], object],
        local_only: Callable[[QWidget], object],
        show_model: Callable[[], object],
        show_memory: Callable[[], object] = lambda: None,
        show_discord: Callable[[], object] = lambda: None,
        show_backups: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        surface(self, 2)
        self._vault = self._part(lock)
        self.shield = self._part(lambda: local_only(self.shield))
        self._llm = self._part(show_model)
        self.memory = self._part(show_memory)
        self.discord = self._part(show_discord)
        self.backup = self._part(show_backups)
        self._word = ElidedLabel("", "quiet")
        parts = row(spacing=4)
        parts.setContentsMargins(8, 2, 12, 2)
        for part in (self._vault, self.shield, self._llm, self.memory, self.discord, self.backup):
            parts.addWidget(part)
        parts.addSpacing(12)
        parts.addWidget(self._word, 1)
        layout = column(spacing=0)
        layout.addWidget(line())
        layout.addLayout(parts)
        self.setLayout(layout)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(lambda: self._word.set_text(""))
        model.listen(self._show)
        self.destroyed.connect(lambda: model.unlisten(self._show))
        self._refresh()
        follow(theme, self, self._refresh)

    def tell(self, text: str) -> None:
        """Show a word for a moment."""
        self._word.set_text(text)
        self._timer.start(WORD_S * 1000)

    def _part(self, run: Callable[[], object]) -> QToolButton:
        made = QToolButton()
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(lambda _checked=False: run())
        return made

    def _refresh(self) -> None:
        self._word.setFont(self._theme.font("small"))
        self._show(self._model.now)

    def _show(self, status: Status) -> None:
        self._fill(
            self._vault,
            "lock",
            "text_2",
            tr("Vault open"),
            tr("Encrypted on this computer. Click to lock the window (Ctrl+L); Ctrl+Shift+L closes the vault."),
        )
        if status.local_only:
            tip = tr("Nothing leaves this computer. Click to see more.")
            self._fill(self.shield, "shield_on", "good", tr("Local only"), tip)
        else:
            tip = tr("Connections to the endpoints you configured are allowed. Click to see more.")
            self._fill(self.shield, "shield", "text_3", tr("Network allowed"), tip)
        self._show_model(status)
        failed = status.memory_tone == "danger"
        text = status.memory[:1].upper() + status.memory[1:]
        self._fill(self.memory, "warning" if failed else "memories", status.memory_tone, text, status.memory_tip)
        self.memory.setVisible(bool(status.memory))
        lost = status.discord_tone == "danger"
        self._fill(
            self.discord, "warning" if lost else "discord", status.discord_tone, status.discord, status.discord_tip
        )
        self.discord.setVisible(bool(status.discord))
        missed = status.backup_tone == "danger"
        self._fill(self.backup, "warning" if missed else "save", status.backup_tone, status.backup, status.backup_tip)
        self.backup.setVisible(bool(status.backup))

    def _show_model(self, status: Status) -> None:
        failed = status.model_state == "failed"
        tip = status.model_error if failed else self._where(status)
        self._fill(
            self._llm, "warning" if failed else "model", "danger" if failed else "text_2", model_text(status), tip
        )

    @staticmethod
    def _where(status: Status) -> str:
        local = tr("It runs on this computer.")
        place = local if status.model_local else tr("Conversations are sent to its endpoint.")
        return f"{place} {tr('It is a small model and makes many mistakes.')}" if status.model_weak else place

    def _fill(self, part: QToolButton, picture: str, role: str, text: str, tip: str) -> None:
        part.setFont(self._theme.font("small"))
        part.setIcon(icon(self._theme, picture, role))
        side = self._theme.px(16)
        part.setIconSize(QSize(side, side))
        part.setText(text.replace("&", "&&"))
        part.setAccessibleName(text)
        part.setAccessibleDescription(tip)
        part.setToolTip(tip)
