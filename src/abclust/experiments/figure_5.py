"""The paper's Figure 5: a set whose images are all of one character, and whether a network splits it.

Command
    ``abclust reproduce figure-5``
Cost
    A minute; ``--quick`` takes half of it.
Expected
    The paper's network sees differences where there is but one class: its kernel is far from all ones. The
    kernel of ``omniglot``, which has met such sets in training, should come closer to it. What gated skips,
    the paper's own proposal, change by themselves is measured by ``abclust reproduce ablation``.

The set is the paper's: the 20 drawings of the letter k of the Latin alphabet, which is a background alphabet
and so was seen in training. What a new character meets is told beside it: the share of all 659 characters of
the evaluation alphabets, 20 drawings each, that are split into more than one cluster. The figure is drawn
with the characters where Omniglot's archive is found, without them elsewhere; the rows hold no image.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float, UInt8

from abclust.clustering.backends import cluster_kernel
from abclust.datasets.grouped_images import GroupedImages
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.omniglot_networks import calibration_of, framing_of, obtain_networks, views_of
from abclust.experiments.omniglot_protocol import APPROACHES, Approach
from abclust.experiments.omniglot_rows import Row
from abclust.experiments.omniglot_split import background_images
from abclust.experiments.omniglot_tables import SYSTEMS, evaluation_images
from abclust.experiments.registry import ReproduceOptions
from abclust.figures.omniglot_figures import OneCharacterPanel, draw_one_character
from abclust.figures.style import save_figure
from abclust.foundations.errors import DataNotFoundError, FileFormatError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import encode_views, view_kernels

NAME = "figure-5"
NETWORKS = ("omniglot-paper-mul", "omniglot")
ALPHABET, CHARACTER = "Latin", "Latin/character11"
QUICK_CHARACTERS = 60


def run(options: ReproduceOptions) -> list[Path]:
    """Compute the kernels, write the rows, draw the figure. Gives the two files."""
    stored, picture = options.output / f"{NAME}.json", options.output / f"{NAME}.png"
    if not options.render:
        networks = obtain_networks(NETWORKS, options)
        rows = [network_row(name, network, options) for name, network in networks.items()]
        write_results(stored, rows, command=options.command(NAME), seed=options.seed)
    draw(read_results(stored).rows, picture, letter_images(options))
    return [stored, picture]


def network_row(name: str, network: ContextKernelNetwork, options: ReproduceOptions) -> Row:
    """One network on the letter, and on every character of the evaluation alphabets."""
    latin = background_images("final", data=options.data, **framing_of(network)).select([ALPHABET])
    letter = one_character_kernels(network, latin, [CHARACTER])[0]
    unseen = evaluation_images(options, network)
    characters = unseen.class_names[:: len(unseen.class_names) // QUICK_CHARACTERS if options.quick else 1]
    kernels = one_character_kernels(network, unseen, characters)
    return {
        "system": SYSTEMS[name],
        "network": name,
        "character": CHARACTER,
        "seen_in_training": ALPHABET in network.metadata.get("groups", []),
        "skip": network.config.skip,
        "kernel": np.round(letter, 5),
        "mean_probability": float(letter[~np.eye(len(letter), dtype=bool)].mean()),
        "n_characters": len(characters),
        "approaches": [
            {
                "method": approach.method,
                "calibrated": approach.calibrated,
                "n_clusters": n_clusters_found(network, [letter], approach)[0],
                "share_split": float(np.mean(np.array(n_clusters_found(network, kernels, approach)) > 1)),
            }
            for approach in APPROACHES
        ],
    }


def one_character_kernels(
    network: ContextKernelNetwork, data: GroupedImages, characters: Sequence[str]
) -> list[Float[np.ndarray, "n n"]]:
    """The raw kernel of all images of each character."""
    encoded = encode_views(network, data.images, views_of(network))
    members = [np.flatnonzero(data.labels == data.class_names.index(name)) for name in characters]
    return view_kernels(network, encoded, members)


def n_clusters_found(
    network: ContextKernelNetwork, kernels: Sequence[Float[np.ndarray, "n n"]], approach: Approach
) -> list[int]:
    """How many clusters an approach finds in each kernel."""
    calibration = calibration_of(network)
    used = [calibration.apply(each, approach.method) if approach.calibrated else each for each in kernels]
    return [int(labels.max()) + 1 for labels in cluster_kernel(used, method=approach.method)]


def letter_images(options: ReproduceOptions) -> UInt8[np.ndarray, "n S S"] | None:
    """The drawings of the letter for the picture, or None where Omniglot's archive is not found."""
    try:
        latin = background_images("final", data=options.data).select([ALPHABET])
    except DataNotFoundError:
        return None
    return latin.images[latin.labels == latin.class_names.index(CHARACTER)]


def draw(rows: Sequence[Row], path: Path, images: UInt8[np.ndarray, "n S S"] | None) -> None:
    """Draw the figure from rows, and the characters if there are any."""
    try:
        panels = [
            OneCharacterPanel(
                row["system"], _caption(row["approaches"]), np.array(row["kernel"], dtype=float)
            )
            for row in rows
        ]
    except KeyError as error:
        raise FileFormatError(f"{NAME}.json must hold rows of kernels. Got a row without {error}.") from error
    save_figure(draw_one_character(panels, images), path)


def _caption(approaches: Sequence[Row]) -> str:
    """Clusters found as the paper does and as the weights ``omniglot`` do by default."""
    found = {(each["method"], each["calibrated"]): each["n_clusters"] for each in approaches}
    return f"clusters: {found['spectral', False]} (eigengap), {found['size-prior', True]} (size prior)"
