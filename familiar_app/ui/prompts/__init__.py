"""The prompts panel: why each answer is what it is, and what it would have been otherwise."""
