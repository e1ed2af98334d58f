"""Replays a score sheet on the slow reference, line by line: every winner, draw, count and result must be the same."""

import re

from golden.sheet import numbers
from reference import ReferenceMatch, worth


def deals_of(text):
    """Return the deals that a sheet names, as `ReferenceMatch` reads them, and their dealers."""
    deals, dealers = [], []
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "deal":
            deals.append({"hands": [], "stock": [], "monte": []})
            dealers.append(int(line[-1]))
        elif " holds " in line:
            deals[-1]["hands"].append(re.findall("..", line.split(" holds ")[1].replace(" ", "")))
        elif kind in ("stock", "monte"):
            deals[-1][kind] = rest.split()
        elif kind == "trump":
            deals[-1]["trump_card"] = rest
    return deals, dealers


class Replay:
    """Follows a sheet on the reference; `free_discards` counts cards that did not follow although they could."""

    def __init__(self, rules, text):
        deals, self.dealers = deals_of(text)
        self.lines = text.splitlines()
        self.match = ReferenceMatch(rules, deals.__getitem__, self.dealers[0], episode="deal")
        self.rules = rules
        self.waiting = {}  # declarations at a seat's own first turn, made just before its card
        self.free_discards = 0

    @property
    def game(self):
        return self.match.game

    def run(self):
        """Check every line. Raises ``AssertionError`` at the first that the reference does not confirm."""
        for number, line in enumerate(self.lines, 1):
            known = [(found, method) for pattern, method in LINES if (found := re.fullmatch(pattern, line))]
            assert len(known) == 1, f"line {number} is not one of a sheet: {line}"
            found, method = known[0]
            assert method is None or method(self, *found.groups()) is None, line
        assert self.match.finished and not any(self.waiting.values())

    # ---- lines ----
    def deal(self, k, dealer):
        assert self.match.k == int(k) + 1 and self.game.dealer == self.dealers[int(k)] == int(dealer)

    def decision(self, seat, text):
        assert self.match.to_act == int(seat), text
        self.match.step(text)

    def late_declaration(self, seat, text):
        self.waiting.setdefault(int(seat), []).append(text)

    def redeal(self):
        assert self.match.games[-2].abandoned and not self.match.results

    def cut(self):
        assert self.match.truncated and not any(self.match.returns)

    def handed_over(self, card, seat):
        assert (self.game.called, self.game.called_from) == (card, int(seat))
        assert card in self.game.hands[self.game.declarer]

    def in_the_monte(self, card):
        assert self.game.called == card and self.game.called_from is None

    def takes(self, seat, cards, seen):
        assert self.game.declarer == int(seat)
        event = ("monte", *cards.split())
        views = (dict(view)["events"] for view in map(self.game.public_view, range(self.rules.num_seats)))
        assert numbers(s for s, events in enumerate(views) if event in events) == seen

    def partner(self, seat, known):
        game = self.game
        assert game.partner == int(seat)
        revealed = any(card == game.called for _, plays in game.tricks for _, card in plays)
        assert known == (numbers(range(self.rules.num_seats)) if revealed else seat)

    def trick(self, number, leader, plays, winner, thirds):
        assert len(self.game.tricks) == int(number) - 1 and self.match.to_act == int(leader)
        self._put_down(plays)
        assert len(self.game.tricks) == int(number) and self.game.tricks[-1][0] == int(winner)
        counted = [0] * self.rules.num_seats
        for seat, trick in self.game.tricks:
            counted[seat] += worth(card for _, card in trick) // 2
        assert numbers(counted) == thirds

    def revoke(self, number, leader, plays, offender):
        assert len(self.game.tricks) == int(number) - 1 and self.match.to_act == int(leader)
        self._put_down(plays)
        assert ("revoke", int(offender)) in [event for event, _, _ in self.game.log]

    def _put_down(self, plays):
        for text in plays.split(" / "):
            seat = self.match.to_act
            for declaration in self.waiting.pop(seat, []):
                self.match.step(declaration)
            game = self.game
            suits = [card[1] for card in game.hands[seat]]
            led = game.table[0][1][1] if game.table else text[1]
            self.free_discards += text[1] != led and led in suits
            self.match.step(text)

    def left_over(self, seat, cards):
        assert self.game.monte + self.game.discards == cards.split() and self.game.leader == int(seat)

    def drawn(self, draws):
        said = [("draw", int(seat), card) for seat, card in re.findall(r"seat (\d) (..)", draws)]
        assert [event for event, _, _ in self.game.log[-len(said) :]] == said

    def last_trick(self, who):
        last = self.game.result["last_trick_seat"]
        assert who == ("nobody" if last is None else f"seat {last}")

    def cappotto(self, sides):
        assert sides == (numbers(s for s, flag in enumerate(self.game.result["cappotto"]) if flag) or "none")

    def rewards(self, values):
        assert numbers(self.game.rewards) == values


def _result(name):
    def check(replay, values):
        assert numbers(replay.game.result[name]) == values

    return check


# pattern of a line, what checks it
LINES = [
    (r"rules .*", None),
    (r"deal (\d), dealer (\d)", Replay.deal),
    (r"seat \d holds .*|stock .*|monte .*|trump ..", None),  # read before
    (r"seat (\d): ([^(]*)", Replay.decision),
    (r"seat (\d): (declare .*) \(at its first turn\)", Replay.late_declaration),
    (r"no result, dealt again", Replay.redeal),
    (r"no result, episode cut", Replay.cut),
    (r"(..) handed over by seat (\d)", Replay.handed_over),
    (r"(..) lies in the monte", Replay.in_the_monte),
    (r"seat (\d) takes (.*), seen by (.*)", Replay.takes),
    (r"partner seat (\d), known to (.*)", Replay.partner),
    (r"trick (\d+): seat (\d) leads (.*) -> seat (\d), thirds (.*)", Replay.trick),
    (r"trick (\d+): seat (\d) leads (.*) -> revoke by seat (\d)", Replay.revoke),
    (r"left over for seat (\d): (.*)", Replay.left_over),
    (r"drawn (.*)", Replay.drawn),
    (r"last trick (.*)", Replay.last_trick),
    (r"sixths (.*)", _result("captured_sixths")),
    (r"declared (.*)", _result("declaration_points")),
    (r"points (.*)", _result("points")),
    (r"cappotto (.*)", Replay.cappotto),
    (r"totals (.*)", _result("totals")),
    (r"rewards (.*)", Replay.rewards),
]
