"""The numpy peer of the benchmarks plays the same plain game as the engine, so its speed is a fair yardstick."""

import numpy as np

from benchmarks.numpy_peer import NumpyGames
from tressette_env.engine.batch import Batch
from tressette_env.presets import preset


def test_numpy_peer_equals_engine():
    batch = Batch(preset("gamelake"), 64, seeds=5)
    rng = np.random.default_rng(0)
    peer = NumpyGames(64, rng)
    peer.deal(batch.states["hands"][:, :4], batch.states["leader"])
    for _ in range(40):
        masks = batch.masks()
        assert np.array_equal(masks, peer.masks())
        cards = (masks * rng.random(masks.shape)).argmax(axis=1)
        batch.step(cards)
        peer.step(cards)
    assert np.array_equal(batch.states["points"][:, :2], 6 * peer.points)
