"""The child process that runs a GGUF file with llama.cpp, spoken to over its standard input and output.

It imports nothing of the window, the vault or the network, so that a bad file, a crash or a lack of
memory ends it alone.
"""
