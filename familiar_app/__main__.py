"""Starts the program: `python -m familiar_app`, or the `familiar` command."""

from __future__ import annotations

import sys

from familiar_app.bootstrap.main import main

if __name__ == "__main__":
    sys.exit(main())
