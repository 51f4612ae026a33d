"""The weights of a run at a few points of its course: what Figure 4 is drawn from, once all is frozen.

Snapshots are network files beside the checkpoints. They choose nothing: nobody scores them before the run,
and all that was chosen by held-out alphabets, is done.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abclust.foundations.frozen_config import to_dict
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.network_file import write_network_file
from abclust.training.state import TrainingState

FRACTIONS = (0.005, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.3, 0.45, 0.65, 0.85, 1.0)
"""Closer together at the beginning, where the most happens."""
_NAME = re.compile(r"snapshot-(\d{8})\.safetensors")


@dataclass(frozen=True)
class SnapshotReporter:
    """Writes ``snapshot-<step>.safetensors`` into the folder of a run when a stated part of it is done.

    The averaged weights are taken, the ones that would be kept. While a time budget is being measured the
    length of the run is not known, and nothing is written.
    """

    folder: Path
    metadata: Mapping[str, Any]
    """Goes into the header of every snapshot; step and images are added."""
    fractions: tuple[float, ...] = FRACTIONS

    def started(self, state: TrainingState) -> None:
        """Nothing to keep yet."""

    def stepped(self, state: TrainingState, losses: Mapping[str, float]) -> None:
        """Keep the weights, if one of the fractions is reached with this step."""
        total = state.total_steps
        if total is None or state.step not in {max(1, round(part * total)) for part in self.fractions}:
            return
        network = state.evaluated
        assert isinstance(network, ContextKernelNetwork)  # what the training hands over
        header = {
            **self.metadata,
            "step": state.step,
            "total_steps": total,
            "image_passes": state.n_items,
            "seconds": round(state.seconds, 1),
        }
        file = self.folder / f"snapshot-{state.step:08d}.safetensors"
        write_network_file(file, to_dict(network.config), network.state_dict(), header)

    def validated(self, state: TrainingState, scores: Mapping[str, float]) -> None:
        """Nothing to keep."""

    def finished(self, state: TrainingState) -> None:
        """Nothing to keep: the last step was a fraction."""


def snapshot_files(folder: str | Path) -> list[Path]:
    """The snapshots of a run, first to last."""
    return sorted(path for path in Path(folder).glob("snapshot-*.safetensors") if _NAME.fullmatch(path.name))
