"""A network with a little search: its likeliest actions, played out by itself in sampled worlds."""
