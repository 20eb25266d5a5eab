"""Backups, checking and care of the vault, as a panel."""
