"""The systems that the paper is compared with, one file each, behind one interface.

>>> from abclust.baselines import build_baseline
>>> build_baseline("k-means").card.group
'no learning'
"""

from abclust.baselines.interface import MAXIMUM, Background, Baseline, SystemCard
from abclust.baselines.learning import LearningConfig
from abclust.baselines.registry import baseline_names, build_baseline

__all__ = [
    "MAXIMUM",
    "Background",
    "Baseline",
    "LearningConfig",
    "SystemCard",
    "baseline_names",
    "build_baseline",
]
