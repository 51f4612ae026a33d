"""Every system of the comparison by its name, in the order of the table."""

from collections.abc import Callable

from abclust.baselines.agglomerative import AgglomerativeSystem
from abclust.baselines.attention_based import AttentionBasedSystem
from abclust.baselines.deep_amortized import DeepAmortizedSystem
from abclust.baselines.deep_transfer import DeepTransferSystem
from abclust.baselines.hdbscan_density import HDBSCANSystem
from abclust.baselines.hybrids import HybridSystem
from abclust.baselines.interface import Baseline
from abclust.baselines.itml import ITMLSystem
from abclust.baselines.k_means import KMeansSystem
from abclust.baselines.kcl import KCLSystem
from abclust.baselines.learning import LearningConfig
from abclust.baselines.library_default import LibraryDefaultSystem
from abclust.baselines.mcl import MCLSystem
from abclust.baselines.pairwise import PairwiseSystem
from abclust.baselines.set_transformer import SetTransformerSystem
from abclust.baselines.skkm import SKKmSystem
from abclust.baselines.sklr import SKLRSystem
from abclust.baselines.skms import SKMSSystem
from abclust.baselines.spectral_rbf import SpectralRBFSystem
from abclust.foundations.options import resolve

Factory = Callable[[LearningConfig, int], Baseline]
"""``factory(learning, seed) -> system`` with the system's own settings."""

SYSTEMS: dict[str, Factory] = {
    "k-means": lambda learning, seed: KMeansSystem(seed=seed),
    "spectral-rbf": lambda learning, seed: SpectralRBFSystem(),
    "agglomerative": lambda learning, seed: AgglomerativeSystem(),
    "hdbscan": lambda learning, seed: HDBSCANSystem(),
    "itml": lambda learning, seed: ITMLSystem(learning=learning, seed=seed),
    "skms": lambda learning, seed: SKMSSystem(learning=learning, seed=seed),
    "skkm": lambda learning, seed: SKKmSystem(learning=learning, seed=seed),
    "sklr": lambda learning, seed: SKLRSystem(learning=learning, seed=seed),
    "pairwise-multiplicative": lambda learning, seed: PairwiseSystem("multiplicative", learning),
    "pairwise-additive": lambda learning, seed: PairwiseSystem("additive", learning),
    "pairwise-siamese": lambda learning, seed: PairwiseSystem("siamese", learning),
    "set-transformer": lambda learning, seed: SetTransformerSystem(learning=learning, seed=seed),
    "dac": lambda learning, seed: DeepAmortizedSystem(learning=learning, seed=seed),
    "kcl": lambda learning, seed: KCLSystem(learning=learning, seed=seed),
    "mcl": lambda learning, seed: MCLSystem(learning=learning, seed=seed),
    "dtc-pi": lambda learning, seed: DeepTransferSystem(learning=learning, seed=seed),
    "abc-additive": lambda learning, seed: AttentionBasedSystem("additive", learning),
    "abc-multiplicative": lambda learning, seed: AttentionBasedSystem("multiplicative", learning),
    "abc-kcl": lambda learning, seed: HybridSystem("kcl", learning=learning, seed=seed),
    "abc-mcl": lambda learning, seed: HybridSystem("mcl", learning=learning, seed=seed),
    "abclust": lambda learning, seed: LibraryDefaultSystem(seed=seed),
}
"""Factories by name."""


def build_baseline(name: str, learning: LearningConfig | None = None, *, seed: int = 0) -> Baseline:
    """The system of that name, with its default settings.

    Parameters
    ----------
    name
        One of :func:`baseline_names`.
    learning
        The encoder, background sampling and budget that all learned systems share; the defaults are for
        Omniglot.
    seed
        Of what a system draws while it clusters; that of learning is in `learning`.

    Raises
    ------
    InvalidInputError
        If there is no such system; the message lists the names.

    Examples
    --------
    >>> build_baseline("dac").card.title
    'DAC'
    """
    return resolve("name", name, SYSTEMS)(learning or LearningConfig(), seed)


def baseline_names() -> tuple[str, ...]:
    """The names of all systems, in the order of the table."""
    return tuple(SYSTEMS)
