"""The paper's Section 4 and Appendix A as executable statements, run with this library's own attention.

Each runs a dynamical system in float64 and gives back both sides of a statement; nothing is assumed.
"""

from abclust.theory.attention_system import AttentionSystem, random_system
from abclust.theory.block_attention import attention_by_edges, attention_by_projections
from abclust.theory.block_weights import BlockWeights, solved_block_weights
from abclust.theory.contraction import contraction_factors, diameter_lemma
from abclust.theory.convex_hull import convex_hull_lemma
from abclust.theory.network_layers import layer_separation
from abclust.theory.two_clusters import (
    rates,
    run_two_clusters,
    two_cluster_corollary,
    two_cluster_proposition,
)

__all__ = [
    "AttentionSystem",
    "BlockWeights",
    "attention_by_edges",
    "attention_by_projections",
    "contraction_factors",
    "convex_hull_lemma",
    "diameter_lemma",
    "layer_separation",
    "random_system",
    "rates",
    "run_two_clusters",
    "solved_block_weights",
    "two_cluster_corollary",
    "two_cluster_proposition",
]
