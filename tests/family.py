"""Rules for the tests: options over presets, a hand-picked sample of the whole family, and hypothesis strategies."""

import random

from hypothesis import strategies as st

from tressette_env.presets import PRESETS, make_rules
from tressette_env.rules import CAPPOTTO_OF, DOMAINS, SIGNALS, Rules

OVERRIDES = {
    "own_first_turn": {"declare_when": "own_first_turn"},
    "end_first_trick": {"declare_when": "end_first_trick"},
    "automatic": {"declare": "automatic"},
    "free": {"signal_mode": "free"},
    "free_any": {"signal_mode": "free", "signal_seat": "any"},
    "one_side": {"signal_sides": (1,), "signal_seat": "any"},
    "no_side": {"signal_sides": ()},
    "signals_off": {"signal_mode": "off"},
    "partner_hears": {"signal_heard_by": "partner", "signal_seat": "any"},
    "lossy": {"signal_noise": 30, "signal_seat": "any", "signals": SIGNALS},
    "noisy": {"signal_noise": 40, "signal_noise_kind": "replace", "signal_seat": "any"},
    "noisy_free": {
        "signal_noise": 60,
        "signal_noise_kind": "replace",
        "signal_mode": "free",
        "signal_seat": "any",
        "signal_heard_by": "partner",
        "signals": SIGNALS,
    },
    "graded": {"signals": ("striscio_lungo", "volo", "striscio_corto", "busso"), "signal_seat": "any"},
    "thresholds": {
        "busso_min_rest": 3,
        "striscio_min_rest": 1,
        "striscio_corto_min_rest": 1,
        "striscio_lungo_min_rest": 2,
        "signals": SIGNALS,
        "signal_seat": "any",
    },
    "half": {"last_trick_bonus": 0.5, "remainder": "last_trick_takes_rest"},
    "no_bonus": {"last_trick_bonus": 0, "remainder": "exact", "cappotto": "double"},
    "plus_one": {"cappotto": "plus_one", "target": 5},
    "double": {"cappotto": "double", "target": 3},
    "annul_late": {"annul": "below_one_point", "declare_when": "end_first_trick"},
    "trump_annul": {"trump": "last_dealt", "annul": "below_one_point", "declare_when": "own_first_turn", "target": 1},
}

# What no preset does: combinations of fields that are consistent all the same.
_OFF = {"declare": "off", "signals": ()}
_MIN = {"objective": "min", "declare": "off"}
_AUCTION = _OFF | {"sides": "auction"}
_EIGHT = "4cKcAc3c 4dKdAd3d"
SAMPLE = {
    "five_solo_annul": _OFF | {"num_seats": 5, "sides": (0, 1, 2, 3, 4), "hand_size": 8, "annul": "below_one_point"},
    "two_against_three": {"num_seats": 5, "sides": (0, 1, 0, 1, 1), "hand_size": 8, "remainder": "exact"},
    "three_trump_monte": {
        "num_seats": 3, "sides": (0, 1, 2), "hand_size": 12, "monte": 4, "trump": "last_dealt",
        "declare_when": "end_first_trick", "signal_seat": "any",
    },
    "four_draw": {"declare": "off", "hand_size": 5, "stock": 20, "follow": "free_while_stock", "signal_mode": "free"},
    "three_draw_shown_monte": _OFF | {
        "num_seats": 3, "sides": (0, 1, 0), "hand_size": 5, "stock": 15, "monte": 10, "draw_shown": True,
    },
    "two_declare": {"num_seats": 2, "sides": (0, 1), "hand_size": 20, "signals": ("volo",), "cappotto": "plus_one"},
    "two_draw_annul": _OFF | {
        "num_seats": 2, "sides": (0, 1), "deck": _EIGHT, "hand_size": 2, "stock": 4, "annul": "below_one_point",
    },
    "take_all": _MIN | {"sides": (0, 1, 2, 3), "revoke": "take_all", "cappotto": "shoot"},
    "flat_11_draw": _MIN | {
        "num_seats": 2, "sides": (0, 1), "stock": 20, "revoke": "flat_11", "cappotto": "ends_match",
        "remainder": "exact",
    },
    "calabresella_five": _AUCTION | {
        "num_seats": 5, "hand_size": 6, "monte": 10, "auction": "calabresella", "exchange_cards": 4,
    },
    "calabresella_draw": _AUCTION | {
        "num_seats": 3, "hand_size": 6, "stock": 12, "monte": 10, "auction": "calabresella", "exchange_cards": 2,
        "follow": "free_while_stock", "trump": "none",
    },
    "calabresella_plain": _AUCTION | {
        "num_seats": 2, "hand_size": 10, "monte": 20, "auction": "calabresella", "annul": "below_one_point",
    },
    "calabresella_draw_shown": _AUCTION | {
        "num_seats": 4, "hand_size": 5, "stock": 12, "monte": 8, "auction": "calabresella", "exchange_cards": 4,
        "draw_shown": True, "annul": "below_one_point",
    },
    "chiamata_monte": _AUCTION | {
        "num_seats": 4, "hand_size": 8, "monte": 8, "auction": "chiamata", "annul": "below_one_point",
        "trump": "last_dealt",
    },
    "chiamata_draw": _AUCTION | {"num_seats": 4, "hand_size": 5, "stock": 20, "auction": "chiamata"},
}  # fmt: skip


