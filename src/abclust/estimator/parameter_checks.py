"""The constructor's parameters, checked when `fit` is called, as scikit-learn wants it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abclust.clustering.default_method import DEFAULT_METHOD
from abclust.clustering.methods import METHODS
from abclust.clustering.sklearn_objects import is_clusterer
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice
from abclust.foundations.random_state import as_generator
from abclust.model.item_checks import as_device

SCALES = ("auto", "full", "local")
LARGEST_AUTO_SET = 20_000
"""Items up to which ``scale="auto"`` computes all pairs: their kernel has 3.2 GB in double precision."""


def check_parameters(parameters: dict[str, Any]) -> None:
    """Make sure that every parameter is of the kind it must be, before anything is computed.

    Parameters
    ----------
    parameters
        Those of :class:`abclust.AttentionClustering`, from ``get_params(deep=False)``.

    Raises
    ------
    InvalidInputError
        For the first parameter that is not.

    Examples
    --------
    >>> check_parameters({"n_clusters": (2, 5), "method": "spectral", "scale": "auto", "device": "cpu",
    ...                   "random_state": 0})
    """
    _check_number(parameters["n_clusters"])
    if not is_clusterer(parameters["method"]):
        check_choice("method", parameters["method"], (DEFAULT_METHOD, *METHODS))
    check_choice("scale", parameters["scale"], SCALES)
    as_device(parameters["device"])
    if isinstance(parameters["random_state"], np.random.RandomState | np.random.Generator):
        return  # as_generator would draw from it
    as_generator(parameters["random_state"])


def goes_local(n_items: int, scale: str) -> bool:
    """Whether a set is clustered by local sets: if the caller says so, or if it is large and nothing is said.

    Examples
    --------
    >>> goes_local(500, "auto"), goes_local(100_000, "auto"), goes_local(100_000, "full")
    (False, True, False)
    """
    return scale == "local" or (scale == "auto" and n_items > LARGEST_AUTO_SET)


def check_size(n_items: int, scale: str) -> None:
    """Refuse a set whose kernel would hardly fit in memory, unless the caller insists.

    Raises
    ------
    InvalidInputError
        If there are more than 20,000 items and `scale` is not ``"full"``.
    """
    if scale == "auto" and n_items > LARGEST_AUTO_SET:
        raise InvalidInputError(
            f"X must have at most {LARGEST_AUTO_SET:,} items with scale='auto'. Got {n_items:,}, whose "
            f"kernel alone would take {8 * n_items**2 / 1e9:.1f} GB. Cluster a sample and let predict place "
            "the rest in parts, or insist with scale='full'."
        )


def _check_number(n_clusters: Any) -> None:
    if n_clusters is None:
        return
    is_range = isinstance(n_clusters, Sequence) and not isinstance(n_clusters, str) and len(n_clusters) == 2
    values: list[Any] = list(n_clusters) if is_range else [n_clusters, n_clusters]
    is_whole = all(isinstance(k, int | np.integer) and not isinstance(k, bool) for k in values)
    if not is_whole or not 1 <= values[0] <= values[1]:
        raise InvalidInputError(
            f"n_clusters must be None, an integer of at least 1, or a range (min, max). Got {n_clusters!r}."
        )
