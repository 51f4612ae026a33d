"""Systems over the pools of a domain: each item encoded once, each set described once, scores kept."""

import hashlib
import logging
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Int, Shaped
from joblib import Parallel, delayed

from abclust.baselines.staged_system import StagedSystem
from abclust.evaluation.scores import Scores, score_partition
from abclust.experiments.comparison_domains import Domain, SetPool
from abclust.experiments.comparison_store import Scored, ScoreStore, identity
from abclust.experiments.comparison_systems import n_instances, shown_to
from abclust.experiments.omniglot_protocol import KNOWN, UNKNOWN

_logger = logging.getLogger(__name__)
_FINGERPRINT_ITEMS = 50
SETS_AT_ONCE = 50
"""Sets that are held described, and labelled together by systems that can."""


def score_system(
    system: StagedSystem,
    domain: Domain,
    store: ScoreStore,
    *,
    seed: int = 0,
    quick: bool = False,
    n_jobs: int = 1,
) -> list[Scored]:
    """Score a system on every pool of a domain; pools whose scores are kept are not scored again.

    Parameters
    ----------
    system
        After learning.
    domain
        Which pools.
    store
        Where scores are kept.
    seed
        Of the instances; part of what kept scores are known by.
    quick
        Two instances a pool.
    n_jobs
        Processes; each scores whole pools.
    """
    pools = domain.pools(shown_to(system.card))
    count = n_instances(system, quick=quick)
    jobs = (
        delayed(score_pool)(system, domain.name, domain.protocols, pool, store, count, seed) for pool in pools
    )
    parts: list[list[Scored]] = Parallel(n_jobs=n_jobs)(jobs)  # type: ignore[assignment]
    return [scored for part in parts for scored in part]


def score_pool(
    system: StagedSystem,
    domain: str,
    protocols: tuple[str, str],
    pool: SetPool,
    store: ScoreStore,
    count: int,
    seed: int,
) -> list[Scored]:
    """Score one system on one pool: `count` instances, and the pool as one set."""
    name = system.card.name
    conditions = {"count": count, "seed": seed, "protocols": protocols, "items": _fingerprint(pool)}
    known_by = identity(system, **conditions)
    kept = store.read(name, domain, pool.name, known_by)
    if kept is not None:
        return kept
    started = time.process_time()
    encoded = system.encode(pool.items)
    encoding = (time.process_time() - started) / len(pool.items)
    drawn = [(instance.places, instance.labels) for instance in pool.draw(count)]
    whole = [(np.arange(len(pool.items)), pool.labels)]
    scored = []
    for protocol, sets in zip(protocols, (drawn, whole), strict=True):
        for task, (scores, seconds) in score_sets(system, encoded, sets).items():
            mean_size = float(np.mean([len(labels) for _, labels in sets]))
            seconds += encoding * mean_size
            scored.append(
                Scored(name, domain, protocol, pool.name, task, scores, seconds, system.image_passes)
            )
    _logger.info("%s on %s: NMI %s", name, pool.name, _told(scored))
    return store.write(known_by, scored)


def score_sets(
    system: StagedSystem,
    encoded: Shaped[np.ndarray, "N ..."],
    sets: Sequence[tuple[Int[np.ndarray, " n"], Int[np.ndarray, " n"]]],
) -> dict[str, tuple[tuple[Scores, ...], float]]:
    """Scores of each set, and one core's seconds a set, by task.

    Parameters
    ----------
    system
        What clusters.
    encoded
        All items of the pool, from ``system.encode``.
    sets
        Places and true labels of each set.
    """
    tasks = (UNKNOWN, KNOWN) if system.card.takes_n_clusters else (UNKNOWN,)
    scores: dict[str, list[Scores]] = {task: [] for task in tasks}
    seconds = dict.fromkeys(tasks, 0.0)
    for start in range(0, len(sets), SETS_AT_ONCE):
        chunk = sets[start : start + SETS_AT_ONCE]
        started = time.process_time()
        described = [system.describe(encoded[places]) for places, _ in chunk]
        shared = time.process_time() - started
        for task in tasks:
            numbers = [len(np.unique(truth)) if task == KNOWN else None for _, truth in chunk]
            started = time.process_time()
            labels = system.label_many(described, numbers)
            seconds[task] += shared + time.process_time() - started
            scores[task] += [score_partition(truth, found) for (_, truth), found in zip(chunk, labels)]
    return {task: (tuple(scores[task]), seconds[task] / len(sets)) for task in tasks}


def taught(system: StagedSystem, domain: Domain, folder: Path | None) -> StagedSystem:
    """The system after learning from the domain's background; what lies in `folder` is not learned again."""
    started = time.perf_counter()
    system.learn(domain.background() if system.card.learns else [], folder)
    _logger.info("%s learned in %.0f s", system.card.name, time.perf_counter() - started)
    return system


def _fingerprint(pool: SetPool) -> str:
    """A few items and all labels: enough to tell framings, sizes and domains apart."""
    digest = hashlib.sha256(repr((pool.name, pool.items.shape, pool.items.dtype.str)).encode())
    digest.update(np.ascontiguousarray(pool.items[:_FINGERPRINT_ITEMS]).tobytes())
    digest.update(pool.labels.astype("<i8").tobytes())
    return digest.hexdigest()


def _told(scored: Sequence[Scored]) -> str:
    means = (np.mean([each.nmi for each in part.scores]) for part in scored)
    return ", ".join(f"{mean:.3f} ({part.protocol}, {part.task})" for mean, part in zip(means, scored))
