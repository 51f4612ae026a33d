"""What the systems are compared on: characters of alphabets, digits, and sentences.

A domain is a background to learn from and pools of items of other classes. From each pool the same first
instances are drawn for every system, and the whole pool is one more set.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int, Shaped
from sklearn.datasets import load_digits

from abclust.baselines.interface import Background
from abclust.baselines.learning import LearningConfig
from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.instance_sampler import Instance, InstanceSampler
from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.omniglot_archive import SOURCE_SIZE, omniglot
from abclust.experiments.comparison_learning import image_learning, vector_learning
from abclust.experiments.omniglot_protocol import PAPER_PROTOCOL, SET_SIZE, WHOLE_PROTOCOL
from abclust.experiments.omniglot_split import HELD_OUT, background_images
from abclust.experiments.omniglot_validation import draw_instances
from abclust.experiments.short_texts import embedded_texts, read_texts
from abclust.foundations.random_state import stream

QUICK_ALPHABETS = HELD_OUT[1:3]
"""Two alphabets that are nobody's test: ``--quick`` cannot spoil the evaluation."""
LEARNED_DIGITS = range(5)
"""Digits 0 to 4 are learned from; 5 to 9 are clustered."""
LEARNED_TOPICS = ("astronomy", "cooking", "football")
"""Topics that are learned from; gardening, medicine and money are clustered."""
DIGIT_SETS, TEXT_SETS = SET_SIZE, 40
"""Items of a drawn set."""
SHEETS, ENCODED, PIXELS = "sheets", "encoded", "pixels"
"""What a system is shown of an item: it as a user has it, as the shared encoder takes it, or bare pixels for
a system without an encoder."""
PIXEL_SIZE = 28
"""Side of the images whose bare pixels are compared: more of them only cost time."""


@dataclass(frozen=True, eq=False)
class SetPool:
    """The items of one alphabet or domain, and the sets drawn from them."""

    name: str
    items: Shaped[np.ndarray, "n ..."]
    labels: Int[np.ndarray, " n"]
    draw: Callable[[int], Sequence[Instance]]
    """``draw(count)``: the first so many instances, the same for every system."""


@dataclass(frozen=True, eq=False)
class Domain:
    """A background, pools of other classes, and what is shown of either."""

    name: str
    learning: LearningConfig
    background: Callable[[], Background]
    pools: Callable[[str], list[SetPool]]
    """``pools(shown)``: items as one of :data:`SHEETS`, :data:`ENCODED` and :data:`PIXELS`."""
    protocols: tuple[str, str] = (PAPER_PROTOCOL, WHOLE_PROTOCOL)
    """What drawn sets and whole pools are called."""


def omniglot_domain(
    part: str = "training", *, data: Path | None = None, seed: int = 0, quick: bool = False
) -> Domain:
    """The 20 evaluation alphabets, learned about from background alphabets; ``quick``: two held-out ones.

    Parameters
    ----------
    part
        Background alphabets to learn from: "training" (25) or "final" (all 30).
    data
        Folder of Omniglot's archives.
    seed
        Of the instances.
    quick
        Two held-out background alphabets in the place of the evaluation alphabets.
    """

    learning = image_learning(quick=quick)
    assert learning.network.image_size is not None  # a network for images
    sizes = {SHEETS: SOURCE_SIZE, ENCODED: learning.network.image_size, PIXELS: PIXEL_SIZE}

    def pools(shown: str) -> list[SetPool]:
        size = sizes[shown]
        if quick:
            images = background_images("held-out", data=data, image_size=size).select(QUICK_ALPHABETS)
        else:
            images = omniglot("evaluation", data=data, image_size=size)
        return alphabet_pools(images, seed)

    return Domain(
        "omniglot",
        learning,
        lambda: background_images("training" if quick else part, data=data, image_size=sizes[ENCODED]),
        pools,
    )


def alphabet_pools(images: GroupedImages, seed: int) -> list[SetPool]:
    """One pool for each alphabet; the instances are those of Tables 2 and 4."""

    def pool(name: str) -> SetPool:
        alphabet = images.select([name])
        return SetPool(
            name,
            alphabet.images,
            alphabet.labels,
            lambda count: draw_instances(alphabet, name, count, seed, length=SET_SIZE),
        )

    return [pool(name) for name in images.group_names]


def digits_domain(*, seed: int = 0, quick: bool = False) -> Domain:
    """scikit-learn's handwritten digits as rows of 64 pixels."""
    pixels, digits = map(np.asarray, load_digits(return_X_y=True))
    known = np.isin(digits, LEARNED_DIGITS)
    return _vector_domain(
        "digits", (pixels / 16).astype(np.float32), digits, known, DIGIT_SETS, seed=seed, quick=quick
    )


def texts_domain(*, seed: int = 0, quick: bool = False) -> Domain:
    """Sentences as embeddings of 256 numbers (:mod:`abclust.experiments.short_texts`)."""
    topics = np.array(read_texts()[1])
    known = np.isin(topics, LEARNED_TOPICS)
    items = embedded_texts().items.astype(np.float32)
    return _vector_domain("texts", items, topics, known, TEXT_SETS, seed=seed, quick=quick)


def _vector_domain(
    name: str,
    items: Shaped[np.ndarray, "n d"],
    labels: Shaped[np.ndarray, " n"],
    known: Shaped[np.ndarray, " n"],
    set_size: int,
    *,
    seed: int,
    quick: bool,
) -> Domain:
    judged = LabelledSet(items[~known], labels[~known], group=name)
    sampler = InstanceSampler(judged, set_size, n_clusters=(2, judged.n_clusters), sizes="authors")

    def draw(count: int) -> list[Instance]:
        return [sampler.draw(stream(seed, *name.encode(), place)) for place in range(count)]

    return Domain(
        name,
        vector_learning(items.shape[1], min(set_size, int(known.sum()) // 2), quick=quick),
        lambda: [LabelledSet(items[known], labels[known], group=name)],
        lambda shown: [SetPool(name, judged.items, judged.labels, draw)],
        (f"{set_size} items", "whole domain"),
    )
