"""Masked distributions against a renormalised reference."""

import numpy as np
import pytest
import torch

from agents.networks import entropy, kl, masked_log_probs, sample


def reference(logits, mask):
    """Softmax over the legal actions only, in float64."""
    rows = []
    for row, legal in zip(logits.double().numpy(), mask.numpy().astype(bool), strict=True):
        p = np.zeros(len(row))
        weights = np.exp(row[legal] - row[legal].max())
        p[legal] = weights / weights.sum()
        rows.append(p)
    return np.array(rows)


@pytest.fixture
def case():
    generator = torch.Generator().manual_seed(0)
    logits = 5 * torch.randn(64, 168, generator=generator)
    other = 5 * torch.randn(64, 168, generator=generator)
    mask = (torch.rand(64, 168, generator=generator) < 0.1).to(torch.int8)
    mask[:, 3] = 1
    return logits, other, mask


def test_log_probs_entropy_and_kl_equal_the_reference(case):
    logits, other, mask = case
    p, q = reference(logits, mask), reference(other, mask)
    log_p, log_q = masked_log_probs(logits, mask), masked_log_probs(other, mask)
    legal = mask.numpy().astype(bool)
    np.testing.assert_allclose(log_p.exp().numpy(), p, atol=1e-6)
    np.testing.assert_allclose(log_p.numpy()[legal], np.log(p[legal]), atol=1e-5)
    logs = np.where(p > 0, np.log(np.where(p > 0, p, 1)), 0)
    np.testing.assert_allclose(entropy(log_p).numpy(), -(p * logs).sum(1), atol=1e-5)
    ratio = np.where(p > 0, np.log(np.where(p > 0, p, 1)) - np.log(np.where(q > 0, q, 1)), 0)
    np.testing.assert_allclose(kl(log_p, log_q).numpy(), (p * ratio).sum(1), rtol=1e-5, atol=1e-5)


def test_gradients_of_illegal_logits_are_zero_and_finite(case):
    logits, _, mask = case
    logits.requires_grad_()
    log_p = masked_log_probs(logits, mask)
    (entropy(log_p).sum() + log_p[:, 3].sum()).backward()
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[~mask.bool()] == 0).all()


def test_an_idle_row_is_refused(case):
    logits, _, mask = case
    mask[5] = 0
    with pytest.raises(ValueError, match="no legal action"):
        masked_log_probs(logits, mask)


def test_samples_are_legal_and_follow_the_distribution():
    log_p = masked_log_probs(torch.tensor([[0.0, 1.0, 2.0, 9.0]]), torch.tensor([[1, 1, 1, 0]]))
    uniform = torch.rand((100_000, 4), generator=torch.Generator().manual_seed(1))
    drawn = sample(log_p.expand(100_000, 4), uniform)
    share = torch.bincount(drawn, minlength=4) / 100_000
    np.testing.assert_allclose(share, log_p.exp()[0], atol=0.006)
    assert share[3] == 0
    assert sample(log_p, torch.zeros(1, 4)).item() != 3, "the earliest possible arrival of what is illegal is too late"
