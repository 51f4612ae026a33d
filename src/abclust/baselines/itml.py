"""ITML: a Mahalanobis metric from pairs, then k-means."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from abclust.baselines.interface import SystemCard
from abclust.baselines.learned_rows import LearnedRowsSystem
from abclust.baselines.learning import LearningConfig
from abclust.baselines.log_det_projection import ProjectionConfig, project_pairs, transformed_rows
from abclust.baselines.number_choice import NumberChoice
from abclust.baselines.predicted_constraints import ConstraintSample, PairConstraints, sample_pairs


@dataclass(frozen=True)
class ITMLConfig:
    """Everything about ITML beside the network that predicts its constraints."""

    constraints: ConstraintSample = ConstraintSample()  # noqa: RUF009 (frozen)
    """Which predictions become constraints."""
    projection: ProjectionConfig = ProjectionConfig(gamma=1.0)  # noqa: RUF009 (frozen)
    """Slack and end of the projections; gamma = 1 as in the authors' code."""
    percentiles: tuple[float, float] = (5.0, 95.0)
    """Of all squared distances: what similar pairs shall stay below, and different pairs above."""
    number: NumberChoice = field(default_factory=NumberChoice)
    """What k is where nobody knows it."""


class ITMLSystem(LearnedRowsSystem):
    r"""The metric nearest to the Euclidean one that obeys predicted pairs; k-means under it.

    .. math::
        d_M(x, y) = (x - y)' M (x - y), \qquad \min_M D_{\ell d}(M, I) \;\; \text{s.t.} \;\;
        d_M \le u \text{ for similar}, \; d_M \ge l \text{ for different pairs}

    with slacks, by cyclic projections (:func:`~abclust.baselines.log_det_projection.project_pairs`).

    Parameters
    ----------
    config
        Constraints, slack and number of clusters.
    learning
        Of the pairwise network; the defaults are for Omniglot.
    seed
        Of the sample of constraints and of k-means.

    Notes
    -----
    Deviations from the original:

    - Constraints are predictions of the pairwise network on the set itself, not labels.
    - Vectors are those of that network's encoder, of unit length, not pixels: all learned systems share it.
    - u and l are percentiles of *squared* distances, which is what the constraints compare.
    - Ours by its formula rather than metric-learn's, whose last release does not run with scikit-learn 1.8
      and later.

    Cost: learning that of the pairwise network; a set of 100 took 0.07 s of one core.

    References
    ----------
    Davis, Kulis, Jain, Sra, Dhillon, "Information-theoretic metric learning", ICML 2007. DOI
    10.1145/1273496.1273523
    """

    def __init__(
        self, config: ITMLConfig | None = None, learning: LearningConfig | None = None, seed: int = 0
    ) -> None:
        self.config = config or ITMLConfig()
        card = SystemCard("itml", "ITML", "metric learning", reference="DOI 10.1145/1273496.1273523")
        super().__init__(card, learning, self.config.number, seed)

    def learned_rows(
        self,
        features: Float[np.ndarray, "n h"],
        kernel: Float[np.ndarray, "n n"],
        generator: np.random.Generator,
    ) -> Float[np.ndarray, "n h"]:
        """Rows under the learned metric."""
        return itml_rows(features, sample_pairs(kernel, self.config.constraints, generator), self.config)


def itml_rows(
    features: Float[np.ndarray, "n d"], pairs: PairConstraints, config: ITMLConfig
) -> Float[np.ndarray, "n d"]:
    """Vectors whose plain distances are the learned ones.

    Examples
    --------
    >>> features = np.array([[0.0, 0.0], [0.0, 9.0], [1.0, 0.0], [1.0, 9.0]])  # the second number is noise
    >>> pairs = PairConstraints(np.array([[0, 1], [2, 3]]), np.array([[0, 2], [1, 3]]))
    >>> rows = itml_rows(features, pairs, ITMLConfig(projection=ProjectionConfig(gamma=1e6)))
    >>> bool(np.linalg.norm(rows[0] - rows[1]) < np.linalg.norm(rows[0] - rows[2]))
    True
    """
    from scipy.spatial.distance import pdist

    squared = pdist(features, "sqeuclidean")
    upper, lower = np.percentile(squared[squared > 0], config.percentiles) if squared.any() else (1.0, 1.0)
    metric = project_pairs(features, pairs, float(upper), float(lower), config.projection)
    return transformed_rows(features, metric)
