"""The systems of the comparison, in the order of the table, as a domain needs them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from abclust.baselines.attention_based import AttentionBasedSystem
from abclust.baselines.deep_transfer import DeepTransferConfig, DeepTransferSystem
from abclust.baselines.embedded_clustering import SelfTrainingConfig
from abclust.baselines.hybrids import HybridSystem
from abclust.baselines.interface import SystemCard
from abclust.baselines.kcl import KCLSystem
from abclust.baselines.library_default import LibraryDefaultSystem
from abclust.baselines.mcl import MCLSystem
from abclust.baselines.registry import baseline_names, build_baseline
from abclust.baselines.set_classifier import SetTrainingConfig
from abclust.baselines.set_transformer import SetTransformerConfig, SetTransformerSystem
from abclust.baselines.staged_system import StagedSystem
from abclust.experiments.comparison_domains import ENCODED, PIXELS, SHEETS, Domain
from abclust.experiments.comparison_learning import QUICK_STEPS
from abclust.foundations.errors import InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork

COMPARED = tuple(name for name in baseline_names() if name != "pairwise-siamese")
"""The rows of the table; the third compatibility is no row of the paper's."""
LIBRARY_WEIGHTS = {"omniglot": "omniglot", "digits": "vectors", "texts": "vectors"}
"""Which shipped weights are "abclust" in each domain."""
PAPER_NETWORKS = {
    "abc-additive": "omniglot-paper-add",
    "abc-multiplicative": "omniglot-paper-mul",
    "abc-kcl": "omniglot-paper-mul",
    "abc-mcl": "omniglot-paper-mul",
}
"""On Omniglot ABC is the networks of Tables 2 and 4, so that the tables agree."""
FEW, SOME, MANY = 10, 50, 1_000
"""Instances of a pool: for systems that train on each set, for SKMS, SKKm and SKLR, and for the rest."""
QUICK_INSTANCES = 2
SOME_INSTANCES = ("skms", "skkm", "sklr")


def n_instances(system: StagedSystem, *, quick: bool = False) -> int:
    """How many drawn sets of each pool a system is judged by.

    Examples
    --------
    >>> n_instances(build_baseline("dtc-pi")), n_instances(build_baseline("sklr"))
    (10, 50)
    """
    if quick:
        return QUICK_INSTANCES
    if system.card.optimises_on_the_set:
        return FEW
    return SOME if system.card.name in SOME_INSTANCES else MANY


def shown_to(card: SystemCard) -> str:
    """What a system is shown of an item.

    Examples
    --------
    >>> [shown_to(build_baseline(name).card) for name in ("abclust", "mcl", "k-means")]
    ['sheets', 'encoded', 'pixels']
    """
    if card.name == "abclust":  # frames images itself
        return SHEETS
    return ENCODED if card.learns else PIXELS


def check_names(names: Sequence[str]) -> None:
    """Refuse names that are no rows of the table.

    Raises
    ------
    InvalidInputError
        With the names that are.
    """
    unknown = sorted(set(names) - set(COMPARED))
    if unknown:
        raise InvalidInputError(f"systems must be some of {', '.join(COMPARED)}. Got {', '.join(unknown)}.")


def build_system(
    name: str,
    domain: Domain,
    networks: Mapping[str, ContextKernelNetwork] | None = None,
    *,
    quick: bool = False,
) -> StagedSystem:
    """The system of that name for a domain, not yet taught.

    Parameters
    ----------
    name
        One of :data:`COMPARED`.
    domain
        Says what is learned from and how.
    networks
        Networks trained elsewhere by name (:data:`PAPER_NETWORKS`); where the one that a system wants is
        missing, it learns one within the comparison's budget.
    quick
        Trainings of a few steps, on the background and on sets.
    """
    learning = domain.learning
    wanted = PAPER_NETWORKS.get(name) if domain.name == "omniglot" else None
    model = (networks or {}).get(wanted or "")
    on_a_set = SetTrainingConfig(epochs=1, smallest_steps=20, n_copies=2) if quick else SetTrainingConfig()
    special: dict[str, Callable[[], StagedSystem]] = {
        "abclust": lambda: LibraryDefaultSystem(LIBRARY_WEIGHTS[domain.name]),
        "abc-additive": lambda: AttentionBasedSystem("additive", learning, model),
        "abc-multiplicative": lambda: AttentionBasedSystem("multiplicative", learning, model),
        "abc-kcl": lambda: HybridSystem("kcl", config=on_a_set, learning=learning, model=model),
        "abc-mcl": lambda: HybridSystem("mcl", config=on_a_set, learning=learning, model=model),
        "kcl": lambda: KCLSystem(on_a_set, learning),
        "mcl": lambda: MCLSystem(on_a_set, learning),
        "set-transformer": lambda: SetTransformerSystem(_mixtures(domain, quick=quick), learning),
        "dtc-pi": lambda: DeepTransferSystem(_transfer(domain, quick=quick), learning),
    }
    system = special[name]() if name in special else build_baseline(name, learning)
    assert isinstance(system, StagedSystem)  # as all systems of the registry are
    return system


def _mixtures(domain: Domain, *, quick: bool) -> SetTransformerConfig:
    """Domains of vectors have smaller sets and a smaller budget."""
    config = SetTransformerConfig()
    if domain.name != "omniglot":
        steps = domain.learning.training.steps
        config = replace(config, pools=domain.learning.pools, training=replace(config.training, steps=steps))
    return replace(config, training=replace(config.training, steps=QUICK_STEPS)) if quick else config


def _transfer(domain: Domain, *, quick: bool) -> DeepTransferConfig:
    """A domain of vectors is a single group: there is none to keep from the encoder for probes."""
    config = DeepTransferConfig()
    if domain.name != "omniglot":
        config = replace(config, probes=replace(config.probes, n_groups=0))
    if not quick:
        return config
    probes = replace(config.probes, n_groups=min(1, config.probes.n_groups), n_classes=8, step=10)
    return DeepTransferConfig(SelfTrainingConfig(warmup_epochs=1, epochs=1), probes)
