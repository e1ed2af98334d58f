"""A recorded game shown again, with what a player makes of every decision: as a page, pictures or text."""
