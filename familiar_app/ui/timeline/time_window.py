"""The stretch of time that the timeline shows: all of it, or a part that can be zoomed and moved. Knows no Qt."""

from __future__ import annotations

from familiar_app.ui.kit.watch import Watched
from familiar_app.ui.timeline.scale import DAY, HOUR, SHORTEST, clamped


class TimeWindow(Watched):
    """`whole` holds everything that happens, `window` is the shown part. Listeners hear `window`."""

    def __init__(self, now: int) -> None:
        super().__init__()
        self.whole = (now - DAY, now + DAY)
        self.window = self.whole

    def frame(self, first: int, last: int, *, anew: bool) -> None:
        """Take the first and last instant of all; who sees the whole, or begins `anew`, goes on seeing the whole."""
        room = max((last - first) // 40, HOUR)
        old, self.whole = self.whole, (clamped(first - room), clamped(last + room))
        if anew or self.window == old:
            self.window = self.whole

    def zoom(self, factor: float, at: int) -> None:
        """Show less (factor below 1) or more time, with the instant `at` staying where it is."""
        start, end = self.window
        most = max(2 * (self.whole[1] - self.whole[0]), DAY)
        length = max(SHORTEST, min(most, round((end - start) * factor)))
        share = (at - start) / max(1, end - start)
        self.show_window(at - round(length * share), length)

    def pan(self, share: float) -> None:
        """Move the window by a share of its own length."""
        start, end = self.window
        self.show_window(start + round((end - start) * share), end - start)

    def show_window(self, start: int, length: int) -> None:
        """Show a stretch of time."""
        start = clamped(start)
        window = (start, max(start + SHORTEST, clamped(start + length)))
        if window != self.window:
            self.window = window
            self.tell("window")

    def fit(self) -> None:
        """Show all of time."""
        self.show_window(self.whole[0], self.whole[1] - self.whole[0])

    def reveal(self, at: int) -> None:
        """Bring an instant into the window, where it is not."""
        start, end = self.window
        if not start <= at <= end:
            length = end - start
            self.show_window(at - length // 2, length)
