"""Projectors: what happened becomes beliefs. Each reads the log and keeps one projection of it up to date."""
