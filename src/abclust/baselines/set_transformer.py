"""The Set Transformer as a clusterer: a mixture with a fixed number of components, in one pass."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from abclust.baselines.interface import MAXIMUM, Background, SystemCard, check_learned
from abclust.baselines.learning import Learning, LearningConfig, load_or_learn, seeded
from abclust.baselines.mixture_network import MixtureNetwork, mixture_loss
from abclust.baselines.objective_training import fit_objective
from abclust.baselines.similarity_network import SimilarityNetwork, directions
from abclust.baselines.staged_system import StagedSystem
from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.frozen_config import to_dict
from abclust.training.batch_source import TrainingBatch
from abclust.training.config import TrainingConfig
from abclust.training.objective import draw
from abclust.training.pool_drawing import PoolConfig
from abclust.training.pool_source import PoolSource, as_groups


@dataclass(frozen=True)
class SetTransformerConfig:
    """The mixture, and how its network is trained on encoded items."""

    n_components: int = MAXIMUM
    """Seeds: the largest number of clusters."""
    n_features: int = 16
    """Principal axes of the encoder's vectors that the mixture lives in."""
    width: int = 128
    heads: int = 4
    n_induced: int = 32
    training: TrainingConfig = field(
        default_factory=lambda: TrainingConfig(steps=10_000, learning_rate=5e-4, ema_decay=0.999)
    )
    pools: PoolConfig = field(default_factory=lambda: PoolConfig(rotated=0.0))


class SetTransformerSystem(StagedSystem):
    r"""An item belongs to the component of its set's mixture that most likely made it.

    .. math:: c(i) = \arg\max_j \; \pi_j(X) \, N(x_i; \mu_j(X), \operatorname{diag} \sigma_j(X)^2)

    The parameters are the output of a Set Transformer
    (:class:`~abclust.baselines.mixture_network.MixtureNetwork`), trained by the likelihood alone.

    Parameters
    ----------
    config
        Number of components, size and training of the network.
    learning
        Of the pairwise network, whose encoder turns items into vectors.
    seed
        Of the first weights.

    Notes
    -----
    Deviations from the original, which clusters points of the plane and pretrained image features:

    - Items are vectors of the shared encoder, frozen (a likelihood would let a free encoder collapse), on
      their 16 leading principal axes.
    - No component is narrower than the mean within-class deviation of the background, because 100 components
      for 100 items could otherwise sit on one item each.
    - A known number of clusters k keeps the k components that own most; the original needs k in advance.
    - One attention block between pooling and output instead of two, layer norm on.

    Cost: the pairwise network's training, one pass over the background, and 10,000 steps on encoded items
    (17 minutes of one core); a set of 100 took 0.05 s.

    References
    ----------
    Lee, Lee, Kim, Kosiorek, Choi, Teh, "Set Transformer: a framework for attention-based
    permutation-invariant neural networks", ICML 2019. DOI 10.48550/arXiv.1810.00825
    """

    card = SystemCard(
        "set-transformer",
        "Set Transformer",
        "synthesised clusters",
        reference="DOI 10.48550/arXiv.1810.00825",
        uses_context=True,
    )

    def __init__(
        self,
        config: SetTransformerConfig | None = None,
        learning: LearningConfig | None = None,
        seed: int = 0,
    ) -> None:
        self.config = config or SetTransformerConfig()
        self.similarity = SimilarityNetwork(learning)
        self.seed = seed

        self._network: MixtureNetwork | None = None

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Learn the encoder, then the mixtures of encoded sets."""
        self.similarity.learn(background, folder)
        groups = [LabelledSet(self.encode(group.items), group.labels) for group in as_groups(background)]
        network = self._build(groups)

        def train(run_folder: Path | None) -> int:
            source = PoolSource(groups, self.config.pools, seed=self.seed)
            return fit_objective(
                network, lambda batch: batch_loss(network, batch), source, self.config.training, run_folder
            )

        details = {"seed": self.seed, "mixture": to_dict(self.config)}
        learning = Learning.of(self.similarity.learning, background, **details)
        load_or_learn(network, self.card.name, learning, folder, train)
        self._image_passes = self.similarity.image_passes + sum(group.n_items for group in groups)
        self._network = network

    def learned_modules(self) -> tuple[nn.Module, ...]:
        """The pairwise network, whose encoder it is, and the mixture network."""
        check_learned(self._network, self.card)
        assert self._network is not None
        return (self.similarity.network, self._network)

    def encode(self, items: Shaped[np.ndarray, "n ..."]) -> Float[np.ndarray, "n h"]:
        """The encoder's vectors, of unit length."""
        return directions(self.similarity.encode(items)).astype(np.float32)

    def describe(self, encoded: Float[np.ndarray, "n h"]) -> Float[Tensor, "n k"]:
        """How likely each component made each item."""
        check_learned(self._network, self.card)
        assert self._network is not None
        with torch.no_grad():
            described = self._network.describe(torch.from_numpy(encoded))[None]
            return self._network(described).log_joint(described)[0]

    def label(self, described: Float[Tensor, "n k"], n_clusters: int | None) -> Int[np.ndarray, " n"]:
        """The likeliest components."""
        return strongest_components(described, n_clusters)

    def _build(self, groups: list[LabelledSet]) -> MixtureNetwork:
        config = self.config
        encoded_width = groups[0].items.shape[1]
        network = seeded(
            lambda: MixtureNetwork(
                encoded_width,
                min(config.n_features, encoded_width),
                config.n_components,
                config.width,
                config.heads,
                config.n_induced,
            ),
            self.seed,
        )
        mean, axes, width = principal_axes(groups, network.features_axes.shape[1])
        network.features_mean.copy_(torch.from_numpy(mean))
        network.features_axes.copy_(torch.from_numpy(axes))
        network.smallest_scale.fill_(width)
        return network


