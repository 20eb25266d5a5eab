"""Whom the program speaks to over the network, or would, and the switch that forbids it."""
