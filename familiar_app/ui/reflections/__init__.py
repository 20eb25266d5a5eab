"""The Reflections panel: what the familiar thinks, and what each thought rests on."""
