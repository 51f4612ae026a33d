"""A classifier trained on the very set it shall cluster, from nothing but which pairs are similar."""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

from abclust.baselines.interface import MAXIMUM
from abclust.baselines.item_variation import ItemVariation, vary
from abclust.baselines.learning import seeded
from abclust.datasets.labelled_set import as_float_items
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice
from abclust.foundations.random_state import stream
from abclust.training.augmentation import torch_generator

PairwiseLoss = Callable[[Tensor, Tensor], Tensor]
"""``loss(log_probabilities (n, k), similar (n, n)) -> scalar``."""

STARTS = ("encoder", "random")
_ORDER, _VARIATION = range(2)


@dataclass(frozen=True)
class SetTrainingConfig:
    """How the classifier is trained on a set."""

    epochs: int = 150
    """Passes over the set (authors' code)."""
    smallest_steps: int = 400
    """Updates at least: a set of 100 items is a single batch, and 150 updates are few (ours)."""
    batch_size: int = 100
    """Items in an update, about; all their pairs count (authors' code)."""
    learning_rate: float = 1e-3
    """Of Adam (authors' code)."""
    drop_at: float = 2 / 3
    """Share of the updates after which the rate falls to a tenth (authors' code)."""
    n_outputs: int = MAXIMUM
    """Clusters that the classifier can name where their number is unknown."""
    threshold: float = 0.5
    """A pair is similar if its probability is at least this (authors' code: the likelier of the two)."""
    start: str = "encoder"
    """First weights: those of the similarity network's "encoder" (ours: fewer updates), or "random" ones
    (authors' code)."""
    spread: float = 2.0
    """Deviation of the first logits (ours). From torch's own start, where it is 0.4, all items begin in the
    same few clusters, and clusters that are one once stay one: told the truth about every pair of small sets
    of seven clusters, both losses found three to five of them."""
    variation: ItemVariation = field(default_factory=ItemVariation)
    """What an update sees of the items."""

    def __post_init__(self) -> None:
        check_choice("start", self.start, STARTS)
        if min(self.epochs, self.n_outputs) < 1 or self.batch_size < 2 or not self.spread > 0:
            raise InvalidInputError(
                "epochs and n_outputs must be at least 1, batch_size at least 2 and spread positive. "
                f"Got {self}."
            )


class SetClassifier(nn.Module):
    """The encoder and a head: batch norm, ReLU, Linear to one logit a cluster (authors' code)."""

    def __init__(self, encoder: nn.Module, width: int, n_outputs: int, spread: float = 2.0) -> None:
        super().__init__()
        self.encoder = encoder
        last = nn.Linear(width, n_outputs)
        # Half of a normalised feature's square is left after ReLU.
        nn.init.normal_(last.weight, std=spread / math.sqrt(width / 2))
        nn.init.zeros_(last.bias)
        self.head = nn.Sequential(nn.BatchNorm1d(width), nn.ReLU(), last)

    def forward(self, items: Float[Tensor, "n *item"]) -> Float[Tensor, "n k"]:
        """Log probabilities of the clusters."""
        return self.head(self.encoder(items)).log_softmax(dim=1)


def classify_set(
    items: Shaped[np.ndarray, "n ..."],
    similar: Bool[np.ndarray, "n n"],
    loss: PairwiseLoss,
    build: Callable[[], SetClassifier],
    config: SetTrainingConfig,
    seed: int,
) -> Int[np.ndarray, " n"]:
    """Train a classifier on pairs of the set, and take its verdict on the unvaried items.

    Parameters
    ----------
    items
        The set.
    similar
        Which pairs are predicted similar.
    loss
        KCL's or MCL's.
    build
        Gives the classifier before training.
    config
        Length and rates.
    seed
        Of everything that is drawn.

    Returns
    -------
    integer array (n,)
        The likeliest output of each item; outputs that nobody chose do not appear.
    """
    tensor = torch.from_numpy(as_float_items(items))
    deviations = tensor.std(dim=0)
    target = torch.from_numpy(similar)
    classifier = seeded(build, seed)
    optimizer = torch.optim.Adam(classifier.parameters(), lr=config.learning_rate)
    batches_an_epoch = math.ceil(len(items) / config.batch_size)
    steps = max(config.epochs * batches_an_epoch, config.smallest_steps)
    classifier.train()
    for step, places in zip(range(steps), _batches(len(items), batches_an_epoch, seed)):
        if step == math.ceil(config.drop_at * steps):
            optimizer.param_groups[0]["lr"] = config.learning_rate / 10
        varied = vary(tensor[places], config.variation, deviations, torch_generator(seed, _VARIATION, step))
        optimizer.zero_grad()
        loss(classifier(varied), target[places][:, places]).backward()
        optimizer.step()
    classifier.eval()
    with torch.no_grad():
        return classifier(tensor).argmax(dim=1).numpy()


def fresh_classifier(
    encoder: nn.Module,
    build_encoder: Callable[[], nn.Module],
    width: int,
    n_outputs: int,
    config: SetTrainingConfig,
) -> SetClassifier:
    """A classifier on a copy of `encoder`, or on new weights of the same architecture."""
    chosen = copy.deepcopy(encoder) if config.start == "encoder" else build_encoder()
    return SetClassifier(chosen.train(), width, n_outputs, config.spread)


def _batches(n_items: int, batches_an_epoch: int, seed: int) -> Iterator[Tensor]:
    """Endless epochs in new orders, in parts of about equal size: batch norm cannot do with one item."""
    epoch = 0
    while True:
        order = stream(seed, _ORDER, epoch).permutation(n_items)
        for part in np.array_split(order, batches_an_epoch):
            yield torch.from_numpy(part)
        epoch += 1
