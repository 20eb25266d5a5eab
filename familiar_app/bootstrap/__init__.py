"""The composition root: reads settings, builds every part once in a visible order, and owns their end."""
