"""What `project` says while it works."""

from __future__ import annotations

import pytest

from familiar_app.cli.project_command import progress_text


@pytest.mark.parametrize(("ticks", "told"), [(1, "1 piece"), (2, "2 pieces"), (1200, "1,200 pieces")])
def test_progress_counts_pieces_of_work(ticks: int, told: str) -> None:
    assert progress_text("rich_note", ticks) == f"rich_note: {told} of work done."
