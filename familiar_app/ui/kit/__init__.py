"""Shared widgets, the theme and the task helper. What every panel is made of.

How a panel is built:

* A view-model without Qt holds all state (`ui/<panel>/…_model.py`), a widget shows it and passes input on.
* The panel is a class with the members of `kit.panel.Panel`; a factory `(Services, PanelContext) -> Panel` is handed to
  the main window. `context.familiar` is the familiar that is shown, `context.familiar_changed` tells of another one.
* Coroutines are started from slots with `kit.task.Tasks`:
      self._tasks = Tasks(context.tasks, self, notice.show_error)
      self._tasks.start(self._load, name="chat.load")          # a function that makes the coroutine
  A FamiliarError goes to the notice (with "Try again" where that can help), any other error to the crash dialog.
* Messages: `kit.notice.Notice` inline; `context.offer_undo(text, undo, redo)` after anything that can be taken back;
  with a `redo` it lasts beyond the bar, for Ctrl+Z, Ctrl+Shift+Z and the palette;
  `context.tell(text)` for a passing word in the status bar. Dialogs (`kit.dialog`) are awaited inside a task and rare.
* Details go to the side view: `context.side_view.show_widget(title, widget)`; Esc closes it.
* Colours come by role: `context.theme.color("text_2")`; icons from `kit.icon`; a widget that paints or holds a picture
  calls `kit.icon.follow(theme, self, self._refresh)` to follow changes of theme and zoom.
* Sizes: margins and spacing in steps of 4 px, radius 6, texts by `label(text, role)`, icon sides through `theme.px`.
* Style sheet roles: `label.set_role(widget, …)`: labels body/title/heading/strong/quiet/faint/good/warning/danger/code;
  buttons plain/primary/danger/link; frames line/upright_line/card/notice; text fields bare.
  `label.surface(widget, 1|2|3)` paints a plain widget.
* Loading goes through `kit.wait.WaitStack` (skeleton after 300 ms, progress after 2 s); nothing to show yet is a
  `kit.empty_state.EmptyState`.
* Every control gets an accessible name; the makers in `kit.button` and `kit.field` ask for one.
"""
