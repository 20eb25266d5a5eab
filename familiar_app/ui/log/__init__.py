"""The log panel: what the program did, without anything that was said."""
