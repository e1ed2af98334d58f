"""Names of cards and actions in both languages; every text is used, and complete in both."""

import re
from pathlib import Path
from string import Formatter

import pytest

from agents.play.texts import TEXTS
from agents.play.words import WORDS, both
from tressette_env.actions import Action, decode
from tressette_env.cards import RANKS, SUITS, parse_card
from tressette_env.engine.state import PHASES
from tressette_env.presets import PRESETS, preset
from tressette_env.rules import SIGNALS

ROOT = Path(__file__).resolve().parents[2] / "agents"


@pytest.mark.parametrize(
    ("card", "english", "italian"),
    [
        ("3c", "three of cups", "tre di coppe"),
        ("Jd", "jack of coins", "fante di denari"),
        ("Cs", "knight of swords", "cavallo di spade"),
        ("Kb", "king of clubs", "re di bastoni"),
        ("Ac", "ace of cups", "asso di coppe"),
        ("7b", "seven of clubs", "sette di bastoni"),
    ],
)
def test_cards(card, english, italian):
    assert both(lambda words: words.card(parse_card(card))) == {"en": english, "it": italian}


@pytest.mark.parametrize("language", WORDS)
def test_the_help_explains_every_letter_of_a_card(language):
    words = WORDS[language]
    said = words("key_letters")
    assert " ".join(reversed(RANKS)) in said
    letters = [f"{letter} {name}" for letter, name in zip(SUITS, words.suits, strict=True)]
    letters += [f"{letter} {name}" for letter, name in zip(RANKS, words.ranks, strict=True) if letter.isalpha()]
    assert [text for text in letters if text not in said] == []


def test_declarations_name_the_missing_suit():
    said = WORDS["it"].declared
    assert said("napoletana d") == "napoletana di denari"
    assert said("A without s") == "tre assi, senza spade"
    assert said("3 all") == "quattro tre"
    assert WORDS["en"].declared("2 without b") == "three twos, without clubs"


def test_a_discard_without_its_card_is_face_down():
    assert WORDS["it"].action(Action("discard")) == "uno scarto, coperto"


@pytest.mark.parametrize("name", PRESETS)
def test_no_two_actions_of_a_preset_read_alike(name):
    rules = preset(name)
    actions = [decode(action, rules) for action in range(rules.blocks.num_actions)]
    for words in WORDS.values():
        said = [words.action(action) for action in actions]
        assert len(set(said)) == len(said)


@pytest.mark.parametrize("key", TEXTS)
def test_both_languages_fill_the_same_blanks(key):
    english, italian = TEXTS[key]
    assert english.strip() and italian.strip()
    blanks = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in (english, italian)]
    assert blanks[0] == blanks[1]


def test_every_text_is_used_and_none_is_missing():
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("play", "replay", "web_assets")
        for path in (ROOT / folder).iterdir()
        if path.suffix in (".py", ".js", ".html") and path.name != "texts.py"
    )
    named = set(re.findall(r"[\"'`]([a-z_]+)[\"'`]", sources))
    built = {f"{what}_{phase}" for what in ("ask", "due") for phase in PHASES} | set(SIGNALS)
    unused = [key for key in TEXTS if key not in named | built]
    assert unused == []
    said = set(re.findall(r"\b(?:say|words|tell)\(\"([a-z_]+)\"", sources)) | set(
        re.findall(r"data-(?:say|label)=\"([a-z_]+)\"", sources)
    )
    assert [key for key in said if key not in TEXTS] == []
    assert {"ask_play", "due_play", "page_hints"} <= set(TEXTS)
