"""Every system of the registry with settings that learn and cluster within a second or two."""

from dataclasses import replace
from typing import Any

from tests.baselines.tiny_background import TINY_LEARNING, shorter

from abclust.baselines.deep_amortized import DeepAmortizedConfig, DeepAmortizedSystem
from abclust.baselines.deep_transfer import DeepTransferConfig
from abclust.baselines.embedded_clustering import SelfTrainingConfig
from abclust.baselines.interface import Baseline
from abclust.baselines.library_default import LibraryDefaultSystem
from abclust.baselines.probe_classes import ProbeConfig
from abclust.baselines.registry import baseline_names, build_baseline
from abclust.baselines.set_classifier import SetTrainingConfig
from abclust.baselines.set_transformer import SetTransformerConfig
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.training.config import TrainingConfig

ON_THE_SET = SetTrainingConfig(n_copies=2, epochs=2, smallest_steps=3, batch_size=13, n_outputs=11)
CONFIGS: dict[str, Any] = {
    "set-transformer": SetTransformerConfig(
        n_components=11,
        n_features=5,
        width=12,
        heads=2,
        n_induced=3,
        training=TrainingConfig(steps=5, accelerator="cpu"),
        pools=TINY_LEARNING.pools,
    ),
    "dac": DeepAmortizedConfig(n_layers=1, n_induced=3, largest_number=7),
    "kcl": ON_THE_SET,
    "mcl": ON_THE_SET,
    "abc-kcl": ON_THE_SET,
    "abc-mcl": ON_THE_SET,
    "dtc-pi": DeepTransferConfig(
        SelfTrainingConfig(warmup_epochs=1, epochs=1, batch_size=13, n_copies=2),
        ProbeConfig(n_groups=1, n_classes=5, maximum=8),
    ),
}
NAMES = baseline_names()
LEARNING_NAMES = tuple(name for name in NAMES if build_baseline(name).card.learns)


def quick_system(name: str) -> Baseline:
    """The system of that name, made small."""
    if name == "abclust":
        return LibraryDefaultSystem(ContextKernelNetwork(replace(TINY_LEARNING.network, n_blocks=1)))
    system: Any = build_baseline(name, shorter(5))
    if name in CONFIGS:
        system.config = CONFIGS[name]
    if isinstance(system, DeepAmortizedSystem):
        system.learning = shorter(5)
    return system
