"""k-means in which some items keep the class that they are known to have."""

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial.distance import cdist


def semi_supervised_k_means(
    rows: Float[np.ndarray, "u d"],
    known_rows: Float[np.ndarray, "l d"],
    known_labels: Int[np.ndarray, " l"],
    n_clusters: int,
    generator: np.random.Generator,
    iterations: int = 30,
) -> Int[np.ndarray, " u"]:
    r"""Lloyd's iterations over all items; those of known class stay in it.

    .. math::
        \min \sum_{i \text{ known}} \|x_i - c_{y_i}\|^2 + \sum_{i \text{ other}} \min_j \|x_i - c_j\|^2

    The first centres are the means of the known classes; the rest are drawn as by k-means++.

    Parameters
    ----------
    rows
        Items to be clustered; they may join known classes.
    known_rows, known_labels
        Items whose classes are known, 0 to m - 1.
    n_clusters
        At least m.
    generator
        Draws the first centres.
    iterations
        At most.

    Returns
    -------
    integer array (u,)
        Clusters 0 to m - 1 are the known classes.

    References
    ----------
    Han, Vedaldi, Zisserman, "Learning to discover novel visual categories via deep transfer clustering", ICCV
    2019. DOI 10.1109/ICCV.2019.00849

    Examples
    --------
    >>> known = np.array([[0.0], [0.2]])
    >>> rows = np.array([[0.1], [5.0], [5.1]])
    >>> semi_supervised_k_means(rows, known, np.array([0, 0]), 2, np.random.default_rng(0)).tolist()
    [0, 1, 1]
    """
    n_known = int(known_labels.max()) + 1
    centres = np.stack([known_rows[known_labels == label].mean(axis=0) for label in range(n_known)])
    centres = _with_drawn_centres(centres, rows, n_clusters, generator)
    everything = np.concatenate([known_rows, rows])
    labels = np.full(len(rows), -1)
    for _ in range(iterations):
        found = cdist(rows, centres, "sqeuclidean").argmin(axis=1)
        if np.array_equal(found, labels):
            break
        labels = found
        all_labels = np.concatenate([known_labels, labels])
        counts = np.bincount(all_labels, minlength=len(centres))
        sums = np.zeros_like(centres)
        np.add.at(sums, all_labels, everything)
        used = counts > 0  # a centre that nobody chose stays where it was
        centres[used] = sums[used] / counts[used, None]
    return labels


def _with_drawn_centres(
    centres: Float[np.ndarray, "m d"],
    rows: Float[np.ndarray, "u d"],
    n_clusters: int,
    generator: np.random.Generator,
) -> Float[np.ndarray, "k d"]:
    """Further centres among `rows`, each with a chance that grows with its squared distance."""
    nearest = cdist(rows, centres, "sqeuclidean").min(axis=1)
    while len(centres) < n_clusters:
        total = nearest.sum()
        chances = nearest / total if total > 0 else None
        chosen = rows[generator.choice(len(rows), p=chances)]
        centres = np.concatenate([centres, chosen[None]])
        nearest = np.minimum(nearest, ((rows - chosen) ** 2).sum(axis=1))
    return centres
