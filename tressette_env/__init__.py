"""Tressette as a PettingZoo environment."""
