"""The deals that results of shipped networks are measured on stay the same cards, and no run looks at them."""

import hashlib

import numpy as np
import pytest

from agents.policies import TEST_SEED, shipped
from agents.training import EVAL_SEED, FINAL_SEED
from tressette_env.engine.batch import Batch
from tressette_env.presets import preset


@pytest.mark.parametrize(("name", "digest"), [("tressette", "93c7b59e47458ec5"), ("due", "763b79f1a42a9d38")])
def test_the_test_deals_are_these(name, digest):
    rules, deals = preset(name), 10_000
    batch = Batch(rules, deals, seeds=np.full(deals, TEST_SEED))
    batch.start(ks=np.arange(deals), dealers=np.arange(deals) % rules.num_seats)
    hands = np.ascontiguousarray(batch.states["dealt"][:, : rules.num_seats].astype("<i8"))
    assert hashlib.sha256(hands).hexdigest()[:16] == digest


def test_results_are_of_the_test_deals():
    assert TEST_SEED not in (EVAL_SEED, FINAL_SEED)
    assert {result["seed"] for row in shipped() for result in row.results} == {TEST_SEED}
