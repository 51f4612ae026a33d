"""Log-odds of the pairs within local sets: what the network, or anything else, says about them."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.special import logit
from torch import Tensor

from abclust.clustering.log_odds.weights import LOG_ODDS_BOUND
from abclust.kernel.calibration_table import CalibrationTable
from abclust.model.context_kernel_network import ContextKernelNetwork

PAIRS_AT_ONCE = 2**19
"""Pairs in one forward pass: 20 sets of 160, some tens of megabytes."""


@runtime_checkable
class PairEvidence(Protocol):
    """Says for local sets how strongly each pair belongs together."""

    def log_odds(self, sets: Int[np.ndarray, "B m"]) -> Float[np.ndarray, "B m m"]:
        """Symmetric calibrated log-odds of each set, given by the places of its items."""
        ...


class EncodedEvidence:
    """A network on items that were encoded once: only the part with context runs for each local set.

    Parameters
    ----------
    network
        In evaluation mode while it is used; its header's calibration for the method is applied.
    encoded
        Encoded items, one or more views, float32; may be a memory map. Shape (V, n, h).
    method
        Which calibration: that for ``"log-odds"`` or for ``"size-prior"``.
    """

    def __init__(
        self, network: ContextKernelNetwork, encoded: Float[np.ndarray, "V n h"], method: str = "log-odds"
    ) -> None:
        self._network, self._encoded, self._method = network, encoded, method
        self._calibrations = CalibrationTable.from_dict(network.metadata.get("calibration", {}))

    @torch.no_grad()
    def log_odds(self, sets: Int[np.ndarray, "B m"]) -> Float[np.ndarray, "B m m"]:
        """The mean of the views' logits, calibrated for sets of this size."""
        was_training = self._network.training
        self._network.eval()
        try:
            step = max(1, PAIRS_AT_ONCE // sets.shape[1] ** 2)
            parts = [self._logits(sets[start : start + step]) for start in range(0, len(sets), step)]
        finally:
            self._network.train(was_training)
        return self._calibrations.apply_to_logits(np.concatenate(parts), self._method)

    def _logits(self, sets: Int[np.ndarray, "B m"]) -> Float[np.ndarray, "B m m"]:
        device = next(self._network.parameters()).device
        logits = torch.zeros(())
        for view in self._encoded:
            embeddings: Tensor = torch.from_numpy(view[sets]).to(device)
            logits = logits + self._network.relate(embeddings) / len(self._encoded)
        return ((logits + logits.mT) / 2).cpu().numpy()


class KernelEvidence:
    """Any rule from sets to calibrated kernels: networks that prepare each set as a whole, or no network.

    Parameters
    ----------
    items
        Items as the rule takes them; may be a memory map.
    kernels
        Sets of items in, one kernel (m, m) of probabilities out for each.
    """

    def __init__(
        self,
        items: Float[np.ndarray, "n ..."],
        kernels: Callable[[list[np.ndarray]], Sequence[Float[np.ndarray, "_ _"]]],
    ) -> None:
        self._items, self._kernels = items, kernels

    def log_odds(self, sets: Int[np.ndarray, "B m"]) -> Float[np.ndarray, "B m m"]:
        """log(p / (1 - p)), cut at ±30."""
        kernels = np.stack(self._kernels([np.asarray(self._items[each]) for each in sets]))
        with np.errstate(divide="ignore"):
            return np.clip(logit(kernels), -LOG_ODDS_BOUND, LOG_ODDS_BOUND).astype(np.float32)


class PartEvidence:
    """Evidence about some items of a larger set, by their places among these.

    Parameters
    ----------
    whole
        Evidence about all items.
    items
        Which of them are meant, in order.
    """

    def __init__(self, whole: PairEvidence, items: Int[np.ndarray, " p"]) -> None:
        self._whole, self._items = whole, items

    def log_odds(self, sets: Int[np.ndarray, "B m"]) -> Float[np.ndarray, "B m m"]:
        """What the whole says."""
        return self._whole.log_odds(self._items[sets])
