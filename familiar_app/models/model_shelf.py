"""The models of a profile: the files in its folder, what each needs, and which were begun and not ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from familiar_app.domain.errors import FamiliarError, UserError
from familiar_app.domain.model_catalogue import is_model_file_name, needed_memory
from familiar_app.domain.text import tr
from familiar_app.models.download_part import Unfinished, discard_part, disk, unfinished
from familiar_app.models.llama_fit import built_in_memory_bytes, read_model_file

FOLDER = "models"


@dataclass(frozen=True, slots=True)
class ShelvedModel:
    """A model's file. `memory_bytes` is with a context of 8,192 tokens; `problem` says why it cannot be used, or ""."""

    path: Path
    size_bytes: int
    memory_bytes: int | None
    context_tokens: int | None
    problem: str = ""

    @property
    def file(self) -> str:
        return self.path.name


class ModelShelf:
    """The folder of models below a profile. Methods block briefly; the window calls them on a thread."""

    def __init__(self, profile_dir: Path) -> None:
        self.folder = profile_dir / FOLDER

    def models(self) -> list[ShelvedModel]:
        """Return the files that are here, by name. Raises OutsideError."""
        with disk(self.folder):
            files = sorted(self.folder.iterdir()) if self.folder.is_dir() else []
        return [_shelved(path) for path in files if is_model_file_name(path.name) and path.is_file()]

    def unfinished(self) -> list[Unfinished]:
        """Return the downloads that were begun and not ended. Raises OutsideError."""
        return unfinished(self.folder)

    def path_of(self, file: str) -> Path:
        """Return where a file lies, or would lie. Raises UserError for a name that no model here can have."""
        if not is_model_file_name(file):
            raise UserError(tr("This is no name of a model's file."), tr("'familiar model list' lists the models."))
        return self.folder / file

    def remove(self, file: str) -> None:
        """Delete a file, and what was begun of it. Raises UserError where there is neither, OutsideError."""
        path = self.path_of(file)
        begun = any(one.file == file for one in self.unfinished())
        if not path.is_file() and not begun:
            raise UserError(tr("There is no such model here."), tr("'familiar model list' lists the models."))
        with disk(path):
            path.unlink(missing_ok=True)
        discard_part(self.folder, file)


def _shelved(path: Path) -> ShelvedModel:
    size = path.stat().st_size
    try:
        header = read_model_file(path)
    except FamiliarError as error:
        return ShelvedModel(path, size, None, None, error.message)
    memory = needed_memory(header.size_bytes, header.kv_bytes_per_token)
    return ShelvedModel(path, size, memory, header.trained_context_tokens)


def fits_memory(memory_bytes: int) -> bool | None:
    """Tell whether this computer has that much memory built in, None where it does not say."""
    built_in = built_in_memory_bytes()
    return None if built_in is None else memory_bytes <= built_in
