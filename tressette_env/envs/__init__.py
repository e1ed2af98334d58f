"""Views of the game for PettingZoo and Gymnasium."""
