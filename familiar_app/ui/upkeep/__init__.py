"""The upkeep of memory: how each projector stands, the search index, the figures of health, and doing it by hand."""
