"""Networks on all alphabets of a split, as rows of a results file: alphabets, means, trivial partitions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from joblib import Parallel, cpu_count, delayed

from abclust.datasets.grouped_images import GroupedImages
from abclust.datasets.labelled_set import LabelledSet
from abclust.evaluation.protocol import Evaluation, trivial_rows
from abclust.experiments.omniglot_networks import views_of
from abclust.experiments.omniglot_protocol import (
    APPROACHES,
    KNOWN,
    UNKNOWN,
    Approach,
    Scored,
    encoded_alphabets,
    score_alphabet,
)
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.model.view_averaging import encode_views

Row = dict[str, Any]


@dataclass(frozen=True)
class ProtocolConfig:
    """How much is scored, and by how many processes."""

    n_instances: int = 1_000
    """Sets of 100 images of each alphabet and choice of k (paper: 1,000)."""
    whole: bool = True
    """Whole alphabets too."""
    approaches: tuple[Approach, ...] = APPROACHES
    workers: int | None = None
    """Processes; by default one for each core that this process may use."""

    @property
    def n_jobs(self) -> int:
        """Processes that will run."""
        return self.workers or cpu_count()


def score_network(
    network: ContextKernelNetwork, data: GroupedImages, seed: int, config: ProtocolConfig | None = None
) -> list[Scored]:
    """Score one network on every alphabet of `data`; each image is encoded once a view.

    Parameters
    ----------
    network
        Its header says how many views there are, and holds its calibration.
    data
        Alphabets, framed as the network expects them.
    seed
        Of the sets: the same for every network.
    config
        How much.
    """
    config = config or ProtocolConfig()
    alphabets = encoded_alphabets(data, encode_views(network, data.images, views_of(network)))
    jobs = (
        delayed(score_alphabet)(
            network, alphabet, config.n_instances, seed, config.approaches, whole=config.whole
        )
        for alphabet in alphabets
    )
    parts: list[list[Scored]] = Parallel(n_jobs=config.n_jobs)(jobs)  # type: ignore[assignment]
    return [scored for part in parts for scored in part]


def mean_rows(scored: Sequence[Scored], network: str, system: str) -> list[Row]:
    """One row for each protocol, task and approach: means over alphabets, intervals for other alphabets."""
    rows = []
    for (protocol, task, approach), parts in _grouped(scored):
        evaluation = _evaluation(parts, system)
        means = {part.alphabet: float(np.mean([each.nmi for each in part.scores])) for part in parts}
        worst = min(means, key=means.__getitem__)
        rows.append(
            {
                **evaluation.row(over_groups=True),
                **_names(network, protocol, task, approach),
                **_kernel_means(parts),
                "n_alphabets": len(parts),
                "worst_alphabet": worst,
                "worst_nmi": means[worst],
            }
        )
    return rows


def alphabet_rows(scored: Sequence[Scored], network: str, system: str) -> list[Row]:
    """One row for each alphabet besides: the split that the paper's Table 4 shows."""
    return [
        {
            **_evaluation([part], system).row(),
            **_names(network, part.protocol, part.task, part.approach),
            **_kernel_means([part]),
            "group": part.alphabet,
        }
        for part in scored
    ]


def trivial_partition_rows(scored: Sequence[Scored], seed: int) -> list[Row]:
    """What partitions that know nothing score on the same sets, the first few of each alphabet."""
    rows, done = [], set()
    for (protocol, task, _), parts in _grouped(scored):
        if task == KNOWN or (protocol, task) in done:  # the sets are those of the task with k unknown
            continue
        done.add((protocol, task))
        sets = [
            LabelledSet(np.zeros((len(labels), 1)), list(labels), group=part.alphabet)
            for part in parts
            for labels in part.truth
        ]
        found = trivial_rows(sets, protocol=protocol, seed=seed)
        rows += [{**row, "task": task, "network": None, "method": None} for row in found]
    return rows


def _grouped(scored: Sequence[Scored]) -> list[tuple[tuple[str, str, Approach], list[Scored]]]:
    """By protocol, task and approach, in the order of first appearance."""
    order: dict[tuple[str, str, Approach], int] = {}
    for part in scored:
        order.setdefault((part.protocol, part.task, part.approach), len(order))
    ranked = sorted(scored, key=lambda part: order[part.protocol, part.task, part.approach])
    return [
        (key, list(parts))
        for key, parts in groupby(ranked, key=lambda part: (part.protocol, part.task, part.approach))
    ]


def _evaluation(parts: Sequence[Scored], system: str) -> Evaluation:
    scores = tuple(each for part in parts for each in part.scores)
    groups = tuple(part.alphabet for part in parts for _ in part.scores)
    first = parts[0]
    return Evaluation(
        system,
        first.protocol,
        "unknown" if first.task == UNKNOWN else "known",
        scores,
        groups,
        sum(part.seconds for part in parts) / len(scores),
        first.approach.calibrated,
    )


def _names(network: str, protocol: str, task: str, approach: Approach) -> Row:
    return {"network": network, "protocol": protocol, "task": task, "method": approach.method}


def _kernel_means(parts: Sequence[Scored]) -> Mapping[str, float]:
    return {
        "pair_ece": float(np.mean([part.kernels.pair_ece for part in parts])),
        "pair_brier": float(np.mean([part.kernels.pair_brier for part in parts])),
    }
