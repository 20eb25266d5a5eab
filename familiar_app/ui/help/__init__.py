"""The manual within the window: the page of the panel one comes from, links, search, and the way back."""
