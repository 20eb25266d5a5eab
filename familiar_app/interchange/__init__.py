"""Importers and exporters: cards, lorebooks, chat histories and memories in the forms of other programs."""
