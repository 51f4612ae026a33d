"""Whether two networks learnt from the same sets: one digest of all items and labels."""

import hashlib
from collections.abc import Sequence

import numpy as np

from abclust.datasets.labelled_set import LabelledSet


def data_fingerprint(sets: Sequence[LabelledSet]) -> str:
    """The sha256 of all items and labels, in order: whether two networks learnt from the same data.

    Examples
    --------
    >>> data_fingerprint([LabelledSet(np.zeros((2, 1)), ["a", "b"])])[:8]
    '8e2dad84'
    """
    digest = hashlib.sha256()
    for each in sets:
        digest.update(f"{each.items.dtype}{each.items.shape}".encode())
        digest.update(np.ascontiguousarray(each.items).data)
        digest.update(np.ascontiguousarray(each.labels, dtype=np.int64).data)
    return digest.hexdigest()
