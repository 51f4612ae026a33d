"""SKKm: the constrained kernel of SKMS, then kernel k-means."""

import numpy as np
from jaxtyping import Float

from abclust.baselines.constrained_kernel import ConstrainedKernelConfig, constrained_rows
from abclust.baselines.interface import SystemCard
from abclust.baselines.learned_rows import LearnedRowsSystem
from abclust.baselines.learning import LearningConfig
from abclust.baselines.number_choice import NumberChoice
from abclust.baselines.predicted_constraints import sample_pairs


class SKKmSystem(LearnedRowsSystem):
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

    Cost: learning that of the pairwise network; a set of 100 took 0.13 s of one core, an
    alphabet of 800 2.7 s.

    References
    ----------
    Anand, Mittal, Tuzel, Meer, "Semi-supervised kernel mean shift clustering", IEEE Transactions on Pattern
    Analysis and Machine Intelligence 36 (2014). DOI 10.1109/TPAMI.2013.190
    """

    def __init__(
        self,
        config: ConstrainedKernelConfig | None = None,
        number: NumberChoice | None = None,
        learning: LearningConfig | None = None,
        seed: int = 0,
    ) -> None:
        self.config = config or ConstrainedKernelConfig()
        card = SystemCard("skkm", "SKKm", "metric learning", reference="DOI 10.1109/TPAMI.2013.190")
        super().__init__(card, learning, number or NumberChoice(), seed)

    def learned_rows(
        self,
        features: Float[np.ndarray, "n h"],
        kernel: Float[np.ndarray, "n n"],
        generator: np.random.Generator,
    ) -> Float[np.ndarray, "n r"]:
        """Rows whose inner products are the constrained kernel."""
        pairs = sample_pairs(kernel, self.config.constraints, generator)
        return constrained_rows(features, pairs, self.config)
