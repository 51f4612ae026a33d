"""What shipped weights are for and where they end: the two texts of a card that no file can tell by itself.

All else on a card is read from the catalogue and from the header of the weights.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class CardText:
    """The written part of a model card."""

    intended_use: str
    limits: str


_POINTS = (
    "Points of the plane in other units must be scaled first; other shapes than circles were never seen."
)
_PAPER_CIRCLES = (
    "Trained on sets of 20 points without noise alone, as in the paper: for sets of other sizes or with "
    f"noise take `circles`. Kernels are raw, without a calibration. {_POINTS}"
)
_PAIRWISE = CardText(
    intended_use="The paper's ablation: each pair of points is judged without its set. For comparison only.",
    limits=f"Two points alone do not tell a circle, so scores are low by design. {_POINTS}",
)
_CHARACTERS = (
    "Photographs, faces, printed words and anything that is not ink on paper were never seen. One item is "
    "one character; what separates two classes must survive at"
)
_PAPER_OMNIGLOT = (
    "Trained on sets of 100 images, as in the paper: for other sizes, and for the best scores, take "
    f"`omniglot`. {_CHARACTERS} 56 x 56 pixels."
)

CARD_TEXTS: dict[str, CardText] = {
    "circles": CardText(
        intended_use="Finding the circles in a set of points, their number unknown: one network for 1 to 8 "
        "circles, 20 to 300 points, and a little noise.",
        limits="Where circles cross, points near the crossing are ambiguous, and sets of 20 points are hard "
        f"for everybody. {_POINTS}",
    ),
    "circles-4": CardText(
        intended_use="Finding the circles in a set of points when there are about four of them and no noise: "
        "better than `circles` there, above all on 20 points.",
        limits="Made for four clean circles and 20 to 100 points; with another number of circles, or with "
        f"noise, take `circles`. {_POINTS}",
    ),
    "circles-paper-add": CardText(
        intended_use="The paper's first experiment with additive compatibility (Figures 1 and 2).",
        limits=_PAPER_CIRCLES,
    ),
    "circles-paper-mul": CardText(
        intended_use="The paper's first experiment with multiplicative compatibility (Figures 1 and 2).",
        limits=_PAPER_CIRCLES,
    ),
    "circles-pairwise-add": _PAIRWISE,
    "circles-pairwise-mul": _PAIRWISE,
    "embeddings": CardText(
        intended_use="The runs on 1,000 to 1,000,000 items (`abclust reproduce scaling`): generated "
        "embeddings of width 128 whose classes overlap.",
        limits="Knows the one generated domain that it was trained in, and no embeddings of anybody else: "
        "for those take `vectors`, or train a network on labelled sets of your own. Sees a set through "
        'neighbourhoods of 192 items, as `scale="local"` shows it.',
    ),
    "omniglot": CardText(
        intended_use="Grouping images of handwritten characters and similar drawings by what they show, for "
        "scripts never seen and an unknown number of characters. The default for images.",
        limits=f"{_CHARACTERS} 56 x 56 pixels. A set that is all one character is split more often than not.",
    ),
    "omniglot-paper-add": CardText(
        intended_use="The paper's second experiment with additive compatibility (Table 2).",
        limits=_PAPER_OMNIGLOT,
    ),
    "omniglot-paper-mul": CardText(
        intended_use="The paper's second experiment with multiplicative compatibility (Table 2).",
        limits=_PAPER_OMNIGLOT,
    ),
    "vectors": CardText(
        intended_use="Grouping the rows of a table of numbers, of any width and in any units, into an "
        "unknown number of clusters. The default for tables.",
        limits="Trained on generated mixtures: clusters of a kind that only labels can tell (a species by a "
        "rule, a person by a name) are not found. Train a network on labelled sets of your own for those. "
        "Text and categories must become numbers first. Tables of 48 columns and more are taken to have "
        "several clusters: a single one of hundreds of rows is seldom recognised there. In large tables "
        "more clusters are found than there are, most of the additional ones small.",
    ),
}
"""By the names of the weights; weights that are not here say what they are for in their header's card."""


def card_text(name: str, card: dict[str, str]) -> CardText:
    """The texts of weights: those written here, else those of the header's card, else none.

    Examples
    --------
    >>> card_text("mine", {"limits": "only on Sundays"})
    CardText(intended_use='', limits='only on Sundays')
    """
    return CARD_TEXTS.get(name) or CardText(card.get("intended_use", ""), card.get("limits", ""))
