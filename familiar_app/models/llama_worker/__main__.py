"""Entry of the worker: `python -m familiar_app.models.llama_worker`, with frames on standard input and output."""

from __future__ import annotations

from familiar_app.models.llama_worker.service import main

main()
