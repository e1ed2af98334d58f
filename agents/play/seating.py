"""Who plays the seats that the person leaves, from what was named for opponents and partner."""

from collections.abc import Sequence

from agents.entries import resolve
from agents.flags import UsageError
from tressette_env.bots import Policy
from tressette_env.rules import Rules


def partner_seats(rules: Rules, seat: int) -> list[int]:
    """Return the other seats of a seat's side, in order of play from it on; none where an auction forms the sides.

    >>> partner_seats(Rules(), 3)
    [1]
    """
    if isinstance(rules.sides, str):
        return []
    return [other for other in _others(rules, seat) if rules.sides[other] == rules.sides[seat]]


def players_of(rules: Rules, seat: int, against: Sequence[str], partner: str | None) -> list[Policy | None]:
    """Return the policy of every seat, None at the person's own.

    ``against``: entries as ``agents.entries.resolve`` takes them, one for all opponents or one for each, in order of
    play from the person on. ``partner``: who plays the person's side; the first opponent's entry where left out.
    Raises ``UsageError`` for what does not fit the rules, and what ``resolve`` raises.
    """
    if not 0 <= seat < rules.num_seats:
        last = rules.num_seats - 1
        raise UsageError(f"--seat {seat} is no seat of {rules.name!r}: give one from 0 to {last}")
    friends = partner_seats(rules, seat)
    foes = [other for other in _others(rules, seat) if other not in friends]
    if not against:
        raise UsageError("--against names nobody: give a player such as heuristic")
    if len(against) not in (1, len(foes)):
        raise UsageError(
            f"--against names {len(against)} players, but there are {len(foes)} opponents: name one for all or one each"
        )
    if partner is not None and not friends:
        raise UsageError(f"--partner {partner!r} has no seat: seat {seat} has no fixed partner under {rules.name!r}")
    entries = dict(zip(foes, against if len(against) > 1 else [*against] * len(foes), strict=True))
    entries |= dict.fromkeys(friends, against[0] if partner is None else partner)
    made = {entry: _player(entry, rules) for entry in dict.fromkeys(entries.values())}
    return [made[entries[other]] if other in entries else None for other in range(rules.num_seats)]


def _others(rules: Rules, seat: int) -> list[int]:
    return [(seat + i) % rules.num_seats for i in range(1, rules.num_seats)]


def _player(entry: str, rules: Rules) -> Policy:
    policy: Policy = resolve(entry, rules)
    if getattr(policy, "sees_all", False):
        raise UsageError(f"{entry!r} sees all hands: it is a yardstick for evaluate.py, name a player such as mc")
    return policy
