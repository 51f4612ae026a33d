"""The loss of prototypical networks on a pool whose classes are of any size."""

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn.functional import cross_entropy


def prototypical_loss(
    embeddings: Float[Tensor, "N h"],
    labels: Int64[Tensor, "N"],
    pools: Int64[Tensor, "N"] | None = None,
    n_support: int = 5,
) -> Float[Tensor, ""]:
    r"""The cross entropy of each query's class, by its distances to the means of the classes' supports.

    .. math::
        L = -\frac{1}{|Q|} \sum_{q \in Q} \log
        \frac{\exp(-\|z_q - c_{y_q}\|^2)}{\sum_{c} \exp(-\|z_q - c\|^2)}

    Of a class with m items the first :math:`\min(5, \lfloor m / 2 \rfloor)` are its support and the rest are
    queries; a class of one item is a support alone (ours: the authors draw ten items of every class).

    Parameters
    ----------
    embeddings
        The encoder's vectors.
    labels
        The class of each item, within its pool.
    pools
        Queries are compared with the classes of their own pool; None is one pool.
    n_support
        The largest support.

    References
    ----------
    Snell, Swersky, Zemel, "Prototypical networks for few-shot learning", NIPS 2017. arXiv:1703.05175

    Examples
    --------
    >>> embeddings = torch.tensor([[0.0], [9.0], [0.0], [9.0]])
    >>> float(prototypical_loss(embeddings, torch.tensor([0, 1, 0, 1]))) < 1e-6
    True
    """
    if pools is not None:
        labels = labels + pools * (int(labels.max()) + 1)
    _, classes = torch.unique(labels, return_inverse=True)
    is_support = first_of_their_class(classes, n_support)
    n_classes = int(classes.max()) + 1
    shape = (n_classes, embeddings.shape[1])
    sums = embeddings.new_zeros(shape).index_add(0, classes[is_support], embeddings[is_support])
    counts = torch.bincount(classes[is_support], minlength=n_classes)
    prototypes = sums / counts[:, None]
    queries = embeddings[~is_support]
    if len(queries) == 0:  # nothing but classes of one item: nothing to learn, and no nan
        return 0.0 * embeddings.sum()
    scores = -torch.cdist(queries, prototypes).square()
    if pools is not None:
        home = pools.new_zeros(n_classes).scatter(0, classes, pools)
        scores = scores.masked_fill(home[None, :] != pools[~is_support][:, None], -torch.inf)
    return cross_entropy(scores, classes[~is_support])


def first_of_their_class(classes: Int64[Tensor, "N"], n_support: int) -> Bool[Tensor, "N"]:
    """Which items are their class's support: the first few, at most half, at least one.

    Examples
    --------
    >>> first_of_their_class(torch.tensor([0, 0, 0, 1, 1, 1, 1, 2]), 5).int().tolist()
    [1, 0, 0, 1, 1, 0, 0, 1]
    """
    order = torch.argsort(classes, stable=True)
    sizes = torch.bincount(classes)
    starts = torch.cumsum(sizes, 0) - sizes
    ranks = torch.empty_like(classes)
    ranks[order] = torch.arange(len(classes)) - starts[classes[order]]
    return ranks < (sizes // 2).clamp(1, n_support)[classes]
