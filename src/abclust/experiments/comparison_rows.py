"""Scores of the comparison as rows of a results file: means over pools, intervals, what the card says."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from abclust.baselines.interface import SystemCard
from abclust.datasets.labelled_set import LabelledSet
from abclust.evaluation.protocol import Evaluation, trivial_rows
from abclust.experiments.comparison_domains import PIXELS, Domain
from abclust.experiments.comparison_store import Scored
from abclust.experiments.omniglot_protocol import KNOWN, TRIVIAL_SETS, UNKNOWN
from abclust.experiments.table_3_printed import printed

Row = dict[str, Any]
TRIVIAL = "partitions that know nothing"
"""The group of the rows of trivial partitions."""


def system_rows(card: SystemCard, scored: Sequence[Scored]) -> list[Row]:
    """One row for each protocol and task of one system in one domain.

    Intervals are for the mean on other alphabets where there are several, else on other sets of the same
    pool.
    """
    rows = []
    for protocol, task in dict.fromkeys((part.protocol, part.task) for part in scored):
        parts = [part for part in scored if (part.protocol, part.task) == (protocol, task)]
        rows.append({**_means(card.title, parts), **_card_fields(card, parts[0])})
    return rows


def trivial_partition_rows(domain: Domain, seed: int, n_instances: int = TRIVIAL_SETS) -> list[Row]:
    """What partitions that know nothing score on the first sets of each pool, and on whole pools."""
    pools = domain.pools(PIXELS)
    drawn = [
        LabelledSet(np.zeros((len(instance.labels), 1)), instance.labels, group=pool.name)
        for pool in pools
        for instance in pool.draw(n_instances)
    ]
    whole = [LabelledSet(np.zeros((len(pool.labels), 1)), pool.labels, group=pool.name) for pool in pools]
    return [
        {
            **row,
            "name": row["system"],
            "kind": TRIVIAL,
            "domain": domain.name,
            "task": KNOWN if row["k"] == "known" else UNKNOWN,
            "uses_context": False,
            "optimises_on_the_set": False,
            "image_passes": 0,
            "n_pools": len(pools),
            "printed_nmi": None,
        }
        for protocol, sets in zip(domain.protocols, (drawn, whole), strict=True)
        for row in trivial_rows(sets, protocol=protocol, seed=seed)
    ]


def _means(title: str, parts: Sequence[Scored]) -> Row:
    counts = [len(part.scores) for part in parts]
    by_pool = {part.pool: float(np.mean([each.nmi for each in part.scores])) for part in parts}
    worst = min(by_pool, key=by_pool.__getitem__)
    evaluation = Evaluation(
        title,
        parts[0].protocol,
        "known" if parts[0].task == KNOWN else "unknown",
        tuple(each for part in parts for each in part.scores),
        tuple(part.pool for part in parts for _ in part.scores),
        float(np.average([part.seconds_per_set for part in parts], weights=counts)),
    )
    return {
        **evaluation.row(over_groups=len(parts) > 1),
        "n_pools": len(parts),
        "worst_pool": worst,
        "worst_nmi": by_pool[worst],
        "nmi_by_pool": {pool: round(value, 4) for pool, value in by_pool.items()},
    }


def _card_fields(card: SystemCard, first: Scored) -> Row:
    return {
        "name": card.name,
        "kind": card.group,
        "domain": first.domain,
        "task": first.task,
        "uses_context": card.uses_context,
        "optimises_on_the_set": card.optimises_on_the_set,
        "image_passes": first.image_passes,
        "printed_nmi": printed(card.name, first.protocol, first.task) if first.domain == "omniglot" else None,
    }
