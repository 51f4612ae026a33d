"""Pairwise (Siamese) similarity: the paper's ablation, N = 0 of our network."""

from abclust.baselines.interface import SystemCard
from abclust.baselines.learned_kernel import COMPATIBILITIES, LearnedKernelSystem
from abclust.baselines.learning import LearningConfig
from abclust.baselines.similarity_based import Model
from abclust.baselines.similarity_network import PAIRWISE_BLOCKS, SimilarityNetwork
from abclust.foundations.options import check_choice


class PairwiseSystem(LearnedKernelSystem):
    r"""Two items are compared as if the others were not there.

    .. math::
        K_{ij} = \tfrac12 \left[ \sigma(\operatorname{compat}(z_i, z_j))
        + \sigma(\operatorname{compat}(z_j, z_i)) \right]

    with z the encoder's vectors, learned by the cross entropy of all pairs; then the eigengap and spectral
    clustering, as for ABC, so that the blocks between encoder and comparison are all that differs.

    Parameters
    ----------
    compatibility
        "multiplicative", "additive", or "siamese": the weighted L1 distance of the reference.
    learning
        The defaults are for Omniglot.
    model
        A network trained elsewhere, with N = 0.
    method
        The back end.

    Notes
    -----
    Deviations from the original: the encoder and training of this comparison instead of the reference's; the
    contrastive loss on the encoder beside the pair loss (ours, for all systems that share it).

    Cost: one training of the background budget, 1.6 million images by default, an hour of one core; a set of
    100 took 0.03 s of one core.

    References
    ----------
    Koch, Zemel, Salakhutdinov, "Siamese neural networks for one-shot image recognition", ICML deep learning
    workshop 2015. https://www.cs.cmu.edu/~rsalakhu/papers/oneshot1.pdf
    Coward, Visse-Martindale, Ramesh, "Attention-based clustering: learning a kernel from context", 2020.
    DOI 10.48550/arXiv.2010.01040
    """

    def __init__(
        self,
        compatibility: str = "multiplicative",
        learning: LearningConfig | None = None,
        model: Model | None = None,
        method: str = "spectral",
    ) -> None:
        check_choice("compatibility", compatibility, COMPATIBILITIES)
        card = SystemCard(
            f"pairwise-{compatibility}",
            f"pairwise ({COMPATIBILITIES[compatibility]})",
            "learned kernel",
            reference="DOI 10.48550/arXiv.2010.01040, ablation N = 0",
        )
        super().__init__(card, SimilarityNetwork(learning, compatibility, PAIRWISE_BLOCKS), model, method)
