"""Tressette as a PettingZoo environment. Importing it registers the environments where a registry exists."""

from tressette_env.registration import register_all

__version__ = "0.1.0"

register_all()
