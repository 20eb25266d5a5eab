"""The models of this computer: what is here, what is being fetched, what can be."""
