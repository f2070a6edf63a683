"""Random tests at length. `make nightly` runs them whole, `make test` a short form of each.

`OUTPLAY_SEED` chooses the random numbers, `OUTPLAY_TORTURE` scales the number of cases: 1 is the full size.
"""

import os

SEED = int(os.environ.get("OUTPLAY_SEED", "0"))
SCALE = float(os.environ.get("OUTPLAY_TORTURE", "1"))
