"""The search over everything that is kept: one field, what it finds in groups, and the way to each thing."""
