"""Between labelled sets and a network worth keeping: losses, batches, and a trainer that survives.

Names are imported on first use: the help of a command-line option must not wait for torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abclust.training.batch_source import BatchSource, TrainingBatch
    from abclust.training.config import TrainingConfig
    from abclust.training.contrastive_loss import supervised_contrastive_loss
    from abclust.training.generated_source import GeneratedSource
    from abclust.training.pair_loss import pair_loss
    from abclust.training.pool_drawing import PoolConfig
    from abclust.training.pool_source import PoolSource
    from abclust.training.set_source import LabelledSetSource
    from abclust.training.signals import TrainingInterrupted
    from abclust.training.trainer import TrainingResult, fit

_HOMES = {
    "BatchSource": "batch_source",
    "GeneratedSource": "generated_source",
    "LabelledSetSource": "set_source",
    "PoolConfig": "pool_drawing",
    "PoolSource": "pool_source",
    "TrainingBatch": "batch_source",
    "TrainingConfig": "config",
    "TrainingInterrupted": "signals",
    "TrainingResult": "trainer",
    "fit": "trainer",
    "pair_loss": "pair_loss",
    "supervised_contrastive_loss": "contrastive_loss",
}

__all__ = [
    "BatchSource",
    "GeneratedSource",
    "LabelledSetSource",
    "PoolConfig",
    "PoolSource",
    "TrainingBatch",
    "TrainingConfig",
    "TrainingInterrupted",
    "TrainingResult",
    "fit",
    "pair_loss",
    "supervised_contrastive_loss",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'abclust.training' has no attribute {name!r}")
    return getattr(import_module(f"abclust.training.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
