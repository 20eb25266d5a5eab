"""The Memories panel: what a familiar keeps on purpose, about whom, and what is changed in it by hand."""