NAMES = [*PRESETS, *SAMPLE]


def rules_of(name):
    """The rules of a preset, or of the sample."""
    return make_rules({"name": name} | SAMPLE[name] if name in SAMPLE else name)


# ---------------------------------------------------------------- random rules
@st.composite
def partnership_rules(draw):
    """Consistent four-seat partnership rules: any declaration, signal, score and trump fields, any sub-deck."""
    hand_size = draw(st.integers(1, 10))
    declare = draw(st.sampled_from(["off", "voluntary", "voluntary", "automatic"]))
    return Rules(
        sides=draw(st.sampled_from([(0, 1, 0, 1), (1, 0, 1, 0), (0, 0, 1, 1)])),
        deck=draw(decks(4 * hand_size)),
        hand_size=hand_size,
        trump=draw(st.sampled_from(["none", "none", "last_dealt"])),
        declare=declare,
        declare_when=draw(moments(declare)),
        annul=draw(st.sampled_from(DOMAINS["annul"])),
        cappotto=draw(st.sampled_from(CAPPOTTO_OF["max"])),
        target=draw(st.sampled_from([1, 4, 11, 21])),
        **draw(talk(2)),
        **draw(scores()),
    )


@st.composite
def family_rules(draw, max_cards=40):
    """Any consistent rules of the whole family with at most `max_cards` cards in play."""
    auction = draw(st.sampled_from(["none", "none", "none", "calabresella", "calabresella", "chiamata"]))
    seats = draw(st.integers(4 if auction == "chiamata" else 2, 5))
    objective = draw(st.sampled_from(DOMAINS["objective"])) if auction == "none" else "max"
    exchange = draw(st.sampled_from([0, 2, 2, 4, 4])) if auction == "calabresella" else 0
    counts = draw(card_counts(seats, max_cards, exchange))
    sides = draw(side_tuples(seats)) if auction == "none" else "auction"
    declare = "off"
    if objective == "max" and auction == "none" and not counts["stock"]:
        declare = draw(st.sampled_from(["off", "voluntary", "voluntary", "automatic"]))
    spoken = draw(talk(2 if auction != "none" else max(sides) + 1))
    if auction != "none" and spoken["signal_mode"] != "off":
        spoken["signals"] = ()
    if counts["stock"]:
        spoken |= {"signal_heard_by": "all", "signal_noise": 0}
    return Rules(
        num_seats=seats,
        sides=sides,
        deck=draw(decks(seats * counts["hand_size"] + counts["stock"] + counts["monte"])),
        follow=draw(st.sampled_from(DOMAINS["follow"])),
        draw_shown=draw(st.booleans()),
        trump="none" if counts["stock"] else draw(st.sampled_from(DOMAINS["trump"])),
        declare=declare,
        declare_when=draw(moments(declare)),
        objective=objective,
        cappotto=draw(st.sampled_from(CAPPOTTO_OF[objective])),
        annul=draw(st.sampled_from(DOMAINS["annul"])),
        auction=auction,
        exchange_cards=exchange,
        revoke=draw(st.sampled_from(DOMAINS["revoke"])) if objective == "min" else "masked",
        target=draw(st.sampled_from([1, 4, 11] if auction == "none" else [1, 2, 4])),
        **counts,
        **spoken,
        **draw(scores()),
    )


