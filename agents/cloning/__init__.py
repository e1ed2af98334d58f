"""Behaviour cloning: the network of a player from its recorded decisions."""
