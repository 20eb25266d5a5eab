"""What the Timeline shows, without Qt: two instants on two clocks, the window of time, the filter, what is chosen.

All state is here; widgets show it and pass on. Listeners hear `facts` (other facts or texts), `lanes` (other lanes or
heights), `moment` (an instant moved), `window` (another stretch of time), `chosen`, `hovered`, `marks`, `playing` and
`view`. Times are microseconds since 1970.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from typing import Literal

import numpy as np

from familiar_app.domain.fact import FactId
from familiar_app.store.fact_span import Column, FactSpans, FactWording, rows_among
from familiar_app.store.schema_memory import NEVER
from familiar_app.ui.timeline.delta import NOTHING, Delta, delta
from familiar_app.ui.timeline.lane import Axis, Lanes, extent
from familiar_app.ui.timeline.prepare import Filter, Prepared
from familiar_app.ui.timeline.scale import clamped
from familiar_app.ui.timeline.span_index import Mask, Moment, SpanIndex
from familiar_app.ui.timeline.time_window import TimeWindow

Handle = Literal["as_of", "known_at"]
Shape = Literal["lanes", "square"]

BIG_STEP = 10
PLAY_STEPS = 160
"""Playing crosses the whole window in about this many steps, or goes from change to change where those are rarer."""
_EMPTY = np.empty(0, dtype=np.int64)


class TimelineModel(TimeWindow):
    """The state of one familiar's timeline. `now` tells the present instant."""

    def __init__(self, now: Callable[[], int], zone: tzinfo = UTC) -> None:
        super().__init__(now())
        self.now, self.zone = now, zone
        self.loaded = False
        self.index: SpanIndex | None = None
        self.lanes: Lanes | None = None
        self.texts: tuple[str, ...] = ()
        self.claims: Mask = np.empty(0, dtype=np.bool_)
        self.axis: Axis = "world"
        self.shape: Shape = "lanes"
        self.linked = True
        self.handle: Handle = "as_of"
        self.moment = Moment(now(), now())
        self.previous = self.moment
        self.at_now = True
        self.filter = Filter()
        self.among: Mask | None = None
        self.chosen: tuple[FactId, ...] = ()
        self.hovered: FactId | None = None
        self.playing = False
        self.marks: dict[str, Moment] = {}
        self._state: Mask | None = None
        self._believed: Mask | None = None
        self._delta: Delta | None = None
        self._edges: tuple[object, Column] | None = None
        self._drag_from: Moment | None = None

    # ---- facts

    @property
    def spans(self) -> FactSpans | None:
        return None if self.index is None else self.index.spans

    @property
    def size(self) -> int:
        """How many facts there are, whatever the filter."""
        return 0 if self.index is None else len(self.index.spans)

    def take(self, made: Prepared) -> None:
        """Show facts that were read; the person's place, choice and opened lanes stay where they can."""
        index, lanes, among = made.index, made.lanes, made.among
        if self.lanes is not None:
            lanes.opened, lanes.closed = self.lanes.opened, self.lanes.closed
        if self.spans is None or not np.array_equal(self.spans.ids, index.spans.ids):
            self.texts, self.claims = (), np.zeros(len(index.spans), dtype=np.bool_)
        first = not self.loaded
        self.index, self.lanes, self.among, self.loaded = index, lanes, among, True
        if self.at_now:
            self.moment = Moment(self.now(), self.now())
            self.previous = self.moment if first else self.previous
        self.frame(*extent(index.spans, self.now()), anew=first)
        before, self.chosen = self.chosen, tuple(one for one in self.chosen if self.row_of(one) >= 0)
        self._forget()
        for what in ("facts", "lanes", "window", "moment", *(("chosen",) if self.chosen != before else ())):
            self.tell(what)

    def take_wording(self, wording: FactWording) -> None:
        """Show texts; those of facts that are not shown are passed over."""
        spans = self.spans
        if spans is None:
            return
        if np.array_equal(wording.ids, spans.ids):
            self.texts, self.claims = wording.texts, wording.claims
        else:
            # Facts were stored or scrubbed between the two reads.
            at = rows_among(wording.ids, spans.ids)
            self.texts = tuple(wording.texts[one] if one >= 0 else "" for one in at.tolist())
            self.claims = np.array([one >= 0 and bool(wording.claims[one]) for one in at.tolist()], dtype=np.bool_)
        self.tell("facts")

    def text(self, row: int) -> str:
        """Return what the fact of a row says, nothing while texts are being read."""
        return self.texts[row] if row < len(self.texts) else ""

    def row_of(self, fact: FactId) -> int:
        """Return the row of a fact, -1 where it is not shown."""
        return -1 if self.spans is None else int(rows_among(self.spans.ids, np.array([fact], np.int64))[0])

    def rows_of(self, facts: Sequence[FactId]) -> Column:
        """Return the rows of facts, those that are not shown left out."""
        if self.spans is None:
            return _EMPTY
        rows = rows_among(self.spans.ids, np.array(facts, dtype=np.int64))
        return rows[rows >= 0]

    def believed_now(self, facts: Sequence[FactId]) -> int:
        """Count which of these facts are believed to this day."""
        return 0 if self.index is None else int(self.index.believed_at(NEVER - 1)[self.rows_of(facts)].sum())

    def fact_at(self, row: int) -> FactId:
        return FactId(int(self.spans.ids[row])) if self.spans is not None else FactId(0)

    # ---- moments

    def state(self) -> Mask:
        """Return which facts hold at the present moment, within the filter."""
        if self._state is None:
            found = np.empty(0, np.bool_) if self.index is None else self.index.at(self.moment)
            self._state = found if self.among is None or self.index is None else found & self.among
        return self._state

    def believed(self) -> Mask | None:
        """Return which facts are believed at the present moment, None where that is not asked."""
        if self.index is None or self.moment.known_at is None:
            return None
        if self._believed is None:
            self._believed = self.index.believed_at(self.moment.known_at)
        return self._believed

    def rows(self) -> Column:
        """Return the rows that hold at the present moment, newest first."""
        return np.flatnonzero(self.state())[::-1]

    def delta(self) -> Delta:
        """Return what changed since the position before."""
        if self._delta is None:
            self._delta = NOTHING if self.index is None else delta(self.index, self.previous, self.moment, self.among)
        return self._delta

    def move(self, handle: Handle, at: int) -> None:
        """Move a handle; the other one goes along where they are linked."""
        at = clamped(at)
        if self.linked:
            self.go(Moment(at, at))
        else:
            old = self.moment
            self.go(Moment(at, old.known_at) if handle == "as_of" else Moment(old.as_of, at))

    def go(self, moment: Moment) -> None:
        """Look at a moment. While a handle is dragged, changes count from where the drag began."""
        if moment == self.moment:
            return
        if moment.as_of != moment.known_at:
            self.linked = False
        self.previous = self.moment if self._drag_from is None else self._drag_from
        self.moment, self.at_now = moment, False
        self._state = self._delta = self._believed = None
        self.tell("moment")

    def begin_drag(self) -> None:
        self._drag_from = self.moment

    def end_drag(self) -> None:
        self._drag_from = None

    def go_now(self) -> None:
        """Look at the present and stay with it."""
        self.go(Moment(self.now(), self.now()))
        self.linked = self.at_now = True
        self.tell("moment")

    def hold(self, handle: Handle) -> None:
        """Let the keys move one of the handles."""
        self.handle = handle
        self.tell("moment")

    def unlink(self) -> None:
        """Let each handle move on its own from now on."""
        if self.linked:
            self.link(False)

    def link(self, on: bool) -> None:
        """Chain the handles together; what was believed joins what was true."""
        self.linked = on
        if on and self.moment.as_of is not None:
            self.go(Moment(self.moment.as_of, self.moment.as_of))
        elif not on and self.moment.known_at is None:
            self.go(Moment(self.moment.as_of, self.now()))
        self.tell("moment")

    def ignore_beliefs(self) -> None:
        """Ask what was true by all that was ever believed."""
        self.linked = False
        self.go(Moment(self.moment.as_of, None))

    # ---- events

    def edges(self, handle: Handle = "as_of") -> Column:
        """Return the instants at which what is shown changes while a handle (or both) moves."""
        if self.index is None:
            return _EMPTY
        moving = "both" if self.linked else handle
        fixed = None if self.linked else (self.moment.known_at if handle == "as_of" else self.moment.as_of)
        key = (id(self.index), id(self.among), moving, fixed)
        if self._edges is None or self._edges[0] != key:
            self._edges = (key, self.index.edges(self.moment, moving, self.among))
        return self._edges[1]

    def step(self, direction: int, handle: Handle | None = None, *, count: int = 1) -> bool:
        """Go to the next change (1) or the one before (-1), several at once with `count`. False where there is none."""
        handle = self.handle if handle is None else handle
        edges, here = self.edges(handle), self._place(handle)
        if direction > 0:
            at = int(np.searchsorted(edges, here, side="right")) + count - 1
        else:
            at = int(np.searchsorted(edges, here, side="left")) - count
        if not len(edges) or (direction > 0 and here >= edges[-1]) or (direction < 0 and here <= edges[0]):
            return False
        self.move(handle, int(edges[max(0, min(len(edges) - 1, at))]))
        self.reveal(self._place(handle))
        return True

    def go_to_end(self, direction: int) -> None:
        """Go to the first change (-1) or the last (1)."""
        edges = self.edges(self.handle)
        if len(edges):
            self.move(self.handle, int(edges[0 if direction < 0 else -1]))
            self.reveal(self._place(self.handle))

    def play(self, on: bool) -> None:
        """Begin or stop moving through time; from the end it begins anew."""
        if on and not len(self.edges()):
            return
        if on and self._place("as_of") >= self.edges()[-1]:
            self.move("as_of", int(self.edges()[0]) - 1)
        self.playing = on
        self._drag_from = None
        self.tell("playing")

    def play_step(self) -> None:
        """Go on playing: to the next change, but not in smaller steps than the eye could follow."""
        here = self._place("as_of")
        edges = self.edges()
        least = here + (self.window[1] - self.window[0]) // PLAY_STEPS
        at = int(np.searchsorted(edges, here, side="right"))
        if at >= len(edges):
            self.play(False)
            return
        far = int(np.searchsorted(edges, least, side="right")) - 1
        self.move("as_of", int(edges[max(at, far)]))
        self.reveal(self._place("as_of"))

    def _place(self, handle: Handle) -> int:
        at = self.moment.as_of if handle == "as_of" else self.moment.known_at
        return self.now() if at is None else at

    # ---- looking

    def show_axis(self, axis: Axis, lanes: Lanes) -> None:
        """Draw the bars along a clock; `lanes` were made for it."""
        if self.lanes is not None:
            lanes.opened, lanes.closed = self.lanes.opened, self.lanes.closed
        self.axis, self.lanes = axis, lanes
        self.tell("lanes")

    def show_filter(self, wanted: Filter, made: Prepared) -> None:
        """Show only what a filter lets through."""
        self.filter, self.among = wanted, made.among
        self._forget()
        self.show_axis(self.axis, made.lanes)
        self.tell("moment")

    def show_shape(self, shape: Shape) -> None:
        if shape != self.shape:
            self.shape = shape
            self.tell("view")

    def toggle_lane(self, lane: int) -> bool:
        """Open or close a lane. False where it has too many facts to draw one by one."""
        done = self.lanes is not None and self.lanes.toggle(lane)
        if done:
            self.tell("lanes")
        return done

    def choose(self, facts: Sequence[FactId]) -> None:
        """Choose facts; the first one is shown at the side."""
        if tuple(facts) != self.chosen:
            self.chosen = tuple(facts)
            self.tell("chosen")

    def hover(self, fact: FactId | None) -> None:
        if fact != self.hovered:
            self.hovered = fact
            self.tell("hovered")

    def set_mark(self, name: str) -> None:
        """Remember the present moment as A or B, to be compared."""
        self.marks[name] = self.moment
        self.tell("marks")

    def _forget(self) -> None:
        self._state = self._delta = self._edges = self._believed = None
