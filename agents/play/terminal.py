"""A person at the table in a terminal: line by line, a question and what the answer does."""

from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from agents.play.events import Event
from agents.play.menu import InputError, Item, items, read_item, read_signal
from agents.play.saving import RecordFile
from agents.play.screen import Screen
from agents.play.table import Table
from agents.play.words import Words
from tressette_env.actions import Action
from tressette_env.errors import TressetteError


class _Quit(Exception):
    """The person leaves the table."""


class Terminal:
    """One person at a table: ``read(prompt)`` is ``input``, or what stands for it in a test."""

    def __init__(
        self,
        table: Table,
        words: Words,
        file: RecordFile | None = None,
        read: Callable[[str], str] = input,
        console: Console | None = None,
    ) -> None:
        self.table, self.words, self.file = table, words, file
        self.screen = Screen(table, words, console or Console(highlight=False))
        self._read = read
        self._keys = {
            "q": self._quit,
            "h": self._hint,
            "l": self.screen.show_last_trick,
            "d": self.screen.show_declared,
            "?": self.screen.show_help,
        }

    def run(self) -> None:
        """Play until the person quits or the input ends; the game on the table is saved where a file was named.

        Raises ``KeyboardInterrupt`` for Ctrl-C, after saving, and ``TressetteError`` where that fails.
        """
        try:
            self.screen.welcome()
            self.screen.show_events(self.table.events)
            while True:
                self.screen.show_events(self._turn() if self.table.due else self._between())
        except (_Quit, EOFError):
            self.screen.say("")
        finally:
            self._keep()
        self.screen.tell("bye")

    # ---- questions ----
    def _turn(self) -> list[Event]:
        """Ask for a decision and return what came of it."""
        self.screen.show_table()
        legal = self.table.legal()
        choices = items(legal)
        self.screen.show_choices(choices, legal)
        while True:
            line = self._ask("number")
            if not line or self._key(line):
                continue
            try:
                item = read_item(line, choices, legal, self.table.rules, self.words)
            except InputError as error:
                self.screen.say(str(error))
                continue
            return self.table.act(self._with_signal(item, legal))

    def _with_signal(self, item: Item, legal: dict[int, Action]) -> int:
        """Return the action of a choice; a card that may carry signals is asked about."""
        if len(item.actions) == 1:
            return item.actions[0]
        self.screen.show_signals(item, legal)
        while True:
            try:
                return read_signal(self._ask("signal_prompt"), item, legal, self.words)
            except InputError as error:
                self.screen.say(str(error))

    def _between(self) -> list[Event]:
        """Show how a deal ended, wait, and return what comes after it."""
        self.screen.show_result()
        self._keep()
        while True:
            line = self._ask("another" if self.table.over else "next")
            if not line:
                return self.table.go_on()
            if not self._key(line):
                self.screen.tell("only_keys")

    def _ask(self, prompt: str) -> str:
        return self._read(self.words(prompt)).strip()

    # ---- keys ----
    def _key(self, line: str) -> bool:
        """Do what a key asks for; return False for a line that is none."""
        key, _, rest = line.partition(" ")
        if key.casefold() == "s":
            self._save(rest.strip())
        elif line.casefold() in self._keys:
            self._keys[line.casefold()]()
        else:
            return False
        return True

    def _quit(self) -> None:
        raise _Quit

    def _hint(self) -> None:
        try:
            self.screen.show_hint(self.table.hint())
        except TressetteError as error:
            self.screen.tell("no_hint", why=error)

    # ---- saving ----
    def _save(self, name: str) -> None:
        """Save the game so far, in the file named now or before."""
        if not name and self.file is None:
            return self.screen.tell("save_where")
        try:
            if self.file is None or (name and Path(name) != self.file.path):
                self.file = RecordFile(name)
            self.file.save(self.table.record())
        except TressetteError as error:
            return self.screen.tell("not_saved", why=error)
        self.screen.tell("saved", path=self.file.path)

    def _keep(self) -> None:
        """Save the game so far where a file was named and the person took part."""
        if self.file is not None and self.table.played:
            self.file.save(self.table.record())
            self.screen.tell("saved", path=self.file.path)
