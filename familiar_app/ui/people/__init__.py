"""The People panel: everybody who is known, and what is known of them."""
