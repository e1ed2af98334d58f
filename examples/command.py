"""What the examples' command lines share: flags from a dataclass, one sentence per error, a match as one line."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

from agents.arena import play_pair
from agents.flags import parse_flags, rules_flag
from tressette_env.bots import Policy, make
from tressette_env.errors import TressetteError
from tressette_env.presets import make_rules
from tressette_env.rules import Rules


def run_command(name: str, options: type[Any], run: Callable[[Any], object], args: Sequence[str] | None) -> int:
    """Run an example and return its exit code: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C.

    ``options``: a dataclass, each field of it a flag; its ``check()`` raises ``TressetteError`` for bad values.
    """
    try:
        try:
            chosen = parse_flags(options, args, name)
            chosen.check()
        except TressetteError as error:
            return _fail(name, error, 2)
        run(chosen)
        return 0
    except (TressetteError, OSError) as error:
        return _fail(name, error, 1)
    except KeyboardInterrupt:
        return _fail(name, "stopped", 130)


def _fail(name: str, error: object, code: int) -> int:
    print(f"{name}: {error}", file=sys.stderr)
    return code


def read_rules(text: str) -> Rules:
    """Return the rules that a flag names: a preset, a YAML file or ``{preset: tressette, target: 31}``.

    Raises ``TressetteError`` for anything else.
    """
    return make_rules(rules_flag(text))


def match(policy: Policy, bot: str, rules: Rules, deals: int, seed: int) -> str:
    """Return the result of a duplicate match against a bot as one line, in points per deal."""
    result = play_pair(policy, make(bot), rules, deals, seed)
    low, high = result.ci95
    return (
        f"{result.a} against {result.b}: {result.mean:+.2f} points a deal, 95 % interval {low:+.2f} to {high:+.2f}, "
        f"{result.n} duplicate deals of {rules.name}"
    )
