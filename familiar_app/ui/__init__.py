"""The window: a kit of shared widgets, the frame around the panels, and one folder for each panel."""
