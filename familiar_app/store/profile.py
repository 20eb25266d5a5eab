"""The profile folder: settings and canon, in files that people may read and edit. Nothing in them is secret.

Changed files are written beside the old ones and moved into place, after their content was checked as a whole.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs

from familiar_app.domain.card import CharacterCard, parse_card_markdown, render_card_markdown
from familiar_app.domain.errors import BadInputError, OutsideError, UserError
from familiar_app.domain.ids import FamiliarId, is_familiar_id
from familiar_app.domain.setting_error import Source
from familiar_app.domain.settings import (
    CharacterConfig,
    ModelSlot,
    ProfileSettings,
    model_slot_from_spec,
    parse_config,
    parse_profile_settings,
)
from familiar_app.domain.text import tr
from familiar_app.store.fault import not_removed, translated
from familiar_app.store.lore_place import LorePlace, lore_places
from familiar_app.store.portable import portable_profile, program_folder
from familiar_app.store.resource import resource
from familiar_app.store.toml_file import MAX_FILE_SIZE_BYTES, parse_toml, read_text, with_changes
from familiar_app.store.written_file import sync_folder, write_atomically

KEPT_CARD = "character.kept.zip"
LEAVING = "leaving"
"""The empty file in the folder of a familiar that is being erased."""
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_MAX_AVATAR_SIZE_BYTES = 32 * 1024 * 1024
_SETTINGS_HEAD = "# What this profile does differently from the shipped settings.\n"
_CONFIG_HEAD = "# What this familiar does differently from the shipped settings.\n"


def default_profile_folder() -> Path:
    """Return the profile that the program carries about, else the folder the system sets aside for programs' data."""
    return portable_profile(program_folder()) or Path(
        platformdirs.user_data_dir("familiar", appauthor=False, roaming=False)
    )


def shipped_config() -> CharacterConfig:
    """Return what a familiar has that says nothing else."""
    shipped = resource("defaults", "character.toml")
    return parse_config([(shipped.name, parse_toml(read_text(shipped), shipped))])


def slot_from_spec(spec: str, *, api_key_secret: str = "") -> ModelSlot:
    """Return the slot that a new familiar with this model SPEC would get. Raises UserError for a bad SPEC."""
    shipped = resource("defaults", "character.toml")
    chosen = {**model_slot_from_spec(spec), "api_key_secret": api_key_secret}
    defaults: Source = (shipped.name, parse_toml(read_text(shipped), shipped))
    sources: list[Source] = [defaults, ("model", {"models": {"prose": chosen}})]
    return parse_config(sources).models.prose


