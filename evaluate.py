"""Compare bots and checkpoints on duplicate deals: a cross table, ratings and the same as JSON.

python evaluate.py random heuristic --deals 2000 --rules tressette --seed 7 --json out.json
python evaluate.py runs/NAME heuristic
python evaluate.py --list
"""

import sys

from agents.evaluate_cli import main

if __name__ == "__main__":
    sys.exit(main())
