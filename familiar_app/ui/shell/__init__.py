"""The frame of the window: rail, side view, status bar, command palette, and the life of the window itself."""
