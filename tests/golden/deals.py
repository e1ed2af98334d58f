"""The golden deals: one for each preset and some more, chosen so that what is special about the rules happens."""

from dataclasses import dataclass

from tressette_env.presets import PRESETS


@dataclass(frozen=True)
class Case:
    """One episode to be played: from the seed, or as given; the opening first, then at random."""

    rules: str | dict
    seed: int = 0
    shows: tuple[str, ...] = ()  # regular expressions that the score sheet matches: why this deal was chosen
    opening: str = ""  # action texts, split by commas
    deal: str | None = None
    dealer: int | None = None
    bold: int = -1  # seat that always plays its strongest legal card


# Seat 0 takes every trick, strongest cards first.
SWEEP = "3c2cAcKc 3d2dAd 3s2s 3b | CcJc7c KdCdJd AsKsCs 2b | 6c5c4c 7d6d5d JsAbKbCb | 4d 7s6s5s4s Jb7b6b5b4b"
# Seats 1 and 3 hold less than a point.
POOR = "AcKcCcJc AdKdCd AsKs 2b | 3c2c 7d6d5d4d 7s6s5s4s | 3d2dJd 3s2sCsJs AbKbCb | 7c6c5c4c 3bJb7b6b5b4b"
# Worked example 15 of docs/rules.md: a published deal (github epifab/bastoni, test data).
PUBLISHED = "2c6c Cd7d6d As4s 2bCb5b | Kc5c4c KdJd Cs5s Ab6b4b | Ac7c 3d2dAd5d 3sKs7s Jb | 3cCcJc 4d 2sJs6s 3bKb7b"
PUBLISHED_PLAYS = (
    "5b, 4b, Jb, 3b, 6s, As, Cs, 7s, 6c, Kc, 7c, Cc, Jd, Ad, 4d, Cd, 5d, 2s, 7d, Kd, "
    "4c, Ac, 3c, 2c, Js, 4s, 5s, Ks, 3s, Kb, Cb, 5c, 3d, 7b, 6d, Ab, 2d, Jc, 2b, 6b"
)
LATE = {"declare_when": "end_first_trick", "cappotto": "plus_one", "remainder": "exact"}

# name of the file: what is played
CHOSEN = {
    # ---- presets
    "tressette": Case("tressette", 249, ("declare napoletana", ": done", " busso", " volo", " striscio")),
    "treseta": Case("treseta", 1, (r"leads [^/]*/.* volo.*->", r"leads [^/]*/.* striscio.*->", " busso")),
    "treseta_croatian": Case(
        "treseta_croatian", 1, (r"declare .*\(at its first turn\)\n(seat.*\n)*trick 1: ", " busso")
    ),
    "no_signals": Case("no_signals", 7, ("declare napoletana", "declare [A23]")),
    "bolognese": Case(
        "bolognese",
        6,
        (r"dealer 0\n(.*\n)*.*: play on\nseat .: monte\nno result, dealt again\ndeal 1, dealer 0", ": declare"),
        opening="play on, monte",
        deal=POOR,
        dealer=0,
    ),
    "briscola": Case("briscola", 1, ("trump", ": declare")),
    "due": Case("due", 0, ("drawn",)),
    "due_pagat": Case("due_pagat", 0, ("drawn",)),
    "a_tre": Case("a_tre", 30, (": declare", ": done", "left over for seat .: .*[A32KCJ]")),
    "calabresella": Case(
        "calabresella",
        197,
        ("no result, dealt again", "handed over by", ": give", "seen by 0 1 2", "left over for seat .: .*[A32KCJ]"),
        opening="bid pass, bid pass, bid pass",
    ),
    "calabresella_two": Case(
        "calabresella_two", 183, (r"(..) lies in the monte(.|\n)*seen by .\n(.|\n)*left over for seat .: .*\1",)
    ),
    "chiamata": Case("chiamata", 31, (r"known to .\n(.|\n)*trick [456](.|\n)*known to 0 1 2 3 4",)),
    "traversone": Case("traversone", 5, ("cappotto 0", "points 0 11 11 11"), deal=SWEEP, dealer=3, bold=0),
    "traversone_pairs": Case("traversone_pairs", 3, (" busso", " volo", " striscio")),
    "traversone_3p": Case("traversone_3p", 0),
    "traversone_2p": Case("traversone_2p", 0, ("drawn",)),
    "mini_2p": Case("mini_2p", 0, ("left over for seat .: .*[AK3]",)),
    "mini_due": Case("mini_due", 0, ("drawn",)),
    "mini_4p": Case("mini_4p", 3, (" striscio",)),
    "mini_4p_12": Case("mini_4p_12", 11, (" striscio", " busso| volo")),
    # ---- what no deal of a preset reaches
    "published": Case("gamelake", opening=PUBLISHED_PLAYS, deal=PUBLISHED, dealer=3),
    "end_first_trick": Case(LATE, 57, (r"trick 1(.|\n)*declare(.|\n)*: done(.|\n)*trick 2",)),
    "cappotto_double": Case(
        {"preset": "gamelake", "cappotto": "double"}, 5, ("points 22 0", "cappotto 1"), deal=SWEEP, dealer=3, bold=0
    ),
    "calabresella_solo": Case(
        "calabresella", 1, (r"seen by .\n", "totals -2 4 -2"), opening="bid pass, bid chiamo, bid solo"
    ),
    "calabresella_solissimo": Case(
        "calabresella", 16, (r"seat . holds(?!(.|\n)*takes)", "totals 6", "left over"), opening="bid solissimo"
    ),
    "calabresella_two_solissimo": Case("calabresella_two", 0, ("takes .. .., seen by .\n",), opening="bid solissimo"),
    "chiamata_solo": Case("chiamata", 1, (r"bid chiamo(.|\n)*bid solo\n(?!(.|\n)*partner)", "totals .*8")),
    "all_passed": Case("calabresella", 0, ("no result, episode cut",), opening=", ".join(["bid pass"] * 9)),
    "revoke": Case({"preset": "traversone", "revoke": "flat_11"}, 846, ("revoke by", "points 11 0 0 1")),
}

# A preset that is not named above is played from seed 0.
DEALS = {name: Case(name) for name in PRESETS} | CHOSEN
