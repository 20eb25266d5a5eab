"""Familiar: a desktop home for AI characters that remember, kept encrypted on the owner's own computer."""

__version__ = "0.1.0"