@st.composite
def decks(draw, size):
    """Some `size` cards, rising."""
    return tuple(sorted(random.Random(draw(st.integers(0, 10**6))).sample(range(40), size)))


@st.composite
def card_counts(draw, seats, max_cards, exchange):
    """Hand size, stock and a monte large enough for an exchange; half of them without a stock, half without more."""
    hand_size = draw(st.integers(1, min(20, (max_cards - exchange) // seats)))
    left = max_cards - seats * hand_size - exchange
    stock = seats * draw(st.one_of(st.just(0), st.integers(0, left // seats)))
    monte = exchange + draw(st.one_of(st.just(0), st.integers(0, left - stock)))
    return {"hand_size": hand_size, "stock": stock, "monte": monte}


@st.composite
def side_tuples(draw, seats):
    """Sides of the seats: any number of them, all used."""
    count = draw(st.integers(2, seats))
    rest = draw(st.lists(st.integers(0, count - 1), min_size=seats - count, max_size=seats - count))
    return tuple(draw(st.permutations([*range(count), *rest])))


def moments(declare):
    """Values of `declare_when` that go with a value of `declare`."""
    return st.sampled_from(DOMAINS["declare_when"][: 1 if declare == "automatic" else 3])


@st.composite
def talk(draw, num_sides):
    """The fields of the signals."""
    corto = draw(st.integers(1, 8))
    some = st.sets(st.integers(0, num_sides - 1)).map(lambda sides: tuple(sorted(sides)))
    return {
        "signals": tuple(draw(st.lists(st.sampled_from(SIGNALS), unique=True))),
        "signal_seat": draw(st.sampled_from(DOMAINS["signal_seat"])),
        "signal_mode": draw(st.sampled_from(["truthful", "truthful", "free", "off"])),
        "signal_sides": draw(st.one_of(st.just("all"), some)),
        "signal_heard_by": draw(st.sampled_from(["all", "all", "partner"])),
        "signal_noise": draw(st.sampled_from([0, 0, 35, 100])),
        "signal_noise_kind": draw(st.sampled_from(DOMAINS["signal_noise_kind"])),
        "busso_min_rest": draw(st.integers(1, 4)),
        "striscio_min_rest": draw(st.integers(1, 5)),
        "striscio_no_honours": draw(st.booleans()),
        "striscio_corto_min_rest": corto,
        "striscio_lungo_min_rest": draw(st.integers(corto + 1, 9)),
    }


@st.composite
def scores(draw):
    """The fields of the score that go with everything."""
    return {
        "last_trick_bonus": draw(st.sampled_from([0, 0.5, 1])),
        "remainder": draw(st.sampled_from(DOMAINS["remainder"])),
    }


# ---------------------------------------------------------------- rules that need not fit
_JUNK = st.sampled_from(
    [None, -1, 0, 1, 3, 41, 1.5, True, "", "auction", "max", (), (0, 1), (0, "x"), [0, 1], {"a": 1}]
)


@st.composite
def any_fields(draw):
    """Consistent fields of which one to three are replaced, by a value of the field's own domain or by junk."""
    rules = draw(family_rules())
    values = {name: getattr(rules, name) for name in Rules.__dataclass_fields__}
    for name in draw(st.lists(st.sampled_from(sorted(values)), min_size=1, max_size=3, unique=True)):
        own = st.sampled_from(DOMAINS[name]) if name in DOMAINS else st.integers(0, 12)
        values[name] = draw(st.one_of(own, _JUNK))
    return values
