"""Search: an exact solver of open hands, a sampler of what a seat cannot see, and the bots built on the two."""
