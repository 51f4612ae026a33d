"""A classifier trained on the very set it shall cluster, from nothing but which pairs are similar."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from abclust.baselines.interface import MAXIMUM
from abclust.baselines.item_variation import Copies, ItemVariation
from abclust.baselines.learning import seeded
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice
from abclust.foundations.random_state import stream
from abclust.training.augmentation import torch_generator

PairwiseLoss = Callable[[Tensor, Tensor], Tensor]
"""``loss(log_probabilities (n, k), similar (n, n)) -> scalar``."""

TRUNKS = ("frozen", "trained", "random")
_ORDER, _VARIATION = range(2)


@dataclass(frozen=True)
class SetTrainingConfig:
    """How the classifier is trained on a set."""

    trunk: str = "frozen"
    """"frozen": the encoder stays as the background taught it, varied copies of the items are encoded once,
    and the head alone is trained (ours: a set of 100 takes half a second instead of half a minute).
    "trained": the encoder is trained with it, from its own weights. "random": from new weights (authors'
    code)."""
    n_copies: int = 8
    """Looks at each item under a frozen trunk, the first one unvaried."""
    epochs: int = 150
    """Passes over the set (authors' code)."""
    smallest_steps: int = 300
    """Updates at least: a set of 100 items is a single batch, and 150 updates are few (ours)."""
    batch_size: int = 200
    """Items in an update, about; all their pairs count (authors' code: 100)."""
    learning_rate: float = 1e-2
    """Of Adam (authors' code: 1e-3, for a whole network)."""
    drop_at: float = 2 / 3
    """Share of the updates after which the rate falls to a tenth (authors' code)."""
    n_outputs: int = MAXIMUM
    """Clusters that the classifier can name where their number is unknown."""
    threshold: float = 0.8
    """A pair is similar if its probability is at least this (authors' code: the likelier of the two). Of the
    pairs of a large set few belong together, and a wrong one joins clusters: on whole held-out alphabets MCL
    has an NMI of .86 with 0.5 and .91 with this, KCL .91 and .92 (ours)."""
    spread: float = 2.0
    """Deviation of the first logits (ours). From torch's own start, where it is 0.4, all items begin in the
    same few clusters, and clusters that are one once stay one: told the truth about every pair of small sets
    of seven clusters, both losses found three to five of them."""
    variation: ItemVariation = field(default_factory=ItemVariation)
    """What an update sees of the items."""

    def __post_init__(self) -> None:
        check_choice("trunk", self.trunk, TRUNKS)
        if min(self.epochs, self.n_outputs, self.n_copies) < 1 or self.batch_size < 2 or not self.spread > 0:
            raise InvalidInputError(
                "epochs, n_outputs and n_copies must be at least 1, batch_size at least 2 and spread "
                f"positive. Got {self}."
            )

    def steps(self, n_items: int) -> int:
        """Updates on a set of that size.

        Examples
        --------
        >>> SetTrainingConfig().steps(100), SetTrainingConfig().steps(900)
        (300, 750)
        """
        return max(self.epochs * math.ceil(n_items / self.batch_size), self.smallest_steps)


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
    plain: Float[Tensor, "n *item"],
    copies: Copies,
    similar: Bool[np.ndarray, "n n"],
    loss: PairwiseLoss,
    build: Callable[[], SetClassifier],
    config: SetTrainingConfig,
    seed: int,
) -> Int[np.ndarray, " n"]:
    """Train a classifier on pairs of the set, and take its verdict on the unvaried items.

    Parameters
    ----------
    plain
        The set, unvaried.
    copies
        Gives varied items.
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
    target = torch.from_numpy(similar)
    classifier = seeded(build, seed)
    learned = [parameter for parameter in classifier.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(learned, lr=config.learning_rate)
    steps = config.steps(len(plain))
    batches = _batches(len(plain), math.ceil(len(plain) / config.batch_size), seed)
    classifier.train()
    for step, places in zip(range(steps), batches):
        if step == math.ceil(config.drop_at * steps):
            optimizer.param_groups[0]["lr"] = config.learning_rate / 10
        varied = copies(places, torch_generator(seed, _VARIATION, step))
        optimizer.zero_grad()
        loss(classifier(varied), target[places][:, places]).backward()
        optimizer.step()
    classifier.eval()
    with torch.no_grad():
        return classifier(plain).argmax(dim=1).numpy()


def _batches(n_items: int, batches_an_epoch: int, seed: int) -> Iterator[Tensor]:
    """Endless epochs in new orders, in parts of about equal size: batch norm cannot do with one item."""
    epoch = 0
    while True:
        order = stream(seed, _ORDER, epoch).permutation(n_items)
        for part in np.array_split(order, batches_an_epoch):
            yield torch.from_numpy(part)
        epoch += 1
