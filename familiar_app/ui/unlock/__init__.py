"""The locked window: opens the vault by passphrase or recovery code."""
