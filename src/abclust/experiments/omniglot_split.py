"""The background alphabets of Omniglot: 25 to learn from and five held out for every choice.

The 20 evaluation alphabets choose nothing, so nothing here can load them: whatever trains or chooses gets its
images from :func:`background_images`, and :func:`check_no_evaluation_alphabet` stands between a training and
its network file.

The five were chosen by name, before anything was measured: one of each kind of script among the 30 (European,
Brahmic, invented, East Asian, Semitic), and within a kind one whose letters no other background alphabet
shares. Latin, Greek and Cyrillic share letters, and so do the two Japanese syllabaries, the two Georgian
alphabets and the three Canadian syllabics: with a twin among the 25 they would look easier than a new script.
"""

from collections.abc import Collection
from pathlib import Path

from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.omniglot_archive import omniglot
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice

HELD_OUT = ("Anglo-Saxon_Futhorc", "Bengali", "Futurama", "Korean", "Syriac_(Estrangelo)")
"""Held out for every choice: recipes, calibration, back ends."""

PARTS = ("training", "held-out", "final")

EVALUATION_ALPHABETS = (
    "Angelic",
    "Atemayar_Qelisayer",
    "Atlantean",
    "Aurek-Besh",
    "Avesta",
    "Ge_ez",
    "Glagolitic",
    "Gurmukhi",
    "Kannada",
    "Keble",
    "Malayalam",
    "Manipuri",
    "Mongolian",
    "Old_Church_Slavonic_(Cyrillic)",
    "Oriya",
    "Sylheti",
    "Syriac_(Serto)",
    "Tengwar",
    "Tibetan",
    "ULOG",
)
"""Their names alone, so that they can be refused."""


def background_images(
    part: str, *, data: str | Path | None = None, ink_size: int | None = None, image_size: int = 28
) -> GroupedImages:
    """The images of a part of the background alphabets.

    Parameters
    ----------
    part
        ``"training"`` (25 alphabets), ``"held-out"`` (five) or ``"final"`` (all 30, for a network whose
        recipe is no longer changed).
    data
        The archive or the folder that holds it; see :func:`abclust.datasets.omniglot`.
    ink_size, image_size
        The framing; see :func:`abclust.datasets.omniglot`.

    Raises
    ------
    InvalidInputError
        If there is no such part.
    DataNotFoundError
        If the archive is not found and cannot be fetched.
    """
    check_choice("part", part, PARTS)
    everything = omniglot("background", data=data, image_size=image_size, ink_size=ink_size)
    if part == "final":
        return everything
    names = HELD_OUT if part == "held-out" else set(everything.group_names) - set(HELD_OUT)
    return everything.select(names)


def check_no_evaluation_alphabet(groups: Collection[str]) -> None:
    """Refuse to train on, or choose by, an alphabet that a network will be judged by.

    Raises
    ------
    InvalidInputError
        If one of the groups is an evaluation alphabet.

    Examples
    --------
    >>> check_no_evaluation_alphabet(["Greek", "Korean"])
    """
    forbidden = sorted(set(groups) & set(EVALUATION_ALPHABETS))
    if forbidden:
        raise InvalidInputError(
            f"groups must not hold evaluation alphabets: they choose nothing. Got {', '.join(forbidden)}."
        )
