"""Attentions whose weights are exactly the block weights of the two-cluster proposition (ours).

The paper assumes such weights "under some symmetry conditions" and does not say where they come from. Here
are two ways to them through the ordinary path of attention: the proposition is run, not only calculated.
"""

import numpy as np
import torch
from jaxtyping import Float

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import resolve
from abclust.theory.attention_system import AttentionSystem, check_points, float64_compatibility
from abclust.theory.block_weights import BlockWeights


def attention_by_edges(
    points: Float[np.ndarray, "n d"], weights: BlockWeights, compatibility: str = "multiplicative"
) -> AttentionSystem:
    """An attention with exactly these weights, whatever the points are: explicit context decides.

    The projections are zero, so that every compatibility is the same, and the block weights are the edge
    weights of the set: softmax(0 + log w) = w.
    """
    zeros = torch.zeros(points.shape[1], 1, dtype=torch.float64)
    return AttentionSystem(
        float64_compatibility(compatibility, 1), zeros, zeros, torch.from_numpy(weights.matrix())
    )


def attention_by_projections(
    points: Float[np.ndarray, "n d"], weights: BlockWeights, compatibility: str = "multiplicative"
) -> AttentionSystem:
    """An attention with exactly these weights on these points, by compat(x_i W^(q), x_j W^(k)) alone.

    Points that are linearly independent can be sent anywhere by a linear map, so W = X^+ C gives item i the
    code C_i that its query or key shall be; the codes are chosen so that softmax of their compatibilities is
    w. The symmetry that the proposition asks for is thus within reach of a single head.

    Parameters
    ----------
    points
        X_t, linearly independent, hence d >= n. Shape (n, d).
    weights
        Of as many items.
    compatibility
        "multiplicative" or "additive" (with tanh).

    Raises
    ------
    InvalidInputError
        If the points are linearly dependent.
    """
    spanning = check_points(points)
    if np.linalg.matrix_rank(spanning) < len(spanning):
        raise InvalidInputError(
            f"points must be linearly independent. Got {len(spanning)} points of rank "
            f"{np.linalg.matrix_rank(spanning)}. Use attention_by_edges, which takes any points."
        )
    queries, keys, own_weights = resolve("compatibility", compatibility, _CODES)(weights)
    module = float64_compatibility(compatibility, queries.shape[1])
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.from_numpy(own_weights).reshape(parameter.shape))
    inverse = np.linalg.pinv(spanning)  # (d, n), X X^+ = 1
    return AttentionSystem(module, torch.from_numpy(inverse @ queries), torch.from_numpy(inverse @ keys))


def _multiplicative_codes(weights: BlockWeights) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q_i = sqrt(n) log w_i and k_j = e_j give q_i . k_j / sqrt(n) = log w_ij."""
    return weights.n_items**0.5 * np.log(weights.matrix()), np.eye(weights.n_items), np.empty(0)


def _additive_codes(weights: BlockWeights) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes of item and cluster, for queries and keys alike, and the w of tanh(q + k) . w that fits them.

    A unit that q_i and k_j both switch on gives tanh(2), one of them tanh(1), none 0. With one unit an item
    and one a cluster, four numbers (item units of A and of B, the two cluster units) meet the four
    differences that the softmax sees: log delta - log alpha and log alpha - log gamma in A, the same in B.
    """
    one, two = np.tanh(1.0), np.tanh(2.0)
    in_a = np.arange(weights.n_items) < weights.size_a
    codes = np.column_stack([np.eye(weights.n_items), in_a, ~in_a])  # (n, n + 2)
    differences = np.array(
        [  # item units of A, of B, cluster unit of A, of B
            [two - 2 * one, 0, 0, 0],
            [0, two - 2 * one, 0, 0],
            [one, -one, two - one, -one],
            [-one, one, -one, two - one],
        ]
    )
    wanted = np.log(
        [
            weights.own / weights.within_a,
            weights.own / weights.within_b,
            weights.within_a / weights.between,
            weights.within_b / weights.between,
        ]
    )
    item_a, item_b, cluster_a, cluster_b = np.linalg.solve(differences, wanted)
    return codes, codes, np.append(np.where(in_a, item_a, item_b), [cluster_a, cluster_b])


_CODES = {"additive": _additive_codes, "multiplicative": _multiplicative_codes}
