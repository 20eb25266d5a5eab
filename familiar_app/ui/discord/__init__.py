"""The Discord panel: connecting a familiar, where it listens, and why it did or did not speak."""
