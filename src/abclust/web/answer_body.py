"""An answer as JSON."""

import base64
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from abclust.web.answer_store import Answer

MOST_UNCERTAIN = 24
"""Items that an answer lists as the least certain ones."""


def answer_body(answer: Answer, kernel_items: int, *, with_kernel: bool = True) -> dict[str, Any]:
    """An answer as plain values for JSON.

    Parameters
    ----------
    answer
        From the store.
    kernel_items
        Up to so many items the kernel is in it.
    with_kernel
        False leaves it out in any case.
    """
    found, partition = answer.found, answer.found.partition
    body: dict[str, Any] = {
        "id": answer.id,
        "model": found.model,
        "kind": found.kind,
        "n_items": found.n_items,
        "names": list(found.names),
        "labels": partition.labels.tolist(),
        "n_clusters": partition.n_clusters,
        "confidence": partition.confidence.round(4).tolist(),
        "n_clusters_distribution": n_clusters_distribution(partition.n_clusters_samples),
        "merge_tree": {
            "merges": partition.linkage[:, :2].astype(int).tolist(),
            "heights": partition.linkage[:, 2].round(6).tolist(),
        },
        "order": _order(partition.labels, partition.confidence),
        "least_certain": np.argsort(partition.confidence, kind="stable")[:MOST_UNCERTAIN].tolist(),
        "constraints": {
            "must_link": [list(pair) for pair in found.must_link],
            "cannot_link": [list(pair) for pair in found.cannot_link],
        },
        "skipped": [{"name": name, "why": why} for name, why in found.skipped],
    }
    if with_kernel and found.n_items <= kernel_items:
        body["kernel"] = encoded_kernel(found.kernel)
    else:
        body["kernel_omitted"] = True
    if found.positions is not None:
        body["positions"] = found.positions.tolist()
    if found.thumbnails is not None:
        body["thumbnails"] = f"/api/answers/{answer.id}/thumbnails"
    if found.true_labels is not None:
        body["true_labels"] = list(found.true_labels)
    return body


def n_clusters_distribution(samples: Int[np.ndarray, " samples"]) -> list[dict[str, Any]]:
    """The share of each number of clusters among samples of it.

    Examples
    --------
    >>> n_clusters_distribution(np.array([3, 4, 4, 4]))
    [{'n_clusters': 3, 'probability': 0.25}, {'n_clusters': 4, 'probability': 0.75}]
    """
    numbers, counts = np.unique(samples, return_counts=True)
    return [
        {"n_clusters": int(number), "probability": float(times) / len(samples)}
        for number, times in zip(numbers, counts)
    ]


def encoded_kernel(kernel: Float[np.ndarray, "n n"]) -> str:
    """A kernel as base64 of one byte a pair, row by row; 255 is certainly together.

    Examples
    --------
    >>> encoded_kernel(np.array([[1.0, 0.0], [0.0, 1.0]]))
    '/wAA/w=='
    """
    return base64.b64encode(np.round(255 * kernel).astype(np.uint8).tobytes()).decode("ascii")


def _order(labels: Int[np.ndarray, " n"], confidence: Float[np.ndarray, " n"]) -> list[int]:
    """Large clusters first, certain items first, as in a report."""
    sizes = np.bincount(labels)
    return np.lexsort((np.arange(len(labels)), -confidence, labels, -sizes[labels])).tolist()
