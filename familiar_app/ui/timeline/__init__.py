"""The Timeline panel: what was true when, what was believed when, and the owner's corrections."""
