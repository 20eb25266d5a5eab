"""The page of a familiar that has no bot yet: how one is made, in four steps, and the field for its token."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.field import LabelledField, PasswordField
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label, row
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.theme import Theme

WIDTH = 620
_HINT = "It goes into the encrypted vault and nowhere else. Discord is asked about it when you press Connect."
STEPS = (
    (
        "Make an application",
        "Open Discord's developer portal, sign in, press New Application and give it the name under which your "
        "familiar is to speak.",
    ),
    (
        "Copy its token",
        "On the page Bot press Reset Token, and copy what is shown. Whoever has it can speak as your bot, so keep it "
        "to yourself.",
    ),
    (
        "Connect",
        "Paste the token here. Until you press Connect, nothing is sent anywhere.",
    ),
    (
        "Invite it",
        "Once it is connected, this page has a link that takes the bot into a server of yours, with the few rights it "
        "needs. Then switch on the channels in which it is to listen.",
    ),
)


class GuidePage(PageScroll):
    """`connect` is called with what was typed, `portal` opens the developer portal, `back` leaves the page."""

    def __init__(
        self,
        theme: Theme,
        connect: Callable[[str], object],
        portal: Callable[[], object],
        back: Callable[[], object],
    ) -> None:
        super().__init__()
        self._theme, self._connect = theme, connect
        self.setAccessibleName("How to connect to Discord")
        self.field = PasswordField(theme, "Token of the bot")
        self.token = LabelledField("Token of the bot", self.field, hint=_HINT)
        self.field.textChanged.connect(self._typed)
        self.field.returnPressed.connect(self._press)
        self.portal = button("Open the developer portal", portal, theme=theme, icon="link")
        self.connect_button = button("Connect", self._press, role="primary")
        self.connect_button.setEnabled(False)
        self.back = button("Keep the token there is", back)
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
            self._page.addLayout(self._step(number, title, text))
        self._page.addStretch(1)
        self.show_page(self._theme, self._page, WIDTH)

    def _step(self, number: int, title: str, text: str):
        made, words = row(spacing=12), column(spacing=4)
        sign = label(str(number), "title")
        sign.setFixedWidth(self._theme.px(24))
        words.addWidget(label(title, "strong", wrap=True))
        words.addWidget(label(text, "quiet", wrap=True))
        if number == 1:
            words.addWidget(self.portal, 0, Qt.AlignmentFlag.AlignLeft)
        if number == 3:
            words.addSpacing(4)
            words.addWidget(self.token)
            holder = QWidget()
            flow = FlowLayout(holder, spacing=8)
            flow.addWidget(self.connect_button)
            flow.addWidget(self.back)
            words.addWidget(holder)
        made.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        made.addLayout(words, 1)
        return made

    def show_for(self, name: str, *, renewing: bool) -> None:
        """Speak of a familiar that has no bot, or one whose token is to be replaced."""
        self._title.setText(f"A new token for {name}" if renewing else f"{name} on Discord")
        lead = f"{name} can listen and speak on your Discord server while this program runs."
        self._lead.setText("The token there was stays in use until you press Connect." if renewing else lead)
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

    def _press(self) -> None:
        if self.field.text().strip():
            self._connect(self.field.text())
