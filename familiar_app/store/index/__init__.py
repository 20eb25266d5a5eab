"""The full-text index: built in memory from the vault, gone with the process, never on the disk."""
