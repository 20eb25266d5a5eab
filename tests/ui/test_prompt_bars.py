"""The bars of the prompts panel: what they show is told in figures and words, and twelve layers are told apart."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from familiar_app.bootstrap.loop import run
from familiar_app.ui.kit.hue_mark import paint_mark
from familiar_app.ui.kit.layer_bar import BarPiece, LayerBar
from familiar_app.ui.kit.theme import SUBJECTS, Theme
from familiar_app.ui.prompts.sheet import sheet_of
from familiar_app.ui.prompts.sheet_view import SheetView
from familiar_app.ui.prompts.stack import stack_of
from familiar_app.ui.prompts.stack_view import StackView
from tests.ui.test_prompts import Scene
from tests.unit.ui.prompts.stage import START, long_trace, make_stage

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def marked(theme: Theme, hue: int, width: int = 24, height: int = 6) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    paint_mark(painter, QRectF(0, 0, width, height), theme, hue, ground="background_1")
    painter.end()
    return image


@pytest.mark.parametrize("size", [(24, 6), (10, 10), (4, 40)])
def test_twelve_layers_have_twelve_marks(theme: Theme, size: tuple[int, int]) -> None:
    marks = [marked(theme, hue, *size) for hue in range(2 * SUBJECTS)]
    assert not any(one == other for at, one in enumerate(marks) for other in marks[:at])


def test_every_layer_can_be_seen_in_the_bar_of_all_and_none_lies_over_another(qtbot, theme: Theme) -> None:
    bar = LayerBar(theme)
    qtbot.addWidget(bar)
    bar.resize(300, 10)
    tokens = (4000, 1, 0, 12, 3)
    bar.show_pieces([BarPiece("", one, hue) for hue, one in enumerate(tokens)], context=8192, answer=512)
    spans = bar.spans()
    assert [span.width() >= 3 for span in spans] == [True, True, False, True, True]
    assert all(left.right() <= right.left() for left, right in pairwise(spans))
    assert spans[-1].right() <= 300 * (1 - 512 / 8192)
    bar.show_pieces([BarPiece("", one, hue) for hue, one in enumerate((7677, 1, 1, 1))], context=8192, answer=512)
    assert bar.spans()[-1].right() <= 300


@pytest.mark.parametrize("zoom", [1.0, 1.25, 1.5])
@pytest.mark.parametrize("width", [200, 300, 460, 900])
def test_the_parts_of_a_layer_s_row_stand_beside_each_other(qtbot, theme: Theme, width: int, zoom: float) -> None:
    theme.set_zoom(zoom)
    listed = StackView(theme)
    qtbot.addWidget(listed)
    listed.show_stack(stack_of(long_trace(START)), "")
    listed.resize(width, 200)
    box = listed.rect()
    places = listed.shape_of_rows.places(box)
    parts = [part for part in (places.mark, places.name, places.bar, places.percent, places.told) if part is not None]
    assert all(left.right() < right.left() for left, right in pairwise(parts))
    assert parts[0].left() >= box.left()
    assert parts[-1].right() <= box.right()
    assert (places.bar is not None) == (width > 300)


def test_what_the_bars_mean_is_said_above_them_and_each_names_its_figures(tmp_path: Path, theme: Theme, qapp) -> None:
    async def main() -> None:
        stage = await make_stage(tmp_path)
        await stage.fill(1, background=0)
        trace = await stage.vault.traces.put(long_trace(START))
        scene = await Scene(stage, theme).ready()
        await scene.open(int(trace))
        middle = scene.view.middle
        assert "how full a layer's own budget is" in middle.stack.head.toolTip()
        assert middle.stack.head.accessibleName() == middle.stack.head.toolTip()
        row = middle.stack.rows.index(middle.stack.rows.row_of("recent_history"))
        assert row.data(Qt.ItemDataRole.ToolTipRole).startswith("Recent history, 3,210 of 8,000 tokens, 40 % of its")
        assert scene.view.listed.rows.index(0).data(Qt.ItemDataRole.ToolTipRole).startswith("Reply · SmolLM2-135M ·")
        await scene.close()

    run(main(), app=qapp)


def test_the_margin_shows_the_longest_name_and_names_what_a_click_folds(qtbot, theme: Theme) -> None:
    view = SheetView(theme)
    qtbot.addWidget(view)
    view.resize(700, 400)
    view.show()
    view.show_sheet(sheet_of(long_trace(START)))
    names = view.fontMetrics().horizontalAdvance("conversation summary")
    assert view.margin.width() > names * 0.8
    run_there = view.margin.run_at(QPoint(5, view.cursorRect().top() + view.fontMetrics().height() * 2))
    assert run_there is not None
    assert run_there.layer == "character_card"
