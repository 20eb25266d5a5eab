"""Lorebooks from and to the files of other programs, and our own `lorebook.toml`.

The object a book came from is kept whole; writing lays the book over it, so that nothing unknown is lost.
"""
