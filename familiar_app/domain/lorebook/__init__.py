"""Lorebooks: authored entries that join the prompt when the conversation calls for them.

`entry` and `scene` say what goes in, `engine` evaluates, `activation` and `verdict` say what came out and why. Nothing
here reads files, the clock or a random source of its own.
"""
