"""What can be taken away: labels as CSV, images sorted into folders as a .zip; at any cut of the tree."""

import csv
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from io import RawIOBase, StringIO
from typing import Any

from abclust.clustering.log_odds.confidence import item_confidence
from abclust.clustering.log_odds.weights import log_odds
from abclust.clustering.merge_tree import MergeTree
from abclust.web.api_errors import invalid
from abclust.web.file_names import safe_name, unique_path
from abclust.web.tasks import FoundClusters

# The date of every member: the same clusters give the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def at_cut(found: FoundClusters, n_clusters: int | None) -> FoundClusters:
    """The set as the level of its merge tree with so many clusters has it; confidence as of that level.

    Raises
    ------
    ApiError
        422 if the number is not from 1 to the number of items.
    """
    if n_clusters is None or n_clusters == found.partition.n_clusters:
        return found
    if not 1 <= n_clusters <= found.n_items:
        raise invalid(f"n_clusters must be from 1 to {found.n_items}, the number of items. Got {n_clusters}.")
    labels = MergeTree(found.partition.linkage, found.partition.mean_log_odds).cut(n_clusters)
    confidence = item_confidence(log_odds(found.kernel), labels)
    return found.with_partition(replace(found.partition, labels=labels, confidence=confidence))


def labels_csv(found: FoundClusters) -> str:
    """The columns ``item,cluster,confidence``, one row an item."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["item", "cluster", "confidence"])
    for name, label, confidence in zip(found.names, found.partition.labels, found.partition.confidence):
        # A name that begins like a formula would be computed by a spreadsheet.
        shown = f"'{name}" if name.startswith(_FORMULA) and not name.lstrip("+-").isdigit() else name
        writer.writerow([shown, int(label), f"{confidence:.4f}"])
    return text.getvalue()


def clusters_zip(found: FoundClusters) -> Iterator[bytes]:
    """The image files in a folder for each cluster, as the bytes of a .zip, piece by piece.

    Raises
    ------
    ApiError
        422 if the items are no images.
    """
    if not found.files:
        raise invalid("only images can be sorted into folders. Got a table. Take labels.csv.")
    return _zip_pieces(found)


def _zip_pieces(found: FoundClusters) -> Iterator[bytes]:
    sink = _Sink()
    width = len(str(found.partition.n_clusters - 1))
    taken: set[str] = set()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:  # images are compressed already
        for file, label in zip(found.files, found.partition.labels):
            path = unique_path(f"cluster-{int(label):0{width}}/", safe_name(file.name), taken)
            archive.writestr(zipfile.ZipInfo(path, _DATE), file.content)
            yield sink.taken()
        archive.writestr(zipfile.ZipInfo("labels.csv", _DATE), labels_csv(found))
    yield sink.taken()


class _Sink(RawIOBase):
    """A file that cannot be rewound and is emptied as it is filled."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)
