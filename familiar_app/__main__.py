"""Starts the program: `python -m familiar_app`, or the `familiar` command.

A packed program is its own interpreter: it starts itself with `--llama-worker` for the process that runs a model.
"""

from __future__ import annotations

import sys

INTERRUPTED = 130


def main() -> int:
    """Run the program, or the process of a model, and return the exit code."""
    try:
        return _run()
    except KeyboardInterrupt:  # while the parts are still being loaded; later each command ends in its own way
        return INTERRUPTED


def _run() -> int:
    if sys.argv[1:] == ["--llama-worker"]:
        from familiar_app.models.llama_worker.service import main as serve_model

        serve_model()
        return 0
    from familiar_app.bootstrap.main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
