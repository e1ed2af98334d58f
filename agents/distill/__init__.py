"""Learning from what a search thinks of every action: labelled deals, and the networks trained on them."""
