"""KCL (KLC in the paper's table): a classifier trained on the set by the KL divergences of its pairs."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from abclust.baselines.interface import SystemCard
from abclust.baselines.learning import LearningConfig
from abclust.baselines.set_classifier import SetTrainingConfig
from abclust.baselines.set_trained import SetTrainedSystem
from abclust.baselines.similarity_based import Model
from abclust.baselines.similarity_network import SimilarityNetwork

MARGIN = 2.0
_SMALLEST = 1e-7  # of a probability inside a logarithm (authors' code)


def kcl_loss(log_probabilities: Float[Tensor, "n k"], similar: Bool[Tensor, "n n"]) -> Float[Tensor, ""]:
    r"""Similar pairs shall have one distribution over clusters, different pairs distributions far apart.

    .. math::
        L = \frac{1}{n^2} \sum_{ij} s_{ij} \, \mathrm{KL}(p_i^* \| p_j)
        + (1 - s_{ij}) \max(0, m - \mathrm{KL}(p_i^* \| p_j)), \qquad m = 2

    over ordered pairs, both directions, where the star marks a constant: no gradient.

    Parameters
    ----------
    log_probabilities
        Of the clusters, for every item of the batch.
    similar
        Which pairs belong together; an item and itself do.

    References
    ----------
    Hsu, Lv, Kira, "Learning to cluster in order to transfer across domains and tasks", ICLR 2018.
    DOI 10.48550/arXiv.1711.10125

    Examples
    --------
    >>> sure = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).log()
    >>> same = torch.tensor([[True, True, False], [True, True, False], [False, False, True]])
    >>> float(kcl_loss(sure, same)), float(kcl_loss(sure, ~same)) > 1
    (0.0, True)
    """
    log_other = log_probabilities.clamp(min=torch.tensor(_SMALLEST).log().item())
    fixed = log_other.detach()
    # KL(p_i || p_j) = sum p_i log p_i - sum p_i log p_j for every ordered pair.
    divergences = (fixed.exp() * fixed).sum(dim=1)[:, None] - fixed.exp() @ log_other.T
    apart = (MARGIN - divergences).clamp(min=0)
    return torch.where(similar, divergences, apart).mean()


class KCLSystem(SetTrainedSystem):
    """A similarity network learned on the background predicts pairs; a classifier is trained on them.

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
    Deviations from the original:

    - The similarity network is the pairwise network of this comparison (multiplicative compatibility of
      encoded items, symmetric), not a network on concatenated pairs. It predicts each pair of the set once,
      unvaried; the authors' code predicts varied copies anew in each update and leaves batch norm adapting.
    - The classifier is a head on that network's encoder, which stays as it is: eight varied copies of each
      item are encoded once, and an update draws one of them (``trunk="random"`` of
      :class:`~abclust.baselines.set_classifier.SetTrainingConfig` trains a whole network from nothing, as the
      authors do).
    - The first logits are spread out; Adam's rate is 1e-2; 300 updates at least, in batches of 200.

    Cost: learning that of the pairwise network; a set of 100 takes 300 updates and took 1.1 s of one core, an
    alphabet of about 800 drawings 4.3 s.

    References
    ----------
    Hsu, Lv, Kira, "Learning to cluster in order to transfer across domains and tasks", ICLR 2018.
    DOI 10.48550/arXiv.1711.10125
    """

    def __init__(
        self,
        config: SetTrainingConfig | None = None,
        learning: LearningConfig | None = None,
        model: Model | None = None,
        seed: int = 0,
    ) -> None:
        card = SystemCard(
            "kcl",
            "KCL",
            "synthesised clusters",
            reference="DOI 10.48550/arXiv.1711.10125",
            optimises_on_the_set=True,
        )
        super().__init__(card, kcl_loss, SimilarityNetwork(learning), config, model, seed)
