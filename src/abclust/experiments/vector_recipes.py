"""The networks for vectors: what each is made of, what it is shown, and how it is trained.

A recipe is one value. To change a network, change its value here; the training, the comparison and the
weights that ship all read it.
"""

from dataclasses import dataclass, field, replace

from abclust.datasets.vector_preparation import VectorPreparation
from abclust.experiments.vector_sampler import VectorSampler
from abclust.foundations.options import resolve
from abclust.kernel.calibration import Calibration
from abclust.kernel.one_cluster_odds import OneClusterOdds
from abclust.model.config import ContextKernelConfig
from abclust.model.vector_views import VectorViewConfig
from abclust.training.config import TrainingConfig


@dataclass(frozen=True)
class VectorStage:
    """A part of a training: what is shown in it, and how it is learned."""

    sampler: VectorSampler
    training: TrainingConfig


@dataclass(frozen=True)
class VectorRecipe:
    """Everything that decides the weights of one network for vectors, and what its card says."""

    name: str
    """What ``abclust.load`` takes once the weights ship."""
    network: ContextKernelConfig
    training: TrainingConfig
    sampler: VectorSampler
    views: VectorViewConfig
    """How many looks the network takes at a set when it is used, and so when it is calibrated."""
    experiment: str
    """The experiment whose ``--train`` makes these weights."""
    trained_on: str
    """The data, in a sentence."""
    expects: str
    """What an item is, in a sentence."""
    cost: str
    """What the training takes, in a few words."""
    largest_bytes: int
    """The weights' file must stay below."""
    one_cluster_odds: OneClusterOdds
    """What is known of one cluster by the size of a table. Chosen on held-out and development sets, see
    results/log.md."""
    calibration_sizes: tuple[int, ...] = ()
    """Set sizes, in items, that the calibration is fitted at."""
    method: str = "expected-rand"
    """What turns the kernel into clusters unless the caller names another."""
    earlier: tuple[VectorStage, ...] = ()
    """What the network learns before ``training`` on ``sampler``, each stage from the weights of the one
    before."""
    set_calibration_sets: int = 0
    """Generated sets of all sizes that a calibration by set is fitted on; 0 for none."""
    trust: Calibration = field(default_factory=Calibration)
    """What follows on that: how far the family is to be trusted where tables are not of it."""

    @property
    def stages(self) -> tuple[VectorStage, ...]:
        """All that the network learns, in its order."""
        return (*self.earlier, VectorStage(self.sampler, self.training))

    @property
    def command(self) -> str:
        """The one command that trains these weights."""
        return f"abclust reproduce {self.experiment} --train"


_FIRST_SAMPLER = VectorSampler(
    preparation=VectorPreparation(
        n_slow_diffusion=8, n_linkage=8, values_of_full_weight=17, denoised_from=32
    ),
    tells_centres=True,
)
_FIRST_TRAINING = TrainingConfig(
    steps=13_500,
    precision="auto",
    accelerator="cpu",
    devices=2,
    strategy="ddp_fork",
    optimizer="muon",
    learning_rate=3e-3,
    ema_decay=0.999,
    validate_every=500,
    monitor="ari_k_unknown",
    diagonal=False,
    target_weight=1.0,
)
# Then sets in which nothing is wrong, and tables that repeat themselves; what is rounding no longer counts.
_SECOND_SAMPLER = replace(
    _FIRST_SAMPLER,
    orderly_share=0.4,
    family=replace(_FIRST_SAMPLER.family, redundant_share=0.15),
    preparation=replace(_FIRST_SAMPLER.preparation, smallest_deviation=0.03, counts_directions=True),
)
_SECOND_TRAINING = replace(_FIRST_TRAINING, steps=6_000, learning_rate=1.5e-3)
# Then more of these and plainer ones, and planes among a few columns of noise.
_SAMPLER = replace(_SECOND_SAMPLER, orderly_share=0.5, orderly_separation=(4.0, 14.0), planar_features=(2, 6))
_PREPARATION = _SAMPLER.preparation

RECIPES: dict[str, VectorRecipe] = {
    recipe.name: recipe
    for recipe in (
        VectorRecipe(
            name="vectors",
            network=ContextKernelConfig(
                n_features=_PREPARATION.width,
                fourier_octaves=4,
                n_blocks=6,
                pre_norm=True,
                feed_forward_width=256,
                feed_forward_activation="gelu",
                log_n_reference=100,
                similarity_bias=True,
                pair_columns=_PREPARATION.signed_groups,
                pair_sums=(_PREPARATION.n_signed, _PREPARATION.width),
            ),
            earlier=(
                VectorStage(_FIRST_SAMPLER, _FIRST_TRAINING),
                VectorStage(_SECOND_SAMPLER, _SECOND_TRAINING),
            ),
            training=replace(_SECOND_TRAINING, steps=5_000),
            sampler=_SAMPLER,
            views=VectorViewConfig(count=4),
            experiment="vectors",
            trained_on=(
                "generated sets of 10 to 2,000 vectors of 1 to 384 columns with 1 to 50 clusters: Gaussian, "
                "heavy-tailed, box-shaped, skewed, flat, long, bent, of small clumps, rings, moons, petals, "
                "snakes and spirals, with outliers, overlap, bent spaces, columns that measure common "
                "causes or are sums of others, uninformative, skewed, rounded and categorical columns, or "
                "with nothing of the kind; a new one every time"
            ),
            expects="rows of a table of numbers, of any width; missing values are allowed",
            cost="just under three hours on two cores",
            largest_bytes=10_000_000,
            one_cluster_odds=OneClusterOdds(100, 8, items_power=1.0, columns_power=0.25),
            set_calibration_sets=6_000,
            trust=Calibration(temperature=0.975, shift=0.05),
            calibration_sizes=(20, 50, 120, 300, 800, 1_600),
        ),
    )
}
"""The recipes by the name of their weights."""


def vector_recipe(name: str) -> VectorRecipe:
    """The recipe of that name.

    Raises
    ------
    InvalidInputError
        If there is none; the message lists the names.
    """
    return resolve("name", name, RECIPES)
