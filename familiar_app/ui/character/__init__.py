"""The character panel: who the familiar is, as its author wrote it, in a form and as Markdown."""
