"""About the program: its version, the libraries it stands on with their licences, where things are, diagnostics."""
