"""A familiar's card while it is edited: what is stored, what was changed, and what happened to the file meanwhile.

Without Qt. Listeners hear `card` (show everything anew), `state` (changed or not, the note), and `tokens`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from familiar_app.domain.card import CharacterCard, parse_card_markdown, render_card_markdown
from familiar_app.domain.errors import FamiliarError, UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.character.field import changed_fields, counted_texts, with_text
from familiar_app.ui.character.importing import Import, import_of, take_companions

if TYPE_CHECKING:
    from familiar_app.services import Gate, Services
    from familiar_app.store.profile import Profile
    from familiar_app.ui.kit.parts import ReadCard

Undo = Callable[[], Awaitable[object]]
COUNT_TIMEOUT_S = 10.0
MOST_CHARS = 400_000


class CharacterModel:
    """The card of one familiar. `conflict` tells that the file and the form were both changed."""

    def __init__(self, services: Services, gate: Gate | None, familiar: FamiliarId) -> None:
        self._services, self._gate = services, gate
        self.familiar = familiar
        self.stored = CharacterCard()
        self.draft = CharacterCard()
        self.tokens: dict[str, int] = {}
        self.exact = True
        self.loaded = False
        self.conflict = False
        self.offer_undo: Callable[[str, Undo], object] = lambda _text, _undo: None
        self.reloaded: Callable[[], object] = lambda: None
        self._listeners: list[Callable[[str], object]] = []
        self._saving = asyncio.Lock()

    def watch(self, listener: Callable[[str], object]) -> None:
        """Call `listener` with a word after each change."""
        self._listeners.append(listener)

    def _tell(self, what: str) -> None:
        for listener in list(self._listeners):
            listener(what)

    @property
    def changed(self) -> bool:
        """Tell whether something was typed that is not stored."""
        return self.loaded and self.draft != self.stored

    @property
    def total_tokens(self) -> int:
        """Tokens of what is always part of the prompt; greetings and examples come and go."""
        optional = {"first_message", "example_dialogue"}
        return sum(
            count for name, count in self.tokens.items() if name not in optional and not name.startswith("greeting_")
        )

    async def load(self) -> None:
        """Read the card; what was typed and not stored is kept."""
        found = await asyncio.to_thread(self._services.profile.card, self.familiar)
        if self.changed:
            return
        self.stored = self.draft = found
        self.loaded, self.conflict = True, False
        self._tell("card")
        await self.count()

    def put(self, name: str, text: str) -> None:
        """Change the text of a field in the draft."""
        self._draft(with_text(self.draft, name, text))

    def put_greeting(self, number: int, text: str) -> None:
        """Change an alternate greeting in the draft."""
        greetings = list(self.draft.alternate_greetings)
        greetings[number] = text
        self._draft(replace(self.draft, alternate_greetings=tuple(greetings)))

    def add_greeting(self) -> None:
        """Add an empty alternate greeting."""
        self._draft(replace(self.draft, alternate_greetings=(*self.draft.alternate_greetings, "")), show=True)

    def remove_greeting(self, number: int) -> None:
        """Take an alternate greeting out; offered back at once."""
        before = self.draft
        greetings = [text for at, text in enumerate(before.alternate_greetings) if at != number]
        self._draft(replace(before, alternate_greetings=tuple(greetings)), show=True)
        self.offer_undo(tr("Greeting removed."), lambda: self._put_back(before))

    def put_markdown(self, text: str) -> None:
        """Take the whole draft from Markdown."""
        self._draft(parse_card_markdown(text))

    def markdown(self) -> str:
        """Return the draft as it would stand in `character.md`."""
        return render_card_markdown(self.draft)

    def _draft(self, card: CharacterCard, *, show: bool = False) -> None:
        if card != self.draft:
            self.draft = card
            self._tell("card" if show else "state")

    async def _put_back(self, card: CharacterCard) -> None:
        self._draft(card, show=True)

    def discard(self) -> None:
        """Go back to what is stored; offered back at once."""
        before = self.draft
        self.conflict = False
        self._draft(self.stored, show=True)
        self._tell("state")
        self.offer_undo(tr("Changes dropped."), lambda: self._put_back(before))

    async def save(self, *, over_file: bool = False) -> None:
        """Store the draft and have the familiar use it.

        Raises UserError where the name is empty or where the file was changed by somebody else meanwhile (then
        `over_file` stores all the same).
        """
        if not self.changed:
            return
        async with self._saving:
            card, before = self.draft, self.stored
            self._check(card)
            on_disk = await asyncio.to_thread(self._services.profile.card, self.familiar)
            if on_disk != before and not over_file:
                self.conflict = True
                self._tell("state")
                raise UserError(
                    tr("character.md was changed outside this window."), tr("Use the file, or keep what is here.")
                )
            await self._store(card)
        fields = changed_fields(on_disk, card)
        what = ntr("{field} changed.", "{n} fields changed.", len(fields), field=fields[0] if fields else "")
        self.offer_undo(what, lambda: self._restore(on_disk))

    def _check(self, card: CharacterCard) -> None:
        if not card.name.strip():
            raise UserError(tr("A familiar needs a name."), tr("Fill in the field Name."))
        length = len(render_card_markdown(card))
        if length > MOST_CHARS:
            reason = tr("This card has {count} characters; {most} are the most.", count=length, most=MOST_CHARS)
            raise UserError(reason, tr("Shorten a field."))

    async def _store(self, card: CharacterCard) -> None:
        await asyncio.to_thread(self._services.profile.save_card, self.familiar, card)
        self.stored = card
        self.conflict = False
        self._tell("state")
        if self._gate is not None:
            await self._gate.reload_familiar(self.familiar)
        self.reloaded()

    async def _restore(self, card: CharacterCard, picture: bytes | None = None) -> None:
        if picture is not None:
            await asyncio.to_thread(self._services.profile.save_avatar, self.familiar, picture)
        self.draft = card
        await self._store(card)
        self._tell("card")
        await self.count()

    # ---- the file meanwhile

    async def check_file(self) -> bool:
        """Look whether the file was changed outside: take it over, or note the conflict. Tells whether it was."""
        if not self.loaded or self._saving.locked():
            return False
        found = await asyncio.to_thread(self._services.profile.card, self.familiar)
        if found == self.stored or self._saving.locked():
            return False
        if self.changed and found != self.draft:
            self.conflict = True
            self._tell("state")
            return True
        self.stored = self.draft = found
        self.conflict = False
        if self._gate is not None:
            await self._gate.reload_familiar(self.familiar)
        self.reloaded()
        self._tell("card")
        await self.count()
        return True

    async def use_file(self) -> None:
        """Give up what was typed for what the file says; offered back at once."""
        before = self.draft
        self.stored = self.draft = await asyncio.to_thread(self._services.profile.card, self.familiar)
        self.conflict = False
        if self._gate is not None:
            await self._gate.reload_familiar(self.familiar)
        self.reloaded()
        self._tell("card")
        self.offer_undo(tr("Read from the file."), lambda: self._put_back(before))
        await self.count()

    # ---- tokens

    async def count(self) -> None:
        """Count the tokens of each field with the model's own tokenizer, where it is at hand."""
        texts = counted_texts(self.draft)
        model = self._services.familiars[self.familiar].prose
        self.exact = model.info.exact_tokens
        try:
            counts = await asyncio.wait_for(model.count_tokens(list(texts.values())), COUNT_TIMEOUT_S)
        except (FamiliarError, TimeoutError):
            # The model has its own place where its failure is shown; a guess is better than no number here.
            self.exact = False
            counts = [max(1, round(len(text) / 3.8)) if text else 0 for text in texts.values()]
        self.tokens = dict(zip(texts, counts, strict=True))
        self._tell("tokens")

    # ---- picture and import

    @property
    def profile(self) -> Profile:
        """Where the card, its picture and its lorebook are."""
        return self._services.profile

    def picture(self) -> Path | None:
        """Return where the picture lies."""
        return self._services.profile.avatar(self.familiar)

    async def put_picture(self, png: bytes) -> None:
        """Store another picture."""
        before = await asyncio.to_thread(self._picture_bytes)
        await asyncio.to_thread(self._services.profile.save_avatar, self.familiar, png)
        self.reloaded()
        self._tell("card")
        if before is not None:
            self.offer_undo(tr("Picture changed."), lambda: self.put_picture(before))

    def _picture_bytes(self) -> bytes | None:
        path = self.picture()
        return path.read_bytes() if path is not None else None

    async def read_import(self, path: Path, read_card: Callable[[Path], ReadCard]) -> Import:
        """Read a card from a file; nothing is changed yet. Raises BadInputError with the file and the reason."""
        found = await asyncio.to_thread(read_card, path)
        return await asyncio.to_thread(import_of, path, found, self.draft)

    async def use_import(self, found: Import, *, picture: bool, lorebook: bool = True) -> None:
        """Store an imported card; its picture and its lorebook too, where they are wanted."""
        self._check(found.card)
        profile = self._services.profile
        before, before_picture = self.stored, await asyncio.to_thread(self._picture_bytes)
        companions = await asyncio.to_thread(take_companions, profile, self.familiar, found, lorebook=lorebook)
        new_picture = found.avatar_png if picture else None
        await self._restore(found.card, new_picture)
        old = before_picture if new_picture is not None else None
        added = companions.taken.merged.added if companions.taken is not None else 0
        what = tr("Card imported.")
        if added:
            what = ntr("Card imported, with {n} lorebook entry.", "Card imported, with {n} lorebook entries.", added)

        async def undo() -> None:
            await asyncio.to_thread(companions.undo, profile, self.familiar)
            await self._restore(before, old)

        self.offer_undo(what, undo)
