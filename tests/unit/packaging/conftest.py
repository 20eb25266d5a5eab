"""Lets the tests import what lies in `packaging/`, which is a folder of scripts and no package."""

from __future__ import annotations

import sys
from pathlib import Path

SCRIPTS = str(Path(__file__).parents[3] / "packaging")
if SCRIPTS not in sys.path:
    sys.path.append(SCRIPTS)