class Profile:
    """The files of one profile. Methods block briefly; the window calls them in a thread."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.vault_path = root / "vault.db"
        self.log_dir = root / "logs"
        self._settings_path = root / "settings.toml"
        self._changing = threading.RLock()

    def exists(self) -> bool:
        """Tell whether there is a vault here, or a link that once led to one.

        Raises OutsideError where the folder may not be looked into: that is no reason to make a new vault.
        """
        try:
            self.vault_path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise OutsideError(
                tr(
                    "The folder {folder} cannot be read: {reason}.",
                    folder=self.root,
                    reason=error.strerror or type(error).__name__,
                ),
                tr("Give yourself permission there, or choose another folder with --profile-dir."),
            ) from error
        return True

    def settings(self) -> ProfileSettings:
        """Return the profile's settings over the shipped ones. Raises BadInputError naming file, key and reason."""
        return self._check_settings(self._text(self._settings_path))

    def save_settings(self, changes: Mapping[str, Any]) -> ProfileSettings:
        """Change settings by dotted keys; None goes back to the shipped value. Written only if all of it is good."""
        with self._changing:
            text = with_changes(self._text(self._settings_path) or _SETTINGS_HEAD, changes, self._settings_path)
            settings = self._check_settings(text)
            with translated(self._settings_path):
                self.root.mkdir(parents=True, exist_ok=True)
                write_atomically(self._settings_path, text.encode("utf-8"))
            return settings

    def familiars(self) -> list[FamiliarId]:
        """Return the familiars with files here, in the order of the settings, the others behind them by name."""
        folder = self.root / "familiars"
        if not folder.is_dir():
            return []
        with translated(folder):
            found = {
                FamiliarId(entry.name)
                for entry in folder.iterdir()
                if is_familiar_id(entry.name) and (entry / "character.md").is_file()
            }
        ordered = [familiar for familiar in dict.fromkeys(self.settings().familiars) if familiar in found]
        return [*ordered, *sorted(found.difference(ordered))]

    def config(self, id: FamiliarId) -> CharacterConfig:  # noqa: A002
        """Return a familiar's configuration over the shipped one. Raises BadInputError as `settings`."""
        path = self._file(id, "character.toml")
        return self._check_config(self._text(path), path)

    def save_config(self, id: FamiliarId, changes: Mapping[str, Any]) -> CharacterConfig:  # noqa: A002
        """Change a familiar's configuration as `save_settings` does."""
        path = self._file(id, "character.toml")
        with self._changing:
            text = with_changes(self._text(path) or _CONFIG_HEAD, changes, path)
            config = self._check_config(text, path)
            with translated(path):
                write_atomically(path, text.encode("utf-8"))
            return config

    def card(self, id: FamiliarId) -> CharacterCard:  # noqa: A002
        """Return a familiar's card. Raises UserError where there is none, BadInputError where it cannot be read."""
        path = self._file(id, "character.md")
        if not path.is_file():
            raise UserError(
                tr("The familiar {familiar} has no character.md.", familiar=id),
                tr("Import a card, or make the familiar again."),
            )
        return parse_card_markdown(read_text(path))

    def save_card(self, id: FamiliarId, card: CharacterCard) -> None:  # noqa: A002
        """Replace a familiar's card."""
        path = self._file(id, "character.md")
        markdown = _rendered(card)
        with self._changing, translated(path):
            write_atomically(path, markdown)

    def avatar(self, id: FamiliarId) -> Path | None:  # noqa: A002
        """Return where a familiar's picture lies, or None."""
        path = self._file(id, "avatar.png")
        return path if path.is_file() else None

    def save_avatar(self, id: FamiliarId, png: bytes) -> None:  # noqa: A002
        """Replace a familiar's picture. Raises BadInputError where it is not a PNG or larger than 32 MB."""
        if not png.startswith(_PNG_SIGNATURE) or len(png) > _MAX_AVATAR_SIZE_BYTES:
            raise BadInputError(
                tr("the picture is not a PNG of at most 32 MB."),
                source=tr("picture"),
                next_step=tr("Choose another picture."),
            )
        path = self._file(id, "avatar.png")
        with self._changing, translated(path):
            write_atomically(path, png)

    def kept_card_place(self, id: FamiliarId) -> Path:  # noqa: A002
        """Return where that lies which was kept of a card, or would lie."""
        return self._file(id, KEPT_CARD)

    def kept_card(self, id: FamiliarId) -> bytes | None:  # noqa: A002
        """Return what was kept of the card that a familiar's own came from."""
        path = self.kept_card_place(id)
        with translated(path):
            return path.read_bytes() if path.is_file() else None

    def save_kept_card(self, id: FamiliarId, kept: bytes | None) -> None:  # noqa: A002
        """Replace what was kept of a card; None keeps nothing."""
        path = self.kept_card_place(id)
        with self._changing, translated(path):
            if kept is None:
                path.unlink(missing_ok=True)
            else:
                write_atomically(path, kept)

    def lorebook(self, id: FamiliarId) -> Path:  # noqa: A002
        """Return where a familiar's own lorebook lies, or would lie."""
        return self._file(id, "lorebook.toml")

    def save_lorebook(self, id: FamiliarId, toml: bytes) -> None:  # noqa: A002
        """Write a familiar's own lorebook for the first time. Raises UserError where it has one."""
        path = self.lorebook(id)
        if path.exists():
            raise UserError(
                tr("The familiar {familiar} has a lorebook already.", familiar=id), tr("Import the other one into it.")
            )
        with self._changing, translated(path):
            write_atomically(path, toml)

    def lorebooks(self, id: FamiliarId, config: CharacterConfig | None = None) -> tuple[LorePlace, ...]:  # noqa: A002
        """Return the files of every lorebook of a familiar: its own, those of its channels, and `lorebooks/*.toml`.

        Its configuration is read where it is not given. Raises OutsideError, BadInputError.
        """
        folder = self.root / "lorebooks"
        with translated(folder):
            shared = sorted(path for path in folder.glob("*.toml") if path.is_file())
        return lore_places(self.lorebook(id), shared, self.config(id) if config is None else config)

    def add_familiar(
        self,
        id: FamiliarId,  # noqa: A002
        card: CharacterCard,
        config_changes: Mapping[str, Any],
        lineage: str,
    ) -> None:
        """Make a familiar's folder with card and configuration: all of it, or nothing."""
        folder = self._file(id, "character.md").parent
        # A folder whose name is no id is never taken for a familiar.
        making = folder.with_name(f".{id}.new")
        with self._changing:
            if folder.exists():
                raise UserError(
                    tr("There is already a familiar {familiar}.", familiar=id), tr("Choose another id with --id.")
                )
            config_path = folder / "character.toml"
            text = with_changes(_CONFIG_HEAD, {"lineage": lineage, **config_changes}, config_path)
            self._check_config(text, config_path)
            markdown = _rendered(card)
            with translated(folder):
                shutil.rmtree(making, ignore_errors=True)
                try:
                    making.mkdir(parents=True)
                    write_atomically(making / "character.toml", text.encode("utf-8"))
                    write_atomically(making / "character.md", markdown)
                    making.rename(folder)
                except BaseException:
                    shutil.rmtree(making, ignore_errors=True)
                    raise
                sync_folder(folder.parent)

    def discard_familiar(self, id: FamiliarId) -> None:  # noqa: A002
        """Remove the folder of a familiar: only for one that was made a moment ago and never handed out."""
        folder = self._file(id, "character.md").parent
        with self._changing, translated(folder):
            # Its new name is no id, so that what a kill leaves of it is never taken for a familiar.
            going = folder.with_name(f".{id}.new")
            try:
                shutil.rmtree(going, ignore_errors=True)
                folder.rename(going)
                shutil.rmtree(going)
            except OSError as error:
                raise not_removed(going if going.exists() else folder, error) from error

    def mark_leaving(self, id: FamiliarId) -> None:  # noqa: A002
        """Note in a familiar's folder that it is being erased, so that a kill cannot keep it half."""
        mark = self._file(id, LEAVING)
        with self._changing, translated(mark):
            write_atomically(mark, b"")

    def leaving(self) -> list[FamiliarId]:
        """Return the familiars whose erasure has begun."""
        return [familiar for familiar in self.familiars() if self._file(familiar, LEAVING).exists()]

    def remove_familiar(self, id: FamiliarId) -> None:  # noqa: A002
        """Remove a familiar's id from the settings, and then its folder, which may be held open by others."""
        settings = self.settings()
        changes: dict[str, Any] = {}
        if id in settings.familiars:
            changes["familiars"] = [one for one in settings.familiars if one != id]
        if settings.last_familiar == id:
            changes["last_familiar"] = None
        if changes:
            self.save_settings(changes)
        self.discard_familiar(id)

    def clear_unfinished(self) -> None:
        """Remove what a kill left of folders that were being made or removed. Only while nobody makes any."""
        folder = self.root / "familiars"
        with self._changing, translated(folder):
            for left in folder.glob(".*.new"):
                shutil.rmtree(left)

    def _file(self, familiar: FamiliarId, name: str) -> Path:
        if not is_familiar_id(familiar):
            raise BadInputError(
                tr("{familiar!r} cannot be the id of a familiar.", familiar=familiar),
                field="id",
                next_step=tr("Use small letters, digits, - and _, beginning with a letter or digit."),
            )
        return self.root / "familiars" / familiar / name

    def _text(self, path: Path) -> str:
        return read_text(path) if path.exists() else ""

    def _check_settings(self, text: str) -> ProfileSettings:
        shipped = resource("defaults", "settings.toml")
        own = (str(self._settings_path), parse_toml(text, self._settings_path))
        return parse_profile_settings([(shipped.name, parse_toml(read_text(shipped), shipped)), own])

    def _check_config(self, text: str, path: Path) -> CharacterConfig:
        shipped = resource("defaults", "character.toml")
        own = (str(path), parse_toml(text, path))
        return parse_config([(shipped.name, parse_toml(read_text(shipped), shipped)), own])


def _rendered(card: CharacterCard) -> bytes:
    """Return a card as its file holds it. Raises BadInputError where that could not be read again."""
    with translated(Path("character.md")):
        data = render_card_markdown(card).encode("utf-8")
    if len(data) > MAX_FILE_SIZE_BYTES:
        raise BadInputError(
            tr("a character card has at most 4 MB of text."), source=tr("the card"), next_step=tr("Shorten it.")
        )
    return data
