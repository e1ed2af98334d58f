"""Golden deals and perft counts as text. `python -m tests.golden.rewrite` writes them anew; read the diff."""

import random
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))

import numpy as np  # noqa: E402
from engine_support import action_text, dealt_record, legal_ids, record_of, texts  # noqa: E402

from tressette_env.cards import format_hand, from_bits, parse_cards  # noqa: E402
from tressette_env.engine import kernels  # noqa: E402
from tressette_env.engine.state import ANNUL, DECLARE, OVER, STATE_DTYPE  # noqa: E402
from tressette_env.presets import make_rules  # noqa: E402

# Worked example 15 of docs/RULES.md: a published deal (github epifab/bastoni, test data).
PUBLISHED_DECK = (
    "2b As 7d 4s 6d Kd 5c Ab 5s 6b 3s 3d Ac Jb 2d Js Kb 7b 3c Jc "
    "5b 6c Cd Cb 2c Jd Cs 4b Kc 4c Ad 7s 5d 7c Ks 6s 4d 3b 2s Cc"
)
PUBLISHED_PLAYS = (
    "5b 4b Jb 3b | 6s As Cs 7s | 6c Kc 7c Cc | Jd Ad 4d Cd | 5d 2s 7d Kd | "
    "4c Ac 3c 2c | Js 4s 5s Ks | 3s Kb Cb 5c | 3d 7b 6d Ab | 2d Jc 2b 6b"
)
# name of the file: (rules, seed of the random play)
DEALS = {
    "tressette": ("tressette", 3),
    "treseta_croatian": ("treseta_croatian", 8),
    "bolognese": ("bolognese", 21),
    "briscola": ("briscola", 4),
    "mini_4p": ("mini_4p", 1),
    "end_first_trick": ({"declare_when": "end_first_trick", "cappotto": "plus_one", "remainder": "exact"}, 6),
}
PERFT = {"mini_4p": (("mini_4p", 9), 3), "mini_4p_free": (({"preset": "mini_4p", "signal_mode": "free"}, 9), 1),
         "tressette": (("tressette", 4), 2), "treseta_croatian": (("treseta_croatian", 4), 2)}  # fmt: skip


def published_hands():
    """The four hands of the published deck: dealt five at a time to seats 0-3, twice."""
    deck = parse_cards(PUBLISHED_DECK)
    return [deck[5 * seat : 5 * seat + 5] + deck[20 + 5 * seat : 25 + 5 * seat] for seat in range(4)]


def score_sheet(rules, states, choose):
    """Play a deal by `choose(texts)` and return every trick, its winner and the running count as lines."""
    table = rules.table("deal", "trick")
    state = states[0]
    n = rules.num_seats
    lines = [f"seat {seat}: {format_hand(from_bits(state['dealt'][seat]))}" for seat in range(n)]
    trump = f", trump {texts(1 << int(state['trump_card']))[0]}" if state["trump"] >= 0 else ""
    lines.append(f"dealer {state['dealer']}{trump}")
    trick = []
    while state["phase"] != OVER:
        legal = {action_text(rules, int(a)): int(a) for a in legal_ids(state, table)}
        text = choose(legal)
        seat, before, asked = int(state["to_act"]), int(state["num_played"]), state["phase"] in (ANNUL, DECLARE)
        kernels.apply(state, table[0], legal[text])
        if state["num_played"] == before:
            lines.append(f"seat {seat}: {text}" + ("" if asked else " (at its first turn)"))
            continue
        trick.append(text)
        if len(trick) == n:
            thirds = " ".join(str(int(count) // 2) for count in state["captured"][:n])
            lead = (seat + 1) % n
            number = state["num_played"] // n
            won = f"seat {state['leader']}, thirds {thirds}"
            lines.append(f"trick {number}: seat {lead} leads {' / '.join(trick)} -> {won}")
            trick = []
    sides = range(rules.num_sides)
    lines.append(f"declared: {' '.join(str(int(d) // 6) for d in state['declared_sixths'][:n])}")
    lines.append(f"points in sixths: {' '.join(str(int(state['points'][side])) for side in sides)}")
    lines.append(f"cappotto: {int(state['cappotto']):b}, abandoned: {int(state['abandoned'])}")
    return "\n".join(lines) + "\n"


def published():
    """The score sheet of worked example 15."""
    plays = iter(PUBLISHED_PLAYS.replace("|", " ").split())
    rules = make_rules("gamelake")
    return score_sheet(rules, record_of(rules, published_hands(), 3), lambda legal: next(plays))


def random_deal(spec, seed):
    """The score sheet of a random deal."""
    rules = make_rules(spec)
    rng = random.Random(seed)

    def choose(legal):
        spoken = sorted(text for text in legal if " " in text)
        return rng.choice(spoken) if spoken and rng.random() < 0.5 else rng.choice(sorted(legal))

    return score_sheet(rules, dealt_record(rules, seed, 0, -1), choose)


def perft(state, table, depth):
    """Number of sequences of `depth` actions, shorter ones that end the deal included."""
    ids = legal_ids(state, table)
    if depth == 0 or not len(ids):
        return 1
    child = np.zeros(1, STATE_DTYPE)
    total = 0
    for action in ids:
        child[0] = state
        kernels.apply(child[0], table[0], int(action))
        total += perft(child[0], table, depth - 1)
    return total


def perft_text():
    """Perft counts, one line per rules and seed."""
    lines = []
    for name, ((spec, depth), seeds) in PERFT.items():
        rules = make_rules(spec)
        for seed in range(seeds):
            state = dealt_record(rules, seed, 0, seed % 4)[0]
            counts = [perft(state, rules.table(), d) for d in range(1, depth + 1)]
            lines.append(f"{name} seed {seed}: {' '.join(map(str, counts))}")
    return "\n".join(lines) + "\n"


def golden_texts():
    """All golden files: {name: text}."""
    found = {"published.txt": published(), "perft.txt": perft_text()}
    return found | {f"{name}.txt": random_deal(*case) for name, case in DEALS.items()}


if __name__ == "__main__":
    for name, text in golden_texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"wrote {FOLDER.name}/{name}")
