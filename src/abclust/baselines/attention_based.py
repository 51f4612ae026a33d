"""ABC: the paper's system, a kernel from context with the paper's back end."""

from abclust.baselines.interface import SystemCard
from abclust.baselines.learned_kernel import COMPATIBILITIES, LearnedKernelSystem
from abclust.baselines.learning import LearningConfig
from abclust.baselines.similarity_based import Model
from abclust.baselines.similarity_network import PAPER_BLOCKS, SimilarityNetwork
from abclust.foundations.options import check_choice


class AttentionBasedSystem(LearnedKernelSystem):
    r"""Items look at their whole set twice before they are compared; eigengap and spectral clustering.

    .. math:: K_{ij} = \kappa(T(X)_i, T(X)_j), \qquad T = \mathrm{SAB}_2 \circ \mathrm{SAB}_1 \circ
        \text{encoder}

    Parameters
    ----------
    compatibility
        "multiplicative" or "additive" (paper Table 1).
    learning
        The defaults are for Omniglot.
    model
        A network trained elsewhere, such as ``"omniglot-paper-mul"``.
    method
        The back end; "spectral" is the paper's.

    Notes
    -----
    Deviations from the original: those of our network and training (``docs/fidelity.md``); here besides the
    budget of image passes that all systems of the comparison share. The kernel is raw, as in the paper.

    Cost: one training of the background budget, an hour of one core; a set of 100 took 0.03 s of one core.

    References
    ----------
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
            f"abc-{compatibility}",
            f"ABC ({COMPATIBILITIES[compatibility]})",
            "learned kernel",
            reference="DOI 10.48550/arXiv.2010.01040",
            uses_context=True,
        )
        super().__init__(card, SimilarityNetwork(learning, compatibility, PAPER_BLOCKS), model, method)
