"""Which calibration to trust: the best within the noise, if it holds on groups it was not chosen on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

_FOLDS_WITHOUT_GROUPS = 10


@dataclass(frozen=True)
class Choice:
    """The chosen row and what the same way of choosing is worth on groups left out."""

    index: int
    held_out: float
    """Mean score when each group's sets are scored with the row chosen on the other groups."""


def choose_candidate(
    scores: Float[np.ndarray, "candidates sets"],
    distances: Float[np.ndarray, "candidates"],
    groups: Sequence[str],
) -> Choice:
    """Choose a row of scores without being fooled by a few validation sets.

    1. One standard error: among the rows whose mean is behind the best by no more than the standard error
       of that very difference (paired by set, over groups), take the one nearest to the anchor.
    2. Held out: repeat step 1 with each group left out in turn and score the group left out. If that is no
       better than the anchor, the search has learned nothing that carries over, and the anchor stays.

    Parameters
    ----------
    scores
        One row a candidate, one column a set.
    distances
        How far each candidate is from the anchor; the anchor is the row at distance 0.
    groups
        The group of each set. If there is only one, sets stand for themselves, in ten folds.

    References
    ----------
    Breiman et al., "Classification and Regression Trees", 1984, Sec. 3.4.3 (the rule of one standard error).
    https://doi.org/10.1201/9781315139470

    Examples
    --------
    >>> scores = np.array([[0.5, 0.4, 0.6], [0.9, 0.8, 0.9], [0.9, 0.8, 0.9]])
    >>> choose_candidate(scores, np.array([0.0, 1.0, 2.0]), ["a", "b", "c"]).index
    1
    """
    folds = _folds(groups, scores.shape[1])
    anchor = int(np.argmin(distances))
    chosen = _within_one_standard_error(scores, distances, folds)
    n_folds = int(folds.max()) + 1
    if n_folds == 1:  # one set alone cannot speak against the anchor
        return Choice(anchor, float(scores[anchor].mean()))
    left_out = np.empty(scores.shape[1])
    for fold in range(n_folds):
        inside = folds == fold
        best = _within_one_standard_error(scores[:, ~inside], distances, folds[~inside])
        left_out[inside] = scores[best, inside]
    held_out = float(left_out.mean())
    return Choice(chosen if held_out > scores[anchor].mean() else anchor, held_out)


def _within_one_standard_error(
    scores: Float[np.ndarray, "candidates sets"],
    distances: Float[np.ndarray, "candidates"],
    folds: Int[np.ndarray, "sets"],
) -> int:
    behind = scores[np.argmax(scores.mean(axis=1))] - scores
    means = behind.mean(axis=1)
    deviations = behind - means[:, None]
    members = folds[:, None] == np.unique(folds)[None, :]  # (sets, folds present)
    n_folds = members.shape[1]
    if n_folds == 1:
        errors = np.zeros(len(means))
    else:
        errors = (
            np.sqrt(n_folds / (n_folds - 1) * np.sum((deviations @ members) ** 2, axis=1)) / scores.shape[1]
        )
    # Rows that differ by rounding alone are tied.
    allowed = means <= errors + 1e-12
    return int(np.argmin(np.where(allowed, distances, np.inf)))


def _folds(groups: Sequence[str], n_sets: int) -> Int[np.ndarray, "sets"]:
    _, codes = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    if codes.max() > 0:
        return codes
    return np.arange(n_sets) % _FOLDS_WITHOUT_GROUPS
