"""Ward's hierarchy on the items as they are."""

from pathlib import Path

import numpy as np
from jaxtyping import Int, Shaped

from abclust.baselines.interface import Background, SystemCard, checked_labels, flat_items
from abclust.baselines.number_choice import NumberChoice, labels_for_number


class AgglomerativeSystem:
    r"""Clusters united two by two, always those whose union costs least, until k are left.

    .. math:: \Delta(A, B) = \frac{|A| \, |B|}{|A| + |B|} \, \| \bar x_A - \bar x_B \|^2

    is the growth of the within-cluster squares (scikit-learn's ``AgglomerativeClustering``, Ward linkage).

    Parameters
    ----------
    number
        What k is where nobody knows it.

    Notes
    -----
    Deviations from the original: none. Nothing is learned, nothing is drawn.

    Cost: a set of 100 images took less than 0.01 s of one core, an alphabet of 800 0.1 s.

    References
    ----------
    Ward, "Hierarchical grouping to optimize an objective function", Journal of the American Statistical
    Association 58 (1963). DOI 10.1080/01621459.1963.10500845

    Examples
    --------
    >>> AgglomerativeSystem().cluster(np.array([[0.0], [9.0], [0.1], [9.1]]), n_clusters=2).tolist()
    [0, 1, 0, 1]
    """

    card = SystemCard(
        "agglomerative",
        "agglomerative (Ward)",
        "no learning",
        reference="DOI 10.1080/01621459.1963.10500845",
        learns=False,
    )

    def __init__(self, number: NumberChoice | None = None) -> None:
        self.number = number or NumberChoice()
        self.image_passes = 0

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Nothing to learn."""

    def cluster(
        self, items: Shaped[np.ndarray, "n ..."], n_clusters: int | None = None
    ) -> Int[np.ndarray, " n"]:
        """Labels of one set; see :class:`abclust.baselines.interface.Baseline`."""
        return checked_labels(self.card, items, n_clusters, self._labels)

    def _labels(self, items: np.ndarray, n_clusters: int | None) -> np.ndarray:
        from sklearn.cluster import AgglomerativeClustering

        rows = flat_items(items)
        return labels_for_number(
            lambda number: AgglomerativeClustering(number).fit_predict(rows), rows, n_clusters, self.number
        )
