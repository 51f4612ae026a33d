"""What the work on a large set depends on: a folder with the work on anything else is refused."""

import hashlib
import json

import numpy as np
from jaxtyping import Shaped

from abclust.foundations.frozen_config import to_dict
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.scale.config import LocalContextConfig

_BLOCK = 65_536
_WORDS_THAT_DECIDE = ("calibration", "views", "framing", "preparation", "vector_views", "point_views")
"""Words of a header that change what a network says."""


def work_fingerprint(
    items: Shaped[np.ndarray, "n *item"],
    network: ContextKernelNetwork | None,
    config: LocalContextConfig,
    *,
    seed: int,
    system: str = "",
) -> dict[str, object]:
    """The fingerprint for a :class:`~abclust.scale.checkpoint.FolderKeeper`.

    Parameters
    ----------
    items
        The set; may be a memory map. All of its bytes are looked at, in blocks: a second for a gigabyte,
        beside an hour of work.
    network
        Weights, architecture, and what its header says of calibration, views and preparation; None where no
        network is asked.
    config, seed
        How local sets look, and what is drawn.
    system
        A name for anything else that decides.

    Examples
    --------
    >>> stamp = work_fingerprint(np.zeros((3, 2)), None, LocalContextConfig(), seed=0)
    >>> stamp == work_fingerprint(np.ones((3, 2)), None, LocalContextConfig(), seed=0)
    False
    """
    return {
        "items": _of_array(items),
        "network": "" if network is None else _of_network(network),
        "config": to_dict(config),
        "seed": seed,
        "system": system,
    }


def _of_array(items: Shaped[np.ndarray, "n *item"]) -> str:
    digest = hashlib.blake2b(f"{items.shape} {items.dtype}".encode(), digest_size=16)
    for start in range(0, len(items), _BLOCK):
        digest.update(np.ascontiguousarray(items[start : start + _BLOCK]).data)
    return digest.hexdigest()


def _of_network(network: ContextKernelNetwork) -> str:
    header = {word: network.metadata[word] for word in _WORDS_THAT_DECIDE if word in network.metadata}
    told = json.dumps([to_dict(network.config), header], sort_keys=True)
    digest = hashlib.blake2b(told.encode(), digest_size=16)
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(tensor.cpu().numpy()).data)
    return digest.hexdigest()
