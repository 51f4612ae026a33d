"""DTC-Pi: deep transfer clustering, with its own estimate of the number of clusters."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from abclust.baselines.embedded_clustering import SelfTrainingConfig, first_clusters, self_train
from abclust.baselines.interface import Background, SystemCard, check_learned
from abclust.baselines.item_variation import drawn_copies, encoded_copies, varied_items
from abclust.baselines.learning import Learning, LearningConfig, load_or_learn, seeded
from abclust.baselines.objective_training import fit_objective
from abclust.baselines.probe_classes import ProbeConfig, estimate_by_probes
from abclust.baselines.prototypical_loss import prototypical_loss
from abclust.baselines.staged_system import StagedSystem
from abclust.datasets.labelled_set import LabelledSet, as_float_items
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import stream
from abclust.model.context_kernel_network import ENCODE_CHUNK
from abclust.model.element_encoders import build_encoder
from abclust.training.pool_source import as_groups

_PROBE_GROUPS, _PROBE_CLASSES = range(2)


@dataclass(frozen=True)
class DeepTransferConfig:
    """Training on the set, and the estimate of the number of clusters."""

    self_training: SelfTrainingConfig = field(default_factory=SelfTrainingConfig)
    probes: ProbeConfig = field(default_factory=ProbeConfig)
    n_support: int = 5
    """Items whose mean is a prototype while the encoder learns (authors' code)."""


class DeepTransferSystem(StagedSystem):
    r"""A prototypical encoder; k-means on its vectors; then projection and centres train on the set itself.

    Learning minimises :func:`~abclust.baselines.prototypical_loss.prototypical_loss`, clustering
    :math:`\mathrm{KL}(p \| q)` with the consistency of the Pi model
    (:func:`~abclust.baselines.embedded_clustering.self_train`). An unknown number of clusters is estimated
    with classes of the background that are known
    (:func:`~abclust.baselines.probe_classes.estimate_by_probes`).

    Parameters
    ----------
    config
        Training on the set, probes.
    learning
        Encoder and budget; the defaults are for Omniglot.
    seed
        Of the choice of probes and of everything that is drawn while a set is clustered.

    Notes
    -----
    Deviations from the original:

    - The shared encoder instead of a VGG at 32 x 32; prototypes on pools of one group, of any class sizes,
      instead of batches of 20 classes by 10 items from everywhere.
    - The encoder stays as the background taught it, and 30 epochs instead of 100
      (:class:`~abclust.baselines.embedded_clustering.SelfTrainingConfig`; ``trunk="trained"`` is the
      authors' way).
    - The projection to k numbers is one linear layer that starts as the principal axes (the published text;
      the authors' Omniglot code starts two random layers).
    - Consistency weighs 10, not 100 (:class:`~abclust.baselines.embedded_clustering.SelfTrainingConfig`).
    - The number of clusters: three probe groups instead of five, up to 20 classes of each, every second
      number, one start of k-means.

    Cost: one training of the background budget less the probe groups; a set of 100 images took 0.3 s of one
    core to train on, and about 2 s to count.

    References
    ----------
    Han, Vedaldi, Zisserman, "Learning to discover novel visual categories via deep transfer clustering", ICCV
    2019. DOI 10.1109/ICCV.2019.00849, arXiv:1908.09884
    """

    card = SystemCard(
        "dtc-pi",
        "DTC-Pi",
        "synthesised clusters",
        reference="DOI 10.1109/ICCV.2019.00849",
        optimises_on_the_set=True,
    )

    def __init__(
        self,
        config: DeepTransferConfig | None = None,
        learning: LearningConfig | None = None,
        seed: int = 0,
    ) -> None:
        self.config = config or DeepTransferConfig()
        self.learning = learning or LearningConfig()
        self.seed = seed
        self._encoder: nn.Module | None = None
        self._probes: list[LabelledSet] = []

    def learn(self, background: Background, folder: str | Path | None = None) -> None:
        """Learn the encoder on all groups but the probes, and encode the probes."""
        taught, probes = hold_out_probes(as_groups(background), self.config.probes.n_groups, self.seed)
        training = self.learning.training
        encoder = seeded(lambda: build_encoder(self.learning.network), training.seed)

        def train(run_folder: Path | None) -> int:
            return fit_objective(
                encoder,
                lambda batch: prototypical_loss(
                    encoder(batch.items), batch.labels, batch.pools, self.config.n_support
                ),
                self.learning.source(taught),
                training,
                run_folder,
            )

        details = {
            "seed": self.seed,
            "n_support": self.config.n_support,
            "probes": self.config.probes.n_groups,
        }
        learning = Learning.of(self.learning, background, **details)
        self._image_passes = load_or_learn(encoder, self.card.name, learning, folder, train)
        self._probes = [LabelledSet(encoded(encoder, probe.items), probe.labels) for probe in probes]
        self._encoder = encoder

    def learned_modules(self) -> tuple[nn.Module, ...]:
        """The encoder that every set starts from."""
        check_learned(self._encoder, self.card)
        assert self._encoder is not None
        return (self._encoder,)

    def encode(self, items: Shaped[np.ndarray, "n ..."]) -> Float[np.ndarray, "n ..."]:
        """Encoded copies of each item under a frozen trunk, (n, copies, h); else the items as they are."""
        (encoder,) = self.learned_modules()
        config, plain = self.config.self_training, as_float_items(items)
        if config.trunk != "frozen":
            return plain
        return encoded_copies(
            lambda some: encoded(encoder, some).astype(np.float32),
            plain,
            config.variation,
            config.n_copies,
            self.seed,
        )

    def describe(
        self, encoded: Float[np.ndarray, "n ..."]
    ) -> tuple[Float[np.ndarray, "n ..."], Float[np.ndarray, "n h"]]:
        """What is trained on, and the encoder's vectors before."""
        return encoded, self._vectors(encoded)

    def label(
        self, described: tuple[Float[np.ndarray, "n ..."], Float[np.ndarray, "n h"]], n_clusters: int | None
    ) -> Int[np.ndarray, " n"]:
        """Train on the set, with an estimated number of clusters if there is none."""
        given, vectors = torch.from_numpy(described[0]), described[1]
        number = self._estimate(vectors) if n_clusters is None else n_clusters
        if number == 1:
            return np.zeros(len(vectors), np.int64)
        config = self.config.self_training
        is_frozen = config.trunk == "frozen"
        trunk = nn.Identity() if is_frozen else self.learned_modules()[0]
        return self_train(
            first_clusters(trunk, vectors, number, self.seed),
            given[:, 0] if is_frozen else given,
            drawn_copies(given) if is_frozen else varied_items(given, config.variation),
            config,
            self.seed,
        )

    def estimate_n_clusters(self, items: Shaped[np.ndarray, "n ..."]) -> int:
        """The number of clusters of a set, by the probes."""
        return self._estimate(self._vectors(self.encode(items)))

    def _vectors(self, given: Float[np.ndarray, "n ..."]) -> Float[np.ndarray, "n h"]:
        if self.config.self_training.trunk == "frozen":
            return given[:, 0].astype(np.float64)
        return encoded(self.learned_modules()[0], given)

    def _estimate(self, vectors: Float[np.ndarray, "n h"]) -> int:
        generator = stream(self.seed, _PROBE_CLASSES)
        return estimate_by_probes(vectors, self._probes, self.config.probes, generator)


@torch.no_grad()
def encoded(encoder: nn.Module, items: Shaped[np.ndarray, "n ..."]) -> Float[np.ndarray, "n h"]:
    """The encoder's vectors of items, float64, in evaluation mode."""
    encoder.eval()
    parts: Sequence[Tensor] = torch.from_numpy(as_float_items(items)).split(ENCODE_CHUNK)
    return torch.cat([encoder(part) for part in parts]).double().numpy()


def hold_out_probes(
    groups: list[LabelledSet], n_probes: int, seed: int
) -> tuple[list[LabelledSet], list[LabelledSet]]:
    """Groups to learn from, and groups that stay unseen to probe with; with 0 of these, all are both.

    Raises
    ------
    InvalidInputError
        If no group would be left to learn from, or a probe has fewer than two classes.
    """
    if n_probes == 0:
        return groups, groups
    if n_probes >= len(groups):
        raise InvalidInputError(
            f"n_groups of probes must be fewer than the background's groups ({len(groups)}). Got {n_probes}."
        )
    order = stream(seed, _PROBE_GROUPS).permutation(len(groups))
    probes = [groups[place] for place in sorted(order[:n_probes])]
    if min(probe.n_clusters for probe in probes) < 2:
        raise InvalidInputError(
            "probes must have at least two classes, some of them anchored and some clustered. "
            f"Got {[probe.n_clusters for probe in probes]}."
        )
    return [groups[place] for place in sorted(order[n_probes:])], probes
