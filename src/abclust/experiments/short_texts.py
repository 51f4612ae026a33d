"""Short labelled texts and their sentence embeddings: vectors of a kind that no generator here knows.

``short_texts.csv`` holds 150 sentences on six topics, written for this comparison before anything was scored
on them. ``short_texts.safetensors`` holds their embeddings by WordLlama, a package that carries its weights
in its wheel, so that the comparison needs neither the package nor a download. ``development_words.csv`` holds
200 words of ten kinds, with embeddings likewise: other texts, on which a choice may be made.

Command
    ``python -m abclust.experiments.short_texts`` computes the embeddings of both again
    (``pip install wordllama``).

References
----------
Miller, "WordLlama: recycled token embeddings from large language models", 2024.
https://github.com/dleemiller/wordllama
"""

import csv
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import DataNotFoundError
from abclust.storage.tensor_file import load_tensors, save_tensors

TEXTS = Path(__file__).with_name("short_texts.csv")
EMBEDDINGS = TEXTS.with_suffix(".safetensors")
WORDS = TEXTS.with_name("development_words.csv")
PACKAGE = "wordllama"
_logger = logging.getLogger(__name__)


def read_texts(path: Path = TEXTS) -> tuple[list[str], list[str]]:
    """The texts of a table and the topic of each; the sentences by default.

    Examples
    --------
    >>> texts, topics = read_texts()
    >>> len(texts), sorted(set(topics))
    (150, ['astronomy', 'cooking', 'football', 'gardening', 'medicine', 'money'])
    """
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["topic"] for row in rows]


def embedded_texts(path: Path = TEXTS, name: str = "sentences") -> LabelledSet:
    """The texts as vectors of 256 numbers and unit length, labelled by their topics.

    Examples
    --------
    >>> embedded_texts().items.shape, embedded_texts().n_clusters
    ((150, 256), 6)
    """
    texts, topics = read_texts(path)
    embeddings = load_tensors(path.with_suffix(".safetensors")).tensors["embeddings"]
    return LabelledSet(embeddings.numpy().astype(np.float64), topics, name=name, item_names=tuple(texts))


def embed(texts: Sequence[str]) -> Float[np.ndarray, "n 256"]:
    """Means of the token embeddings of each text, scaled to unit length as is usual for cosines.

    Raises
    ------
    DataNotFoundError
        If the package is not installed.
    """
    try:
        import wordllama  # type: ignore[import-not-found]
    except ImportError as error:
        raise DataNotFoundError(
            f"package {PACKAGE} must be installed to compute embeddings. Got none: pip install {PACKAGE}"
        ) from error
    # The package looks for its own tokenizer in a folder that its wheel spells otherwise; as a cache, its
    # folder holds both files, and nothing is downloaded.
    folder = Path(wordllama.__path__[0])
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return np.asarray(model.embed(list(texts), norm=True))


def main() -> None:
    """The command of this module."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    from importlib.metadata import version

    for table in (TEXTS, WORDS):
        embeddings = torch.from_numpy(embed(read_texts(table)[0])).half()  # as precise as the package's own
        header = {"package": PACKAGE, "version": version(PACKAGE), "texts": table.name}
        save_tensors(table.with_suffix(".safetensors"), {"embeddings": embeddings}, header)
        _logger.info("wrote %s: %s", table.with_suffix(".safetensors"), tuple(embeddings.shape))


if __name__ == "__main__":
    main()
