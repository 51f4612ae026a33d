"""Cluster a large set with a folder, in a process that kills itself after N batches of sets.

python killed_program.py FOLDER --die-after N
"""

import argparse
import os
import signal
from pathlib import Path
from typing import NamedTuple

import numpy as np

from abclust.kernel.fixed_kernels import RBFKernel
from abclust.scale.checkpoint import FolderKeeper
from abclust.scale.config import LocalContextConfig
from abclust.scale.evidence import KernelEvidence
from abclust.scale.large_set import cluster_large_set
from abclust.scale.progress import LogProgress

CONFIG = LocalContextConfig(set_size=23, n_far=3, n_near=5, n_neighbors=11, levels=0, placements=0)


def points() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.repeat(rng.normal(size=(401, 3)) * 40, 11, axis=0) + rng.normal(size=(4411, 3)) * 0.1


class Deadly(KernelEvidence):
    """Counts its calls, and ends the process by SIGKILL at one of them."""

    n_calls = 0
    deadline = -1

    def log_odds(self, sets):
        if self.n_calls == self.deadline:
            os.kill(os.getpid(), signal.SIGKILL)
        self.n_calls += 1
        return super().log_odds(sets)


class Ran(NamedTuple):
    n_calls: int
    labels: np.ndarray


def run(folder: str | Path, die_after: int = -1) -> Ran:
    items = points()
    evidence = Deadly(items, lambda sets: [RBFKernel(0.1).kernel(each) for each in sets])
    evidence.deadline = die_after
    keeper = FolderKeeper(folder, {"n": len(items)})
    found = cluster_large_set(evidence, items, CONFIG, keeper=keeper, progress=LogProgress())
    return Ran(evidence.n_calls, found.labels)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--die-after", type=int, required=True)
    given = parser.parse_args()
    run(given.folder, given.die_after)
