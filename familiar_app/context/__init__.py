"""Puts prompts together: one module for each layer, the assembler, and the trace of what it did."""
