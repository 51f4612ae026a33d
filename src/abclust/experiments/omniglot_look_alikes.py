"""Sets of held-out characters that resemble each other: harder than those an alphabet gives by chance.

The five held-out alphabets are easier than some that networks are judged by. A recipe that gains on
look-alikes gains where characters are hard to tell apart.
"""

import numpy as np
import torch
from jaxtyping import Int

from abclust.datasets.grouped_images import GroupedImages
from abclust.experiments.omniglot_split import check_no_evaluation_alphabet
from abclust.foundations.random_state import stream
from abclust.training.pool_drawing import class_likeness

LOOK_ALIKE_SEED = 2_010_01043  # other sets than those of validation, calibration and scoring
N_CHARACTERS = (5, 12)
N_DRAWINGS = (4, 20)
"""Fewest and most drawings of a character in a set, uniform."""


def look_alike_sets(
    data: GroupedImages, sets_per_alphabet: int, seed: int = LOOK_ALIKE_SEED, *, largest: int = 100
) -> list[Int[np.ndarray, " _"]]:
    """Sets of characters whose mean drawings are nearest to one of them, as places in `data`.

    Parameters
    ----------
    data
        Alphabets that no training saw.
    sets_per_alphabet
        How many sets of each.
    seed
        Set i of an alphabet is a function of the seed, the alphabet's place and i alone.
    largest
        No more images than this in a set.

    Raises
    ------
    InvalidInputError
        If an evaluation alphabet is among the groups.
    """
    check_no_evaluation_alphabet(data.group_names)
    sets = []
    for alphabet in range(len(data.group_names)):
        members = np.flatnonzero(data.groups == alphabet)
        characters, labels = np.unique(data.labels[members], return_inverse=True)
        likeness = class_likeness(torch.from_numpy(data.images[members]).float(), labels)
        for which in range(sets_per_alphabet):
            rng = stream(seed, alphabet, which)
            centre = rng.integers(len(characters))
            chosen = np.argsort(-likeness[centre])[: rng.integers(N_CHARACTERS[0], N_CHARACTERS[1] + 1)]
            drawn = [_some(members[labels == character], rng) for character in chosen]
            sets.append(rng.permutation(np.concatenate(drawn))[:largest])
    return sets


def _some(places: Int[np.ndarray, " _"], rng: np.random.Generator) -> Int[np.ndarray, " _"]:
    return rng.permutation(places)[: rng.integers(N_DRAWINGS[0], N_DRAWINGS[1] + 1)]
