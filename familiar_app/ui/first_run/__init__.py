"""The first run: from a fresh machine to a familiar one can talk to. Also adds further familiars."""
