"""ABC + KCL and ABC + MCL: the paper's idea of a hybrid, a kernel from context for a robust learner."""

from abclust.baselines.interface import SystemCard
from abclust.baselines.kcl import kcl_loss
from abclust.baselines.learning import LearningConfig
from abclust.baselines.mcl import mcl_loss
from abclust.baselines.set_classifier import SetTrainingConfig
from abclust.baselines.set_trained import SetTrainedSystem
from abclust.baselines.similarity_based import Model
from abclust.baselines.similarity_network import PAPER_BLOCKS, SimilarityNetwork
from abclust.foundations.options import resolve

LOSSES = {"kcl": ("KCL", kcl_loss), "mcl": ("MCL", mcl_loss)}


class HybridSystem(SetTrainedSystem):
    """The learner of KCL or MCL, told by ABC which pairs of the set are similar.

    "A hybrid approach where the similarities are learned instance wise, like in ABC, and then processed using
    a learned model which is robust to noise would be an interesting avenue for future research" (paper,
    Sec. 7).

    Parameters
    ----------
    learner
        "kcl" or "mcl".
    compatibility
        Of ABC.
    config
        Of the training on the set.
    learning
        Of ABC; the defaults are for Omniglot.
    model
        An ABC network trained elsewhere, such as ``"omniglot-paper-mul"``.
    seed
        Of everything that is drawn while a set is clustered.

    Notes
    -----
    Deviations: there is no original. ABC's raw kernel is thresholded at .8, and all else is as in
    :class:`abclust.baselines.kcl.KCLSystem` and :class:`abclust.baselines.mcl.MCLSystem`.

    Cost: learning that of ABC; a set as for KCL.

    References
    ----------
    Coward, Visse-Martindale, Ramesh, "Attention-based clustering: learning a kernel from context", 2020.
    DOI 10.48550/arXiv.2010.01040
    """

    def __init__(
        self,
        learner: str = "mcl",
        compatibility: str = "multiplicative",
        config: SetTrainingConfig | None = None,
        learning: LearningConfig | None = None,
        model: Model | None = None,
        seed: int = 0,
    ) -> None:
        title, loss = resolve("learner", learner, LOSSES)
        card = SystemCard(
            f"abc-{learner}",
            f"ABC + {title}",
            "synthesised clusters",
            reference="DOI 10.48550/arXiv.2010.01040, Sec. 7",
            uses_context=True,
            optimises_on_the_set=True,
        )
        similarity = SimilarityNetwork(learning, compatibility, PAPER_BLOCKS)
        super().__init__(card, loss, similarity, config, model, seed)