def batch_loss(network: MixtureNetwork, batch: TrainingBatch) -> Tensor:
    """The loss of a batch of encoded items."""
    mask = None if bool(batch.mask.all()) else batch.mask
    return mixture_loss(network, draw(network.describe(batch.items), batch.sets), mask)


def principal_axes(
    groups: list[LabelledSet], n_axes: int
) -> tuple[Float[np.ndarray, " e"], Float[np.ndarray, "e d"], float]:
    """Mean and leading principal axes of all items, in units in which the first axis has deviation 1.

    Returns
    -------
    mean, axes, width
        `width` is the mean deviation of items from their class along the axes.
    """
    items = np.concatenate([group.items for group in groups]).astype(np.float64)
    mean = items.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(items - mean, rowvar=False))
    axes = vectors[:, ::-1][:, :n_axes] / np.sqrt(max(values[-1], 1e-12))
    residues = []
    for group in groups:
        sums = np.zeros((group.n_clusters, items.shape[1]))
        np.add.at(sums, group.labels, group.items)
        means = sums / np.bincount(group.labels)[:, None]
        residues.append((group.items - means[group.labels]) @ axes)
    return mean, axes, float(np.sqrt(np.square(np.concatenate(residues)).mean()))


def strongest_components(log_joint: Float[Tensor, "n k"], n_clusters: int | None) -> Int[np.ndarray, " n"]:
    """The best component of each item; with a number given, among as many as own most of the set.

    Examples
    --------
    >>> log_joint = torch.tensor([[0.6, 0.3, 0.1], [0.6, 0.1, 0.3], [0.1, 0.8, 0.1]]).log()
    >>> strongest_components(log_joint, None).tolist(), strongest_components(log_joint, 2).tolist()
    ([0, 0, 1], [0, 0, 1])
    """
    if n_clusters is not None and n_clusters < log_joint.shape[1]:
        owned = log_joint.softmax(dim=1).sum(dim=0)
        kept = torch.zeros_like(owned, dtype=torch.bool)
        kept[owned.topk(n_clusters).indices] = True
        log_joint = log_joint.masked_fill(~kept, -torch.inf)
    return log_joint.argmax(dim=1).numpy()
