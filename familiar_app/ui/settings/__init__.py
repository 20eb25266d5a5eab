"""The settings panel: searchable, saved at once, each with its default and whether anything leaves this computer."""
