"""SKKm: the constrained kernel of SKMS, then kernel k-means."""

from pathlib import Path

import numpy as np
from jaxtyping import Int, Shaped

from abclust.baselines.constrained_kernel import ConstrainedKernelConfig, constrained_rows
from abclust.baselines.interface import Background, SystemCard, checked_labels
from abclust.baselines.k_means import k_means_labels
from abclust.baselines.learning import LearningConfig
from abclust.baselines.number_choice import NumberChoice, labels_for_number
from abclust.baselines.predicted_constraints import sample_pairs
from abclust.baselines.similarity_network import SimilarityNetwork
from abclust.foundations.random_state import stream


class SKKmSystem:
    r"""A Gaussian kernel moved to obey predicted pairs, then k-means in its space.

    .. math::
        \min_{\text{partitions}} \sum_i \| \phi_i - \bar\phi_{c(i)} \|^2
        = \min \; \operatorname{tr} K - \sum_c \tfrac{1}{|c|} \sum_{i, j \in c} K_{ij}

    With K = Z Z' this is plain k-means on the rows of Z
    (:func:`~abclust.baselines.constrained_kernel.constrained_rows`).

    Parameters
    ----------
    config
        Constraints, rank and slack of the kernel.
    number
        What k is where nobody knows it.
    learning
        Of the pairwise network; the defaults are for Omniglot.
    seed
        Of the sample of constraints and of k-means.

    Notes
    -----
    Deviations from the original: as for SKMS up to the kernel
    (:class:`abclust.baselines.skms.SKMSSystem`); ten k-means++ starts.

    Cost: learning that of the pairwise network; a set of 100 took 0.2 s of one core, an alphabet of 800 14 s.

    References
    ----------
    Anand, Mittal, Tuzel, Meer, "Semi-supervised kernel mean shift clustering", IEEE Transactions on Pattern
    Analysis and Machine Intelligence 36 (2014). DOI 10.1109/TPAMI.2013.190
    """

    card = SystemCard("skkm", "SKKm", "metric learning", reference="DOI 10.1109/TPAMI.2013.190")

    def __init__(
        self,
        config: ConstrainedKernelConfig | None = None,
        number: NumberChoice | None = None,
        learning: LearningConfig | None = None,
        seed: int = 0,
    ) -> None:
        self.config = config or ConstrainedKernelConfig()
        self.number = number or NumberChoice()
        self.similarity = SimilarityNetwork(learning)
        self.seed = seed

    @property
    def image_passes(self) -> int:
        """Items that the pairwise network was trained on."""
        return self.similarity.image_passes

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Learn the pairwise network; see :class:`abclust.baselines.interface.Baseline`."""
        self.similarity.learn(background, folder)

    def cluster(
        self, items: Shaped[np.ndarray, "n ..."], n_clusters: int | None = None
    ) -> Int[np.ndarray, " n"]:
        """Labels of one set; see :class:`abclust.baselines.interface.Baseline`."""
        return checked_labels(self.card, items, n_clusters, self._labels)

    def _labels(self, items: np.ndarray, n_clusters: int | None) -> np.ndarray:
        pairs = sample_pairs(self.similarity.kernel(items), self.config.constraints, stream(self.seed))
        rows = constrained_rows(self.similarity.features(items), pairs, self.config)
        return labels_for_number(
            lambda number: k_means_labels(rows, number, self.seed), rows, n_clusters, self.number
        )
