"""A trained probe: how much better a listener's own network guesses the sender's hand when it is told the message.

Two small networks learn the same feature of the sender's hand from what a listener sees as the card falls, one with
the message and one without. The difference of their log-losses on deals held out is the information that a learner of
this kind can use, in bits (Xu et al. 2020, "A Theory of Usable Information under Computational Constraints"). It
may exceed what ``beliefs`` finds, since the probe learns what the sender's habits in play tell, and fall short of it,
since it has to learn.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from dataclasses import dataclass

import numba as nb
import numpy as np
import torch
from torch import Tensor, nn

from agents.networks import mlp
from agents.signals.beliefs import FEATURES, feature, hidden_rows, listener_seats, received_as
from agents.signals.games import Chances, SignalError
from agents.signals.information import Interval, by_deal
from tressette_env.engine.bits import count
from tressette_env.engine.legal import SUIT

WIDTHS = (64, 64)
INPUTS = 70  # what is seen of the suit played and of the table, see `_describe`


@dataclass(frozen=True)
class Probed:
    """Gain in bits per message by feature: mean and 95 % interval over the deals held out, and how many messages."""

    gain: dict[str, Interval]
    messages: int


@nb.njit(cache=True)
def _describe(states, cards, seats, out):
    """Write what listeners see of the suit played, float32 (N, INPUTS).

    Ten cards each: in the own hand, played, not denied to the sender, shown by the sender, the card itself; then the
    unseen cards of the suit, tricks, cards on the table, lengths of what is unseen elsewhere, whether the others
    are out of the suit, signals of the sender and what they came with.
    """
    out[:] = 0.0
    for i in range(states.shape[0]):
        state, seat, card = states[i], seats[i], cards[i]
        sender = np.int64(state["to_act"])
        first = 10 * (card // 10)
        own = (state["hands"][seat] >> first) & SUIT
        gone = np.int64(0)
        for other in range(4):
            gone |= state["played"][other]
        played = (gone >> first) & SUIT
        may = ~(state["denied"][sender] >> first) & SUIT & ~own & ~played
        shown = (state["exposed"][sender] >> first) & SUIT & ~played
        for k in range(10):
            out[i, k] = (own >> k) & 1
            out[i, 10 + k] = (played >> k) & 1
            out[i, 20 + k] = (may >> k) & 1
            out[i, 30 + k] = (shown >> k) & 1
        out[i, 40 + card % 10] = 1
        unseen = SUIT & ~own & ~played
        out[i, 50] = count(unseen) / 10
        out[i, 51] = state["num_played"] / 40
        out[i, 52 + (state["turn"] - state["leader"]) % 4] = 1
        for other in range(4):
            out[i, 56 + (other - sender) % 4] = (state["denied"][other] >> first) & SUIT == SUIT
        for k in range(state["signalled"].shape[0]):
            said = state["signalled"][k] & state["played"][sender]
            out[i, 60 + k] = (said >> first) & SUIT != 0
            out[i, 65 + k] = said & ~(SUIT << first) != 0


def probe(heard: Chances, listener: str = "partner", *, epochs: int = 12, batch: int = 512, seed: int = 0) -> Probed:
    """Return how much a message helps a network to guess the sender's hand, by feature.

    A fifth of the deals is held out: a tenth to choose the best epoch by, a tenth to measure with.

    Raises ``SignalError`` with fewer than 50 deals.
    """
    deals = np.unique(heard.deals)
    if len(deals) < 50:
        raise SignalError(f"{len(deals)} deals are too few to learn from: give a probe at least 50, better 2000")
    rng = np.random.default_rng(seed)
    part = rng.permutation(len(deals)) * 10 // len(deals)  # tenths
    tenth = part[np.searchsorted(deals, heard.deals)]
    seats = listener_seats(heard.senders, listener, 1 + 2 * (np.arange(len(heard)) % 2))
    if (seats < 0).any():
        raise SignalError(f"listener = {listener!r} has no hand to guess from: name the partner or the opponents")
    inputs = np.empty((len(heard), INPUTS), np.float32)
    _describe(heard.states, heard.cards, seats, inputs)
    said = np.eye(1 + len(heard.rules.offered_signals), dtype=np.float32)[_received(heard, listener, rng)]
    rows = np.empty((len(heard), 2), np.int64)
    hidden_rows(heard.states, heard.cards, rows)
    with_it = torch.from_numpy(np.concatenate([inputs, said], 1))
    without = torch.from_numpy(np.concatenate([inputs, np.zeros_like(said)], 1))
    gain = {}
    for name, size in FEATURES.items():
        target = torch.from_numpy(feature(name, rows))
        losses = [_losses(x, target, size, tenth, epochs, batch, seed) for x in (without, with_it)]
        gain[name] = by_deal((losses[0] - losses[1]) / np.log(2), heard.deals[tenth == 0])
    return Probed(gain, int((tenth == 0).sum()))


def _received(heard: Chances, listener: str, rng: np.random.Generator) -> np.ndarray:
    """Return the messages as a listener heard them, int64 (N,): the rules' noise is drawn anew."""
    leads = (heard.states["best_card"] < 0).astype(np.int64)
    chances = np.array([received_as(heard.rules, listener, bool(way)) for way in (0, 1)])[leads, heard.messages]
    return (chances.cumsum(1) <= rng.random(len(heard))[:, None]).sum(1).clip(max=chances.shape[1] - 1)


def _losses(
    inputs: Tensor, target: Tensor, size: int, tenth: np.ndarray, epochs: int, batch: int, seed: int
) -> np.ndarray:
    """Return the log-loss of a network on the tenth held out to measure with, nats (R,), after its best epoch."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = mlp(inputs.shape[1], WIDTHS, size, 1.0)
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-3)
    loss_of = nn.CrossEntropyLoss(reduction="none")
    train = torch.from_numpy(np.flatnonzero(tenth > 1))
    choose, measure = torch.from_numpy(tenth == 1), torch.from_numpy(tenth == 0)
    best, losses = float("inf"), np.empty(0)
    for _ in range(epochs):
        order = train[torch.randperm(len(train), generator=generator)]
        for rows in order.split(batch):
            optimiser.zero_grad()
            loss_of(network(inputs[rows]), target[rows]).mean().backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        with torch.no_grad():
            chosen = float(loss_of(network(inputs[choose]), target[choose]).mean())
            if chosen < best:
                best = chosen
                losses = loss_of(network(inputs[measure]), target[measure]).double().numpy()
    return losses
