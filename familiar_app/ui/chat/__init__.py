"""The chat panel: channels, the transcript, the composer and the way a reply is watched while it comes."""
