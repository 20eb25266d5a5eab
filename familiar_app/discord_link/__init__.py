"""Discord: what is said there becomes turns, and replies become messages. Knows neither window nor command line."""
