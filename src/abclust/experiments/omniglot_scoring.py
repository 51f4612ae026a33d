"""Score network files on the five held-out background alphabets: what recipes are chosen by.

Command
    ``python -m abclust.experiments.omniglot_scoring FILE ... [--sets N] [--views V] [--data FOLDER]``

Logs the table of both protocols for each file. It cannot load the evaluation alphabets. A network that was
trained on the held-out ones (``--final``) is refused.
"""

import argparse
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from abclust.evaluation.results_table import markdown_table
from abclust.experiments.omniglot_networks import framing_of, views_of
from abclust.experiments.omniglot_rows import ProtocolConfig, Row, mean_rows, score_network
from abclust.experiments.omniglot_split import background_images
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import to_dict
from abclust.model.context_kernel_network import ContextKernelNetwork

SCORING_SEED = 2_010_01042  # other sets than those of validation and calibration
COLUMNS = ("system", "protocol", "method", "calibrated", "task", "n_sets", "nmi", "interval", "ami", "ari")
COLUMNS += ("k_error", "pair_ece", "worst_alphabet", "worst_nmi")
_logger = logging.getLogger(__name__)


def held_out_rows(
    file: str | Path,
    config: ProtocolConfig | None = None,
    *,
    views: int | None = None,
    data: Path | None = None,
) -> list[Row]:
    """The rows of one network file on the held-out alphabets.

    Parameters
    ----------
    file
        Written by a training on the other 25 alphabets.
    config
        How many sets.
    views
        Instead of the number that the file's header asks for.
    data
        Folder of Omniglot's archives.

    Raises
    ------
    InvalidInputError
        If the network was trained on one of the held-out alphabets.
    """
    network = ContextKernelNetwork.from_file(file)
    if views is not None:
        network.metadata["views"] = to_dict(replace(views_of(network), count=views))
    images = background_images("held-out", data=data, **framing_of(network))
    seen = sorted(set(images.group_names) & set(network.metadata.get("groups", [])))
    if seen:
        raise InvalidInputError(
            f"file must hold a network trained without the held-out alphabets. Got {str(file)!r}, "
            f"trained on {', '.join(seen)}."
        )
    name = Path(file).name.removesuffix(".safetensors")
    return mean_rows(score_network(network, images, SCORING_SEED, config), name, name)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.experiments.omniglot_scoring", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("files", type=Path, nargs="+", help="network files")
    parser.add_argument("--sets", type=int, default=100, help="sets of 100 images of each alphabet")
    parser.add_argument("--views", type=int, help="views instead of what the file asks for")
    parser.add_argument("--data", type=Path, help="folder of Omniglot's archives")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    config = ProtocolConfig(n_instances=given.sets)
    rows = [
        row for file in given.files for row in held_out_rows(file, config, views=given.views, data=given.data)
    ]
    _logger.info("%s", markdown_table(rows, COLUMNS))


if __name__ == "__main__":
    main()
