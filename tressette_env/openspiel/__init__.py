"""Tressette as an OpenSpiel game: importing this module registers `python_tressette` for `pyspiel.load_game`.

One episode is one deal: chance deals the cards, seat 0 is eldest hand unless `dealer` says otherwise, and in the end
every seat is paid the engine's reward of the deal, in points. The parameters, all optional:

* ``rules``: the name of a preset, or the path of a YAML file with rules (``tressette``)
* ``signal_mode``: ``off``, ``truthful`` or ``free`` in place of what the rules say (``preset``: as they say)
* ``chance``: ``deals`` is one chance node with an outcome for every deal, for toys; ``cards`` deals card by card;
  ``auto`` takes ``deals`` where there are at most 5,000 of them
* ``dealer``: a seat; -1, the default, is the last one

A deal that is thrown in (all passed, or *monte*) ends the episode and pays nothing.
"""

try:
    import pyspiel as _pyspiel  # type: ignore[import-untyped, import-not-found, unused-ignore] # noqa: F401
except ImportError as error:
    raise ImportError(
        "tressette_env.openspiel needs OpenSpiel, which cannot be imported: run pip install '.[openspiel]' in a clone"
    ) from error

from tressette_env.openspiel.game import SHORT_NAME, TressetteGame, register
from tressette_env.openspiel.observer import TressetteObserver
from tressette_env.openspiel.state import TressetteState

__all__ = ["SHORT_NAME", "TressetteGame", "TressetteObserver", "TressetteState"]

register()
