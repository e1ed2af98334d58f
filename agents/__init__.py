"""Learning, search and evaluation around the game: not part of the installed package."""
