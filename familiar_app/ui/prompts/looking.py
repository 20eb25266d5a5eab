"""One prompt as it is looked at: which layer and line, what is folded, what is searched for. Knows nothing of Qt."""

from __future__ import annotations

from familiar_app.domain.trace import PromptTrace, messages_as_sent
from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.kit.watch import Watched
from familiar_app.ui.prompts.find import Find
from familiar_app.ui.prompts.item_word import opened
from familiar_app.ui.prompts.lore_row import LoreReport, lore_report
from familiar_app.ui.prompts.sheet import Sheet, sheet_of
from familiar_app.ui.prompts.source import Source, sources_of
from familiar_app.ui.prompts.stack import Stack, StackRow, stack_of


class Looking(Watched):
    """The open prompt and where in it the person is. Listeners hear `layer`, `line`, `folds` and `find`."""

    def __init__(self) -> None:
        super().__init__()
        self.trace: PromptTrace | None = None
        self.sheet, self.stack, self.lore = Sheet(), Stack(), LoreReport((), "")
        self.layer, self.line = "", 0
        self.folded: set[str] = set()
        self.find = Find()

    def look_at(self, trace: PromptTrace) -> None:
        """Begin at the top of another prompt; the layer stays the same where it has one of that name."""
        self.trace = trace
        self.sheet, self.stack, self.lore = sheet_of(trace), stack_of(trace), lore_report(trace.lorebook)
        names = [row.name for row in self.stack.rows]
        self.layer = self.layer if self.layer in names else (names[0] if names else "")
        self.line, self.folded = 0, set()
        self.find.search(self.find.text, self.sheet.lines)

    @property
    def chosen_row(self) -> StackRow | None:
        """The layer that is looked at."""
        return self.stack.row(self.layer)

    def choose_layer(self, name: str) -> None:
        """Look at a layer, and go to its first line."""
        self.layer = name
        first = self.sheet.first_line(name)
        if first is not None:
            self.line = first
        self.tell("layer")

    def choose_line(self, line: int) -> None:
        """Look at a line, and at its layer."""
        piece = self.sheet.piece_at(line)
        self.line = line
        if piece is not None and piece.layer != self.layer:
            self.layer = piece.layer
        self.tell("line")

    def sources(self) -> list[Source]:
        """Return what the line that is looked at came from."""
        return sources_of(self.trace, self.sheet, self.line) if self.trace is not None else []

    def fold(self, names: set[str]) -> None:
        """Fold these layers and no others."""
        self.folded = names & {run.layer for run in self.sheet.runs}
        self.tell("folds")

    def toggle_fold(self, name: str) -> None:
        """Fold a layer, or unfold it."""
        self.fold(self.folded ^ {name})

    def search(self, text: str) -> None:
        """Find a text in the prompt, from the line that is looked at on."""
        self.find.search(text, self.sheet.lines, near=self.line)
        self._unfold_hit()

    def step_hit(self, direction: int) -> None:
        """Go to the next (1) or previous (-1) hit."""
        self.find.step(direction)
        self._unfold_hit()

    def _unfold_hit(self) -> None:
        hit = self.find.here
        run = self.sheet.run_at(hit.line) if hit is not None else None
        if run is not None and run.layer in self.folded:
            self.toggle_fold(run.layer)
        self.tell("find")

    # ---- copying

    def as_text(self) -> str:
        """Return the messages as text to read."""
        messages = messages_as_sent(self.trace.messages) if self.trace is not None else ()
        return "\n\n".join(f"{opened(words(one.role))}:\n{one.content}" for one in messages)

    def as_json(self) -> str:
        """Return the whole trace as JSON."""
        return self.trace.model_dump_json(indent=2) if self.trace is not None else ""

    def as_sent(self) -> str:
        """Return the request, byte for byte; empty where it was not kept."""
        return (self.trace.sent or "") if self.trace is not None else ""
