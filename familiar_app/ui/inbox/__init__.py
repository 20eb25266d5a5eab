"""The inbox of retirements: what was said to replace what, why, and what the person decides about it."""
