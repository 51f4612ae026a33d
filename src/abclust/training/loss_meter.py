"""Means of the losses since the last row of the curve."""

import time
from collections.abc import Mapping

from abclust.training.state import HistoryRow


class LossMeter:
    """Collects losses step by step and gives their means.

    Examples
    --------
    >>> meter = LossMeter()
    >>> meter.add({"loss": 1.0}, n_items=10)
    >>> meter.add({"loss": 3.0}, n_items=10)
    >>> meter.row()["loss"]
    2.0
    """

    def __init__(self) -> None:
        self._start()

    def add(self, losses: Mapping[str, float], n_items: int) -> None:
        """Take in one step."""
        for name, value in losses.items():
            self._sums[name] = self._sums.get(name, 0.0) + value
            self._counts[name] = self._counts.get(name, 0) + 1
        self._n_items += n_items

    def row(self) -> HistoryRow:
        """Means since the last row, and the rate of items; starts anew."""
        means = {name: total / self._counts[name] for name, total in self._sums.items()}
        rate = self._n_items / max(time.perf_counter() - self._since, 1e-9)
        self._start()
        return {**means, "items_per_second": rate}

    def _start(self) -> None:
        self._sums: dict[str, float] = {}
        self._counts: dict[str, int] = {}
        self._n_items = 0
        self._since = time.perf_counter()
