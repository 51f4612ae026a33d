"""Attention as in the paper's Section 2: compatibilities, multi-head attention, MAB and SAB."""

from abclust.attention.blocks import MAB, SAB, FeedForward, GatedSkip
from abclust.attention.compatibility import (
    AdditiveCompatibility,
    Compatibility,
    MultiplicativeCompatibility,
    SiameseCompatibility,
    build_compatibility,
    register_compatibility,
)
from abclust.attention.multihead import MultiHeadAttention
from abclust.attention.visibility import Visibility

__all__ = [
    "MAB",
    "SAB",
    "AdditiveCompatibility",
    "Compatibility",
    "FeedForward",
    "GatedSkip",
    "MultiHeadAttention",
    "MultiplicativeCompatibility",
    "SiameseCompatibility",
    "Visibility",
    "build_compatibility",
    "register_compatibility",
]
