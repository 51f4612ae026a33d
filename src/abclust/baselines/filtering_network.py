"""The network of DAC: given one item of a set, which others belong to the same cluster?"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from abclust.attention.blocks import FeedForward
from abclust.attention.visibility import Visibility
from abclust.baselines.induced_attention import ISAB
from abclust.model.config import ContextKernelConfig
from abclust.model.element_encoders import build_encoder
from abclust.training.batch_source import TrainingBatch
from abclust.training.objective import draw


class FilteringNetwork(nn.Module):
    r"""Encoder, ISABs over the set, and a decoder that is shown one item, the anchor.

    .. math::
        H = \mathrm{ISAB}^L(X), \qquad
        J_{a i} = \mathrm{LN}(H_i W_q + H_a W_v), \qquad
        \ell_{a i} = w \cdot \mathrm{LN}(J_{a i} + \mathrm{FF}(J_{a i}))

    The decoder is the reference's MAB(H, h_a): attention to a single key is that key's value, whatever the
    scores, so the formula has no softmax.

    Parameters
    ----------
    config
        Items, encoder, width and heads.
    n_layers
        L.
    n_induced
        Inducing points of each ISAB.

    References
    ----------
    Lee, Lee, Teh, "Deep amortized clustering", 2019. DOI 10.48550/arXiv.1909.13433

    Examples
    --------
    >>> network = FilteringNetwork(ContextKernelConfig(n_features=2, width=8, heads=2), n_layers=2)
    >>> embeddings = network.encode(torch.randn(15, 2)).reshape(3, 5, 8)
    >>> network(embeddings, torch.tensor([[0, 4], [1, 1], [2, 3]])).shape
    torch.Size([3, 2, 5])
    """

    def __init__(self, config: ContextKernelConfig, n_layers: int = 4, n_induced: int = 32) -> None:
        super().__init__()
        width = config.width
        self.encoder = build_encoder(config)
        self.blocks = nn.ModuleList(ISAB(n_induced, width, config.heads) for _ in range(n_layers))
        self.item = nn.Linear(width, width)
        self.anchor = nn.Linear(width, width)
        self.first_norm = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width, 4 * width)
        self.second_norm = nn.LayerNorm(width)
        self.last = nn.Linear(width, 1)

    def encode(self, items: Float[Tensor, "N *item"]) -> Float[Tensor, "N h"]:
        """Each item alone."""
        return self.encoder(items)

    def forward(
        self,
        embeddings: Float[Tensor, "B n h"],
        anchors: Int64[Tensor, "B a"],
        mask: Bool[Tensor, "B n"] | None = None,
    ) -> Float[Tensor, "B a n"]:
        """Logits of all items of each set for each of its anchors; only items of `mask` are seen."""
        hidden = self.contextualise(embeddings, mask)
        shown = hidden.gather(1, anchors[:, :, None].expand(-1, -1, hidden.shape[2]))
        return self._decode(hidden[:, None], shown[:, :, None])

    def contextualise(
        self, embeddings: Float[Tensor, "B n h"], mask: Bool[Tensor, "B n"] | None
    ) -> Float[Tensor, "B n h"]:
        visibility = Visibility.of(embeddings, mask)
        for block in self.blocks:
            embeddings = block(embeddings, visibility)
        return embeddings

    def _decode(self, items: Float[Tensor, "*pairs h"], anchors: Float[Tensor, "*anchors h"]) -> Tensor:
        joined = self.first_norm(self.item(items) + self.anchor(anchors))
        joined = self.second_norm(joined + self.feed_forward(joined))
        return self.last(joined)[..., 0]


def filtering_loss(
    network: FilteringNetwork,
    embeddings: Float[Tensor, "N h"],
    batch: TrainingBatch,
    anchors_per_set: int,
) -> Float[Tensor, ""]:
    """The anchored filtering loss, in the mean over anchors drawn from each set by torch's own generator.

    Parameters
    ----------
    network
        Says who belongs to whom.
    embeddings
        The items of the batch, encoded.
    batch
        Labels and sets.
    anchors_per_set
        How many items of each set are an anchor; one may be drawn twice.
    """
    anchors = torch.multinomial(batch.mask.float(), anchors_per_set, replacement=True)
    mask = None if bool(batch.mask.all()) else batch.mask
    logits = network(draw(embeddings, batch.sets), anchors, mask)
    clusters = batch.labels[batch.sets]
    target = clusters[:, None, :] == clusters.gather(1, anchors)[:, :, None]
    losses = binary_cross_entropy_with_logits(logits, target.float(), reduction="none")
    real = batch.mask[:, None].expand_as(losses)
    return (losses * real).sum() / real.sum()


@torch.no_grad()
def filter_clusters(
    network: FilteringNetwork,
    embeddings: Float[Tensor, "B n h"],
    choose: Sequence[torch.Generator],
    largest_number: int,
) -> Int64[Tensor, "B n"]:
    """Take out one cluster a pass, around an item drawn from what is left, until nothing is left.

    Sets go through the network together, and only their items that are left.

    Parameters
    ----------
    network
        In evaluation mode.
    embeddings
        Sets of one size, encoded once.
    choose
        Draws the anchors, one generator a set.
    largest_number
        What is left after this many passes less one is one more cluster.

    Returns
    -------
    Tensor
        Labels in the order in which clusters were found.
    """
    labels = torch.full(embeddings.shape[:2], -1, dtype=torch.int64)
    for found in range(largest_number):
        going = (labels < 0).any(dim=1).nonzero()[:, 0]
        if len(going) == 0:
            break
        if found == largest_number - 1:
            labels[labels < 0] = found
            break
        left = [(labels[place] < 0).nonzero()[:, 0] for place in going.tolist()]
        drawn = [
            int(torch.randint(len(places), (), generator=choose[row]))
            for row, places in zip(going.tolist(), left)
        ]
        anchors = torch.tensor(drawn)
        places = nn.utils.rnn.pad_sequence(left, batch_first=True)
        remaining = torch.arange(places.shape[1]) < torch.tensor([len(each) for each in left])[:, None]
        logits = network(embeddings[going[:, None], places], anchors[:, None], remaining)[:, 0]
        members = remaining & (logits > 0)
        members[torch.arange(len(going)), anchors] = True  # an anchor belongs to its own cluster anyway
        rows, columns = members.nonzero(as_tuple=True)
        labels[going[rows], places[rows, columns]] = found
    return labels
