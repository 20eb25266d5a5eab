"""The page of a familiar that has no bot yet: how one is made, in five steps, and the field for its token."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.field import LabelledField, PasswordField
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label, row
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.theme import Theme

WIDTH = 620
_HINT = tr_later("It goes into the encrypted vault and nowhere else. Discord is asked about it when you press Connect.")
PORTAL_STEP, TOKEN_STEP, INVITE_STEP = 1, 4, 5
STEPS = (
    (
        tr_later("Make an application"),
        tr_later(
            "Open Discord's developer portal, sign in, press New Application and give it the name under which your "
            "familiar is to speak."
        ),
    ),
    (
        tr_later("Copy its token"),
        tr_later(
            "On the page Bot press Reset Token, and copy what is shown. Whoever has it can speak as your bot, so keep "
            "it to yourself."
        ),
    ),
    (
        tr_later("Let it read along"),
        tr_later(
            "On the same page, under Privileged Gateway Intents, switch on Message Content Intent and save. Your "
            "familiar needs it to join in by itself; to speak only when spoken to, it can do without."
        ),
    ),
    (
        tr_later("Connect"),
        tr_later("Paste the token here. Until you press Connect, nothing is sent anywhere."),
    ),
    (
        tr_later("Invite it"),
        tr_later(
            "Its invitation takes the bot into a server of yours, with the few rights it needs. You can open it as "
            "soon as the token stands above, and later on this page too. Then switch on the channels in which it is to "
            "listen."
        ),
    ),
)


class GuidePage(PageScroll):
    """`connect` is called with what was typed, `portal` opens the developer portal, `back` leaves the page.

    `invitation` gives the address for a token that was typed, "" where there is none; `open_page` opens it.
    """

    def __init__(
        self,
        theme: Theme,
        connect: Callable[[str], object],
        portal: Callable[[], object],
        back: Callable[[], object],
        *,
        invitation: Callable[[str], str],
        open_page: Callable[[str], object],
    ) -> None:
        super().__init__()
        self._theme, self._connect, self._invitation = theme, connect, invitation
        self.setAccessibleName(tr("How to connect to Discord"))
        self.field = PasswordField(theme, tr("Token of the bot"))
        self.token = LabelledField(tr("Token of the bot"), self.field, hint=tr(_HINT))
        self.field.textChanged.connect(self._typed)
        self.field.returnPressed.connect(self._press)
        self.portal = button(tr("Open the developer portal"), portal, theme=theme, icon="link")
        self.invite = button(
            tr("Open the invitation"), lambda: open_page(invitation(self.field.text())), theme=theme, icon="link"
        )
        self.invite.setEnabled(False)
        self.connect_button = button(tr("Connect"), self._press, role="primary")
        self.connect_button.setEnabled(False)
        self.back = button(tr("Keep the token there is"), back)
        self.back.hide()
        self._page = column(spacing=16)
        self._page.setContentsMargins(24, 24, 24, 24)
        self._build()

    def _build(self) -> None:
        self._title = label("", "title", wrap=True)
        self._page.addWidget(self._title)
        self._lead = label("", "quiet", wrap=True)
        self._page.addWidget(self._lead)
        for number, (title, text) in enumerate(STEPS, 1):
            self._page.addLayout(self._step(number, tr(title), tr(text)))
        self._page.addStretch(1)
        self.show_page(self._theme, self._page, WIDTH)

    def _step(self, number: int, title: str, text: str):
        made, words = row(spacing=12), column(spacing=4)
        sign = label(str(number), "title")
        sign.setFixedWidth(self._theme.px(24))
        words.addWidget(label(title, "strong", wrap=True))
        words.addWidget(label(text, "quiet", wrap=True))
        if number == PORTAL_STEP:
            words.addWidget(self.portal, 0, Qt.AlignmentFlag.AlignLeft)
        if number == TOKEN_STEP:
            words.addSpacing(4)
            words.addWidget(self.token)
            holder = QWidget()
            flow = FlowLayout(holder, spacing=8)
            flow.addWidget(self.connect_button)
            flow.addWidget(self.back)
            words.addWidget(holder)
        if number == INVITE_STEP:
            words.addWidget(self.invite, 0, Qt.AlignmentFlag.AlignLeft)
        made.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        made.addLayout(words, 1)
        return made

    def show_for(self, name: str, *, renewing: bool) -> None:
        """Speak of a familiar that has no bot, or one whose token is to be replaced."""
        if renewing:
            title = tr("A new token for {name}", name=name)
            lead = tr("The token there was stays in use until you press Connect.")
        else:
            title = tr("{name} on Discord", name=name)
            lead = tr("{name} can listen and speak on your Discord server while this program runs.", name=name)
        self._title.setText(title)
        self._lead.setText(lead)
        self.back.setVisible(renewing)

    def show_wrong(self, text: str) -> None:
        """Say what is wrong with the token, nothing for an empty text."""
        self.token.set_wrong(text)

    def clear(self) -> None:
        """Forget what was typed."""
        self.field.clear()
        if self.field.shown:
            self.field.toggle()

    def _typed(self, text: str) -> None:
        self.token.set_wrong("")
        self.connect_button.setEnabled(bool(text.strip()))
        self.invite.setEnabled(bool(self._invitation(text)))

    def _press(self) -> None:
        if self.field.text().strip():
            self._connect(self.field.text())
