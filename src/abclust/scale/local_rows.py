"""Every local set through the network, some at a time: the log-odds of the items in the middle."""

import numpy as np
from jaxtyping import Float

from abclust.scale.checkpoint import WorkKeeper
from abclust.scale.evidence import PairEvidence
from abclust.scale.local_sets import LocalSets
from abclust.scale.progress import ScaleProgress

SETS_AT_ONCE = 64
SETS_BETWEEN_NOTES = 256
"""Sets after which a folder notes what is done: a few seconds of work that a kill may cost."""


def compute_rows(
    sets: LocalSets, evidence: PairEvidence, keeper: WorkKeeper, name: str, progress: ScaleProgress
) -> Float[np.ndarray, "c m"]:
    """The log-odds of each item in the middle of a set to all items of that set.

    Parameters
    ----------
    sets
        Local sets.
    evidence
        What says the log-odds.
    keeper
        Holds the rows; may know some of them from a run that was killed.
    name
        Of the rows, for the keeper and for a person who watches.
    progress
        Hears of the sets done.
    """
    n_sets, size = sets.items.shape
    rows, done = keeper.rows(name, (len(sets.middle), size))
    order = np.argsort(sets.set_of_middle, kind="stable")
    bounds = np.searchsorted(sets.set_of_middle[order], np.arange(n_sets + 1))
    progress.stage(name, n_sets, done)
    noted = done
    for start in range(done, n_sets, SETS_AT_ONCE):
        stop = min(start + SETS_AT_ONCE, n_sets)
        log_odds = evidence.log_odds(sets.items[start:stop])
        middle = order[bounds[start] : bounds[stop]]
        places = sets.set_of_middle[middle] - start
        is_self = sets.items[start:stop][places] == sets.middle[middle][:, None]
        rows[middle] = log_odds[places, is_self.argmax(axis=1)]
        if stop - noted >= SETS_BETWEEN_NOTES or stop == n_sets:
            keeper.note(name, stop)
            noted = stop
        progress.advance(stop)
    return rows
