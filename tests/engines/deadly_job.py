"""A job whose worker dies when it meets a certain set: what the system does to a process that eats memory."""

import os
import signal
from dataclasses import dataclass
from typing import Any

from abclust.engines.engine import ClusteringJob
from abclust.estimator.set_clusterer import SetClusterer

DEADLY_SIZE = 7


class DeadlyClusterer(SetClusterer):
    def kernels(self, prepared: Any, backend: str | None = None) -> Any:
        if any(len(items) == DEADLY_SIZE for items in prepared):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().kernels(prepared, backend)


@dataclass(frozen=True)
class DeadlyJob(ClusteringJob):
    def clusterer(self) -> SetClusterer:
        return DeadlyClusterer(self.weights.load(), random_state=self.seed)
