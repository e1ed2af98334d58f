"""The score sheet of an episode: every decision, trick, draw and count as a line of text, off the engine's record."""

import random

from tressette_env.cards import CARD_TEXTS, RANK_SIXTHS, format_hand, from_bits
from tressette_env.engine.game import Game
from tressette_env.engine.state import PLAY
from tressette_env.notation import parse_action
from tressette_env.presets import make_rules


def played(case):
    """Return the score sheet of a case; after the opening every second action speaks if it can."""
    game = Game(make_rules(case.rules))
    game.reset(case.seed, {"deal": case.deal, "dealer": case.dealer})
    opening = [text.strip() for text in case.opening.split(",") if text.strip()]
    rng = random.Random(case.seed)
    sheet = Sheet(game)
    while game.to_act >= 0:
        legal = sorted(game.legal_action_texts())
        if opening:
            text = opening.pop(0)
        elif game.to_act == case.bold:
            text = max(legal, key=lambda card: parse_action(card, game.rules) % 10)
        else:
            spoken = [text for text in legal if " " in text]
            text = rng.choice(spoken if spoken and rng.random() < 0.5 else legal)
        sheet.step(text)
    return "\n".join(sheet.lines) + "\n"


def cards(ids):
    """Return card texts, split by blanks."""
    return " ".join(CARD_TEXTS[card] for card in ids)


def numbers(values):
    """Return numbers as text, split by blanks: whole ones without a point."""
    return " ".join(f"{round(float(value), 4):g}" for value in values)


class Sheet:
    """Steps a game and writes down what happens."""

    def __init__(self, game):
        self.game = game
        self.rules = game.rules
        self.seats = range(game.rules.num_seats)
        self.lines = [f"rules {game.rules.name}"]
        self.trick = []  # (seat, text) of the trick under way
        self._deal()

    @property
    def state(self):
        return self.game.states[0]

    def step(self, text):
        """Apply an action and write what came of it."""
        before, deals, seat = self.state.copy(), self.game.num_deals, self.game.to_act
        self.game.step(parse_action(text, self.rules))
        playing = before["phase"] == PLAY
        if playing and text[:2] in CARD_TEXTS:
            self.trick.append((seat, text))
            self._card(before)
        else:
            self.lines.append(f"seat {seat}: {text}" + (" (at its first turn)" if playing else ""))
        if self.game.num_deals > deals:
            self.lines.append("no result, dealt again")
            self._deal()
        elif self.state["abandoned"]:
            self.lines.append("no result, episode cut")
        elif self.game.to_act < 0:
            self._result()
        else:
            self._auction(before)

    def _deal(self):
        state, rules = self.state, self.rules
        self.lines.append(f"deal {self.game.num_deals - 1}, dealer {state['dealer']}")
        for seat in self.seats:
            self.lines.append(f"seat {seat} holds {format_hand(from_bits(state['dealt'][seat]))}")
        if rules.stock:
            self.lines.append(f"stock {cards(state['undealt'][: rules.stock])}")
        if rules.monte:
            self.lines.append(f"monte {cards(self._monte())}")
        if state["trump_card"] >= 0:
            self.lines.append(f"trump {CARD_TEXTS[state['trump_card']]}")

    def _monte(self):
        return self.state["undealt"][self.rules.stock : self.rules.stock + self.rules.monte]

    # ---- auction ----
    def _auction(self, before):
        """Write what a call or an exchange brought, and who sees it."""
        state, called = self.state, int(self.state["called"])
        if called >= 0 and before["called"] < 0:
            if self.rules.auction == "chiamata":
                self._partner()
            elif state["called_from"] >= 0:
                self.lines.append(f"{CARD_TEXTS[called]} handed over by seat {state['called_from']}")
            else:
                self.lines.append(f"{CARD_TEXTS[called]} lies in the monte")
        if state["exchanged"] > before["exchanged"]:
            taken = self._monte()[: state["exchanged"]]
            seen = [s for s in self.seats if self.game.view(s)[0]["undealt"][self.rules.stock] >= 0]
            self.lines.append(f"seat {state['declarer']} takes {cards(taken)}, seen by {numbers(seen)}")

    def _partner(self):
        partner = self.state["partner"]
        knowing = [seat for seat in self.seats if self.game.view(seat)[0]["partner"] == partner]
        self.lines.append(f"partner seat {partner}, known to {numbers(knowing)}")

    # ---- tricks ----
    def _card(self, before):
        """After a card: write the trick if it was its last, and what follows from it."""
        state = self.state
        if self.game.to_act < 0 and state["last_trick_seat"] < 0:
            self._end_trick(f"revoke by seat {self.trick[-1][0]}")
        elif len(self.trick) == len(self.seats):
            winner = int(state["leader"])
            thirds = [int(sixths) // 2 for sixths in state["captured"][: len(self.seats)]]
            left = self._left_over() if self.game.to_act < 0 else []
            thirds[winner] -= sum(RANK_SIXTHS[card % 10] for card in left) // 2
            called = state["called"] >= 0 and CARD_TEXTS[state["called"]] in [text for _, text in self.trick]
            self._end_trick(f"seat {winner}, thirds {numbers(thirds)}")
            if called and self.rules.auction == "chiamata":
                self._partner()
            if left:
                self.lines.append(f"left over for seat {winner}: {cards(left)}")
            self._draws(before)

    def _end_trick(self, what):
        number = (int(self.state["num_played"]) - 1) // len(self.seats) + 1
        texts = " / ".join(text for _, text in self.trick)
        self.lines.append(f"trick {number}: seat {self.trick[0][0]} leads {texts} -> {what}")
        self.trick = []

    def _draws(self, before):
        drawn = self.state["undealt"][int(before["num_drawn"]) : int(self.state["num_drawn"])]
        if len(drawn):
            order = [(int(self.state["leader"]) + i) % len(self.seats) for i in self.seats]
            texts = (f"seat {seat} {CARD_TEXTS[card]}" for seat, card in zip(order, drawn, strict=True))
            self.lines.append(f"drawn {', '.join(texts)}")

    def _left_over(self):
        rest = self._monte()[int(self.state["exchanged"]) :].tolist()
        return rest + [card for card in self.state["discards"].tolist() if card >= 0]

    # ---- the result ----
    def _result(self):
        result = self.game.results[-1]
        last = "nobody" if result["last_trick_seat"] is None else f"seat {result['last_trick_seat']}"
        cappotto = [side for side, flag in enumerate(result["cappotto"]) if flag]
        self.lines += [
            f"last trick {last}",
            f"sixths {numbers(result['captured_sixths'])}",
            f"declared {numbers(result['declaration_points'])}",
            f"points {numbers(result['points'])}",
            f"cappotto {numbers(cappotto) or 'none'}",
            f"totals {numbers(result['totals'])}",
            f"rewards {numbers(self.game.rewards[: len(self.seats)])}",
        ]
