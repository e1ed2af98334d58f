"""A person at the table with the agents, in a terminal or on a web page."""
