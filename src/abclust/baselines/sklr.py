"""SKLR: semi-supervised kernel learning from relative comparisons, then kernel k-means."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int

from abclust.baselines.comparison_projection import ComparisonConfig, project_comparisons
from abclust.baselines.constrained_kernel import kernel_rows
from abclust.baselines.interface import SystemCard
from abclust.baselines.learned_rows import LearnedRowsSystem
from abclust.baselines.learning import LearningConfig
from abclust.baselines.log_det_projection import transformed_rows
from abclust.baselines.number_choice import NumberChoice
from abclust.baselines.predicted_constraints import ConstraintSample, sample_comparisons
from abclust.kernel.fixed_kernels import LocalScalingKernel


@dataclass(frozen=True)
class SKLRConfig:
    """Everything about SKLR beside the network that predicts its comparisons."""

    comparisons: ConstraintSample = ConstraintSample()  # noqa: RUF009 (frozen)
    """Which predictions become comparisons."""
    projection: ComparisonConfig = ComparisonConfig()  # noqa: RUF009 (frozen)
    """Strictness and end of the projections."""
    n_neighbors: int = 100
    """Neighbour whose distance is the width of the first kernel at an item (authors' code)."""
    share: float = 0.99
    """Share of the sum of eigenvalues that the low-rank kernel keeps (authors' code)."""
    number: NumberChoice = field(default_factory=NumberChoice)
    """What k is where nobody knows it."""


class SKLRSystem(LearnedRowsSystem):
    r"""A kernel in which the odd one of three items is the farther one; then kernel k-means.

    .. math::
        K_0 = \exp\!\left(-\frac{\|x_i - x_j\|^2}{\sigma_i \sigma_j}\right), \qquad
        \min_K D_{\ell d}(K, K_0) \;\; \text{s.t.} \;\; \gamma \, d_K(i, j) \le d_K(i, k), d_K(j, k)

    (:func:`~abclust.baselines.comparison_projection.project_comparisons`).

    Parameters
    ----------
    config
        Comparisons, strictness, first kernel and number of clusters.
    learning
        Of the pairwise network; the defaults are for Omniglot.
    seed
        Of the sample of comparisons and of k-means.

    Notes
    -----
    Deviations from the original:

    - Comparisons are predictions of the pairwise network on the set itself: a pair that it calls similar and
      an item that it calls different from both.
    - Features are those of that network's encoder, of unit length, not standardised by column.
    - No comparisons of the kind "no outlier" (the authors' demonstration has none either).
    - Multipliers are kept and bounded: projections find the nearest kernel, and contradictions cost a finite
      price. The authors' code projects onto what is violated and forgets.

    Cost: learning that of the pairwise network; a set of 100 took 0.16 s of one core, an
    alphabet of 800 9 s.

    References
    ----------
    Amid, Gionis, Ukkonen, "A kernel-learning approach to semi-supervised clustering with relative distance
    comparisons", ECML PKDD 2015. DOI 10.1007/978-3-319-23528-8_14
    Amid, Gionis, Ukkonen, "Semi-supervised kernel metric learning using relative comparisons", 2016.
    arXiv:1612.00086
    """

    def __init__(
        self, config: SKLRConfig | None = None, learning: LearningConfig | None = None, seed: int = 0
    ) -> None:
        self.config = config or SKLRConfig()
        card = SystemCard("sklr", "SKLR", "metric learning", reference="DOI 10.1007/978-3-319-23528-8_14")
        super().__init__(card, learning, self.config.number, seed)

    def learned_rows(
        self,
        features: Float[np.ndarray, "n h"],
        kernel: Float[np.ndarray, "n n"],
        generator: np.random.Generator,
    ) -> Float[np.ndarray, "n r"]:
        """Rows whose inner products are the kernel that obeys the comparisons."""
        triples = sample_comparisons(kernel, self.config.comparisons, generator)
        return compared_rows(features, triples, self.config)


def compared_rows(
    features: Float[np.ndarray, "n d"], triples: Int[np.ndarray, "t 3"], config: SKLRConfig
) -> Float[np.ndarray, "n r"]:
    """Rows whose inner products are the learned kernel.

    Examples
    --------
    >>> features = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> rows = compared_rows(features, np.array([[0, 3, 1], [0, 3, 2]]), SKLRConfig())
    >>> bool(np.linalg.norm(rows[0] - rows[3]) < np.linalg.norm(rows[0] - rows[1]))
    True
    """
    rows = kernel_rows(LocalScalingKernel(config.n_neighbors).kernel(features), config.share)
    return transformed_rows(rows, project_comparisons(rows, triples, config.projection))
