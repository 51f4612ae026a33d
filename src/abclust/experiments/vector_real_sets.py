"""Labelled tables that nobody generated here: judged by, never chosen by.

Iris, wine, breast cancer and digits ship with scikit-learn; the sentences are those of
:mod:`abclust.experiments.short_texts`.
"""

from collections.abc import Callable
from typing import Any

from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from abclust.datasets.labelled_set import LabelledSet
from abclust.experiments.short_texts import embedded_texts
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import stream

_SKLEARN: dict[str, Callable[..., Any]] = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
_HALVES_STREAM = 5


def real_sets() -> list[LabelledSet]:
    """All of them, whole.

    Examples
    --------
    >>> [(each.name, each.items.shape, each.n_clusters) for each in real_sets()][:2]
    [('iris', (150, 4), 3), ('wine', (178, 13), 3)]
    """
    tables = {name: read(return_X_y=True) for name, read in _SKLEARN.items()}
    return [LabelledSet(items, labels, name=name) for name, (items, labels) in tables.items()] + [
        embedded_texts()
    ]


def random_halves(whole: LabelledSet, n_halves: int, seed: int = 0) -> list[LabelledSet]:
    """Random halves of the rows of a set: how much a score owes to the very rows that are there.

    Parameters
    ----------
    whole
        A set of at least two items.
    n_halves
        How many.
    seed
        Which.

    Raises
    ------
    InvalidInputError
        If there are fewer than two items to halve.

    Examples
    --------
    >>> iris = real_sets()[0]
    >>> [each.n_items for each in random_halves(iris, 2)]
    [75, 75]
    """
    if whole.n_items < 2:
        raise InvalidInputError(f"whole must have at least two items. Got {whole.n_items}.")
    halves = []
    for part in range(n_halves):
        rng = stream(seed, _HALVES_STREAM, part)
        rows = rng.choice(whole.n_items, whole.n_items // 2, replace=False)
        halves.append(LabelledSet(whole.items[rows], whole.labels[rows], name=whole.name))
    return halves
