"""One set that is too large for the kernel of all its pairs: by local sets, alone in its chunk."""

import copy
import time

from abclust.engines.engine import Answer, SetTask
from abclust.estimator.item_preparation import read_items
from abclust.estimator.large_items import cluster_large_items
from abclust.estimator.set_clusterer import SetClusterer
from abclust.foundations.errors import InvalidInputError
from abclust.scale.progress import ScaleProgress


def answer_large(clusterer: SetClusterer, task: SetTask, progress: ScaleProgress | None = None) -> Answer:
    """Labels and confidence of a large set; no kernel, hence nothing in detail.

    Parameters
    ----------
    clusterer
        Its network's header says how local sets look.
    task
        Constraints, or a number of clusters, are its error: they need all pairs.
    progress
        Hears of every stage; log lines unless given.
    """
    started = time.perf_counter()
    if task.n_clusters is not None:
        clusterer = copy.copy(clusterer)
        clusterer.n_clusters = task.n_clusters
    try:
        found = cluster_large_items(
            clusterer,
            read_items(clusterer.network, task.set.items),
            task.must_link,
            task.cannot_link,
            progress=progress,
            keep_graph=False,
        )
    except (InvalidInputError, TypeError) as error:  # scikit-learn's checks raise either
        return Answer(error=str(error), seconds=time.perf_counter() - started)
    return Answer(found, seconds=time.perf_counter() - started)
