"""The lorebook panel: a table of entries, a form, and a tester that says which entries fire and why."""
