"""What is different where a run goes on from trained weights: gentler steps, and a header with a history."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.vector_preparation import VectorPreparation
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict
from abclust.kernel.one_cluster_odds import HEADER as ODDS_HEADER
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.training.config import TrainingConfig
from abclust.training.defaults import default_training

Start = ContextKernelNetwork | ContextKernelConfig | None
"""A network to go on from, the configuration of a new one, or neither."""


_GENTLE: dict[str, Any] = {
    "learning_rate": 3e-4,
    "warmup_steps": 40,
    "ema_decay": 0.98,
    "validate_every": 100,
    "diagonal": False,
}


def preparation_of(network: Start) -> VectorPreparation | None:
    """How a network's header says that tables are prepared; None where items go in as they are."""
    if not isinstance(network, ContextKernelNetwork) or "preparation" not in network.metadata:
        return None
    return from_dict(VectorPreparation, network.metadata["preparation"])


def suitable_training(sets: Sequence[LabelledSet], network: Start = None) -> TrainingConfig:
    """How to train when nobody says: as for a new network, or gently where trained weights go on.

    A large step would undo in a minute what took hours to learn; the averaged weights follow quickly, for
    the run is short.
    """
    if preparation_of(network) is None:
        usual = default_training(sets)
        is_of_a_recipe = isinstance(network, ContextKernelNetwork) and "recipe" in network.metadata
        return replace(usual, steps=300, **_GENTLE) if is_of_a_recipe else usual
    return TrainingConfig(steps=400, sets_per_step=8, **_GENTLE)


def check_items(sets: Sequence[LabelledSet], network: Start = None) -> None:
    """Refuse sets that a network could not learn from.

    Raises
    ------
    InvalidInputError
        If there are no sets, if their items differ in shape (for a network for tables of any width: if they
        are no tables), or if a network to go on from takes others.
    """
    shapes = sorted({each.items.shape[1:] for each in sets})
    if preparation_of(network) is not None:
        if not shapes or any(len(shape) != 1 for shape in shapes):
            raise InvalidInputError(
                f"sets must be tables (n, d), at least one, for a network of tables. Got {len(sets)} "
                f"sets with item shapes {shapes[:5]}. Go on from weights made for images, such as 'omniglot'."
            )
        return
    if len(shapes) != 1:
        raise InvalidInputError(
            f"sets must hold at least one set, and items of one shape. Got {len(sets)} sets with item "
            f"shapes {shapes}."
        )
    if isinstance(network, ContextKernelNetwork) and shapes[0] != network.config.item_shape:
        raise InvalidInputError(
            f"items must have the shape {network.config.item_shape} of the network to go on from. "
            f"Got {shapes[0]}. Tables of any width go on from 'vectors'."
        )


def inherited_header(header: dict[str, Any], n_sets: int) -> dict[str, Any]:
    """What stays of the header of weights that went on learning, from `n_sets` more sets.

    The card tells both trainings, and no longer names a command that would give these weights. How often sets
    of a size are one cluster is another matter in other sets: that does not stay.

    Examples
    --------
    >>> told = {"expects": "rows", "trained_on": "mixtures", "command": "abclust reproduce vectors --train"}
    >>> inherited_header({"recipe": "vectors", "card": told}, 50)["card"]["trained_on"]
    "mixtures; then 50 sets of the user's own"
    """
    kept = {name: value for name, value in header.items() if name not in ("recipe", "card", ODDS_HEADER)}
    if "recipe" in header:
        kept["started_from"] = header["recipe"]
    if "card" in header:
        card = {name: text for name, text in header["card"].items() if name != "command"}
        earlier = card.get("trained_on")
        own = f"{n_sets} sets of the user's own"
        card["trained_on"] = f"{earlier}; then {own}" if earlier else own
        kept["card"] = card
    return kept
