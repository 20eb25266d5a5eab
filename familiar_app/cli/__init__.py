"""The command line: everything the window can do with data, for scripts. Knows no Qt."""
