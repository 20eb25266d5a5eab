"""Saved memories as rules: who may be meant, what may be stored, what has to make room, what is shown where."""
