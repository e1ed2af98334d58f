"""What a person sees of the table in a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from agents.explain import Explanation
from agents.play.events import Event
from agents.play.menu import Item, item_lines
from agents.play.phrases import event_line, relation, result_lines, trick_line, trick_sixths, who
from agents.play.table import Table
from agents.play.words import Words
from tressette_env.actions import Action, decode
from tressette_env.engine.state import PHASES
from tressette_env.render import table_text
from tressette_env.scene import Scene, scene_of

_BAR = 20  # widest bar of a hint
_HELP = ("key_number", "key_text", "key_letters", "key_h", "key_l", "key_d", "key_s", "key_q", "key_help")


class Screen:
    """Prints what the person may know, in the person's language."""

    def __init__(self, table: Table, words: Words, console: Console) -> None:
        self.table, self.words, self.console = table, words, console

    def say(self, text: str) -> None:
        """Print a line, or lines, as they are."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def tell(self, key: str, **blanks: object) -> None:
        """Print a text of the person's language."""
        self.say(self.words(key, **blanks))

    def welcome(self) -> None:
        """Show who sits where, and how to get help."""
        scene = self._scene()
        self.tell("players")
        for place in sorted(scene.places, key=lambda place: place.seat):
            player = self.table.players[place.seat]
            relative = relation(place, scene, self.table.seat)
            marks = [self.words(relative) if relative else "", player.name if player is not None else ""]
            self.say(f"  {self.words.seat(place.seat)}: {', '.join(mark for mark in marks if mark)}")
        self.tell("welcome")

    def show_table(self) -> None:
        """Draw the table as the person sees it."""
        table = self.table
        colour = self.console.is_terminal and not self.console.no_color
        text = table_text(table.row, table.rules, table.seat, table.deal_number, colour=colour)
        self.console.print()
        for line in text.splitlines():
            self.console.print(Text.from_ansi(line), soft_wrap=True)

    def show_choices(self, choices: Sequence[Item], legal: dict[int, Action]) -> None:
        """Show the numbered choices below what is asked."""
        self.console.print()
        self.tell(f"ask_{PHASES[self.table.row['phase']]}")
        for line in item_lines(choices, legal, self.table.rules, self.words):
            self.say(f"  {line}")

    def show_signals(self, item: Item, legal: dict[int, Action]) -> None:
        """Show the numbered ways to play one card."""
        self.tell("ask_signal", card=self.words.card(item.card))
        for number, action in enumerate(item.actions):
            name = legal[action].signal
            meaning = f"{self.words.signal(name)}: {self.words(name)}" if name else self.words("silent")
            self.say(f"  {number} {meaning}")

    def show_events(self, events: Sequence[Event]) -> None:
        """Say what happened."""
        for event in events:
            self.say(event_line(event, self.table.seat, self.words))
            if event.taker >= 0:
                self.say("  " + trick_line(event.trick, event.taker, event.sixths, self.table.seat, self.words))

    def show_result(self) -> None:
        """Show how the deal ended."""
        self.show_table()
        self.console.print()
        for line in result_lines(self.table.row, self._scene(), self.table.seat, self.words):
            self.say(line)

    def show_hint(self, hint: Explanation) -> None:
        """Show what a player makes of the choices, the likeliest or best first."""
        likely = any(choice.probability is not None for choice in hint.choices)
        valued = any(choice.value is not None for choice in hint.choices)
        grid = Grid(title=self.words("hint_of", name=hint.player), title_justify="left", box=None, padding=(0, 1))
        grid.add_column(self.words("action"))
        if likely:
            grid.add_column(self.words("probability"), justify="right")
            grid.add_column(width=_BAR)
        if valued:
            grid.add_column(self.words("value"), justify="right")
        for choice in hint.ranked:
            cells = [self.words.action(decode(choice.action, self.table.rules))]
            if likely:
                share = choice.probability or 0.0
                cells += [f"{share:.0%}", "█" * round(_BAR * share)]
            if valued:
                cells.append("" if choice.value is None else f"{choice.value:+.2f}")
            grid.add_row(*cells)
        self.console.print(grid)

    def show_last_trick(self) -> None:
        """Show the last trick that was taken, card by card."""
        tricks = self._scene().tricks
        if not tricks:
            return self.tell("no_trick")
        for play in tricks[-1].plays:
            said = self.words.action(Action("play", play.card, play.signal))
            self.say(f"{who(play.seat, self.table.seat, self.words)}: {said}")
        self.say(trick_line(len(tricks), tricks[-1].taker, trick_sixths(tricks[-1]), self.table.seat, self.words))

    def show_declared(self) -> None:
        """Show what every seat has declared."""
        places = [place for place in self._scene().places if place.declared]
        if not places:
            return self.tell("no_declarations")
        for place in places:
            said = "; ".join(map(self.words.declared, place.declared))
            self.say(f"{who(place.seat, self.table.seat, self.words)}: {said}")

    def show_help(self) -> None:
        """Show the table again, and the keys."""
        self.show_table()
        self.console.print()
        self.tell("help_head")
        for key in _HELP:
            self.say(f"  {self.words(key)}")

    def _scene(self) -> Scene:
        return scene_of(self.table.row, self.table.rules, self.table.seat, self.table.deal_number)
