"""One exchange from an incoming turn to a stored reply, and what happens to the model's words on the way."""
