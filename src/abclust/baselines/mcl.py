"""MCL (MLC in the paper's table): a classifier trained on the set by the likelihood of its pairs."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from abclust.baselines.interface import SystemCard
from abclust.baselines.learning import LearningConfig
from abclust.baselines.set_classifier import SetTrainingConfig
from abclust.baselines.set_trained import SetTrainedSystem
from abclust.baselines.similarity_based import Model
from abclust.baselines.similarity_network import SimilarityNetwork

_SMALLEST = 1e-7  # of a probability inside a logarithm (authors' code)


def mcl_loss(log_probabilities: Float[Tensor, "n k"], similar: Bool[Tensor, "n n"]) -> Float[Tensor, ""]:
    r"""The cross entropy of "these two are of one class", the event that two draws from p are alike.

    .. math::
        L = -\frac{1}{n^2} \sum_{ij} s_{ij} \log(p_i \cdot p_j) + (1 - s_{ij}) \log(1 - p_i \cdot p_j)

    Parameters
    ----------
    log_probabilities
        Of the clusters, for every item of the batch.
    similar
        Which pairs belong together; an item and itself do.

    References
    ----------
    Hsu, Lv, Schlosser, Odom, Kira, "Multi-class classification without multi-class labels", ICLR 2019.
    DOI 10.48550/arXiv.1901.00544

    Examples
    --------
    >>> sure = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).log()
    >>> same = torch.tensor([[True, True, False], [True, True, False], [False, False, True]])
    >>> float(mcl_loss(sure, same)) < 1e-6, float(mcl_loss(sure, ~same)) > 1
    (True, True)
    """
    probabilities = log_probabilities.exp()
    alike = probabilities @ probabilities.T
    likelihood = torch.where(similar, alike, 1 - alike)
    # Rounding may leave a product a little above 1.
    return -likelihood.clamp(min=0.0).add(_SMALLEST).log().mean()


class MCLSystem(SetTrainedSystem):
    """As KCL, with a likelihood in the place of divergences.

    Parameters
    ----------
    config
        Of the training on the set.
    learning
        Of the pairwise network; the defaults are for Omniglot.
    model
        A similarity network trained elsewhere.
    seed
        Of everything that is drawn while a set is clustered.

    Notes
    -----
    Deviations from the original: those of :class:`abclust.baselines.kcl.KCLSystem`; the loss is the
    authors'.

    Cost: as KCL.

    References
    ----------
    Hsu, Lv, Schlosser, Odom, Kira, "Multi-class classification without multi-class labels", ICLR 2019.
    DOI 10.48550/arXiv.1901.00544
    """

    def __init__(
        self,
        config: SetTrainingConfig | None = None,
        learning: LearningConfig | None = None,
        model: Model | None = None,
        seed: int = 0,
    ) -> None:
        card = SystemCard(
            "mcl",
            "MCL",
            "synthesised clusters",
            reference="DOI 10.48550/arXiv.1901.00544",
            optimises_on_the_set=True,
        )
        super().__init__(card, mcl_loss, SimilarityNetwork(learning), config, model, seed)
