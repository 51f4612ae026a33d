"""Where the time of a large set goes, stage by stage, in processor seconds.

Command
    ``python benchmarks/bench_scale.py [--items N] [--network FILE]``

Draws a mixture of :mod:`abclust.experiments.scaling_mixtures`, clusters it by local sets and prints, for each
stage (encoding, neighbours, packing, local sets, super-nodes, contraction and the rest), wall-clock and
processor seconds. Without ``--network`` the network is as it comes from its initialisation: the cost is the
same, the clusters mean nothing. Takes about a minute for 10,000 items on an idle core.
"""

import argparse
import time
from pathlib import Path

from abclust.experiments.scaling_mixtures import EmbeddingDomain
from abclust.experiments.scaling_training import LOCAL_CONTEXT, NETWORK
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.scale.evidence import EncodedEvidence
from abclust.scale.item_encoding import directions, encode_stream
from abclust.scale.large_set import cluster_large_set


class StageClock:
    """Notes when stages begin; a stage lasts until the next one."""

    def __init__(self) -> None:
        self.marks: list[tuple[str, int, float, float]] = []

    def stage(self, name: str, total: int, done: int = 0) -> None:
        self.marks.append((name, total, time.perf_counter(), time.process_time()))

    def advance(self, done: int) -> None:
        pass

    def lines(self) -> list[str]:
        ended = [*self.marks[1:], ("", 0, time.perf_counter(), time.process_time())]
        return [
            f"{name:16s} {total:>9,d} steps {after[2] - wall:8.1f} s {after[3] - processor:8.1f} s processor"
            for (name, total, wall, processor), after in zip(self.marks, ended)
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--network", type=Path)
    given = parser.parse_args()
    network = (
        ContextKernelNetwork.from_file(given.network) if given.network else ContextKernelNetwork(NETWORK)
    )
    items, _ = EmbeddingDomain().mixture(given.items, seed=0)
    clock = StageClock()
    encoded = encode_stream(network, items, progress=clock)
    evidence = EncodedEvidence(network, encoded)
    found = cluster_large_set(evidence, directions(encoded[0]), LOCAL_CONTEXT, progress=clock)
    print("\n".join(clock.lines()))
    print(f"{given.items:,} items in {found.n_clusters:,} clusters; the last stage holds the contraction too")


if __name__ == "__main__":
    main()
