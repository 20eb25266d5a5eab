"""The page of the network: the switch, and a table of everybody the program has spoken to or would."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QFrame, QWidget

from familiar_app.domain.reach import Reach
from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.card import card
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.label import clear_layout, column, label, line, row, set_property, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.network.model import NetworkModel, allowed_text, history_text, purpose_text

WIDTH = 760
MOST_ROWS = 220


class NetworkView(QWidget):
    """Shows a NetworkModel. `switch` puts local-only mode on or off."""

    def __init__(self, model: NetworkModel, context: PanelContext, switch: Callable[[bool], object]) -> None:
        super().__init__()
        self.model, self._context, self._switch = model, context, switch
        surface(self, 1)
        self.setAccessibleName(tr("Network"))
        self.notice = Notice(context.theme)
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        self._build()
        model.watch = self._show

    def load(self) -> None:
        """Look anew."""
        self.tasks.start(self.model.load, name="network.load", replace=True)

    def _build(self) -> None:
        theme = self._context.theme
        page = column(spacing=12)
        page.setContentsMargins(24, 16, 24, 24)
        page.addWidget(self.notice)
        page.addWidget(self._state_card())
        page.addWidget(self._list_card())
        page.addStretch(1)
        scroll = PageScroll()
        scroll.show_page(theme, page, WIDTH)
        layout = column(spacing=0)
        layout.addWidget(PanelHeader(theme, tr("Network")))
        layout.addWidget(scroll, 1)
        self.setLayout(layout)

    def _state_card(self) -> QFrame:
        made, inside = card()
        self._state = label("", wrap=True)
        self.switch_button = button("", lambda: self._switch(not self.model.local_only))
        inside.addWidget(self._state)
        line_of_it = row(spacing=8)
        line_of_it.addWidget(self.switch_button)
        line_of_it.addStretch(1)
        inside.addLayout(line_of_it)
        return made

    def _list_card(self) -> QFrame:
        made, inside = card()
        head = row(spacing=8)
        head.addWidget(label(tr("Hosts"), "strong"))
        head.addStretch(1)
        self.forget = button(
            tr("Forget the history"), partial(self.tasks.start, self.model.forget, name="network.forget")
        )
        head.addWidget(self.forget)
        inside.addLayout(head)
        text = tr("Host, purpose and times are kept in the vault; never what was sent.")
        inside.addWidget(label(text, "quiet", wrap=True))
        self._rows = column(spacing=8)
        inside.addLayout(self._rows)
        return made

    def _show(self) -> None:
        on = self.model.local_only
        self._state.setText(self.model.state_text)
        self.switch_button.setText(tr("Allow the network") if on else tr("Switch local only on"))
        self.switch_button.setAccessibleName(self.switch_button.text())
        set_property(self.switch_button, "role", "plain" if on else "primary")
        self.forget.setEnabled(any(one.contact is not None for one in self.model.rows))
        clear_layout(self._rows)
        for one in self.model.rows[:MOST_ROWS]:
            self._rows.addWidget(line())
            self._rows.addWidget(self._row(one))

    def _row(self, one: Reach) -> QWidget:
        made, inside, words = QWidget(), row(spacing=12), column(spacing=4)
        words.addWidget(label(one.host, "strong", wrap=True, selectable=True))
        words.addWidget(label(purpose_text(one), wrap=True))
        for text in (tr(one.when), history_text(one, self.model.zone)):
            if text:
                words.addWidget(label(text, "quiet", wrap=True))
        inside.addLayout(words, 1)
        text, role = allowed_text(one)
        inside.addWidget(label(text, role))
        made.setLayout(inside)
        made.setAccessibleName(tr("{host}: {state}", host=one.host, state=text))
        return made
