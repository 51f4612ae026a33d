"""What one training step sees, and the one question a source of such batches answers.

A batch is a pool of items and sets of indices into it. The encoder looks at every item alone, so an item
that stands in many sets is encoded once: *encode once, learn often* (ours).
"""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor


@dataclass(frozen=True)
class TrainingBatch:
    """A pool of items, and the sets that are drawn from it.

    Parameters
    ----------
    items
        (N, ...), every item of the step once: vectors (N, d), images (N, H, W) or embeddings (N, h).
    labels
        (N,), the cluster of every item; they are compared only within a set and within a pool.
    sets
        (B, n), indices into `items`; 0 on padding.
    mask
        (B, n), True where the index is real.
    pools
        (N,), the pool of every item, within which the contrastive loss compares; None is one pool.
    encoded
        True if `items` are embeddings, which go past the encoder.
    targets
        (N, t), numbers that are true of every item in its set, such as centre and radius of its circle; None
        where only the clusters are known.
    """

    items: Tensor
    labels: Int64[Tensor, "N"]
    sets: Int64[Tensor, "B n"]
    mask: Bool[Tensor, "B n"]
    pools: Int64[Tensor, "N"] | None = None
    encoded: bool = False
    targets: Float[Tensor, "N t"] | None = None

    @property
    def n_items(self) -> int:
        """How many items are encoded for this step."""
        return len(self.labels)

    def to(self, device: torch.device) -> "TrainingBatch":
        """The same batch on another device."""
        if self.items.device == device:
            return self
        moved = {
            name: getattr(self, name).to(device, non_blocking=True)
            for name in ("items", "labels", "sets", "mask")
        }
        optional = {name: getattr(self, name) for name in ("pools", "targets")}
        moved |= {name: value.to(device) for name, value in optional.items() if value is not None}
        return replace(self, **moved)


@runtime_checkable
class BatchSource(Protocol):
    """Anything that can say what step `step` of a run learns from.

    The answer is a pure function of its arguments and of the source's own seed. That is the whole of what
    makes a run resumable: nothing about the data needs to be stored in a checkpoint.
    """

    def batch(self, step: int, rank: int, world_size: int) -> TrainingBatch:
        """The share of process `rank` out of `world_size` in the batch of `step`."""
        ...


def whole_sets(
    items: Tensor,
    labels: Int64[Tensor, "B n"],
    mask: Bool[Tensor, "B n"],
    targets: Float[Tensor, "B n t"] | None = None,
) -> TrainingBatch:
    """A batch of sets that share no items: items (B, n, ...) flattened, padding left out of the pool.

    Examples
    --------
    >>> items, labels = torch.randn(2, 3, 5), torch.zeros(2, 3, dtype=torch.int64)
    >>> mask = torch.tensor([[True, True, True], [True, False, False]])
    >>> batch = whole_sets(items, labels, mask)
    >>> batch.n_items, batch.sets.tolist()
    (4, [[0, 1, 2], [3, 0, 0]])
    """
    positions = (torch.cumsum(mask.reshape(-1), 0) - 1).reshape(mask.shape)
    pools = torch.arange(len(mask))[:, None].expand(mask.shape)
    return TrainingBatch(
        items=items[mask],
        labels=labels[mask],
        sets=torch.where(mask, positions, 0),
        mask=mask,
        # Labels of different sets mean different things: each set is a pool of its own.
        pools=pools[mask],
        targets=None if targets is None else targets[mask],
    )
