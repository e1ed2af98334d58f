"""Self-play learned from every action at once: each is played out to the end of the deal with the true cards."""
