"""What a worker of Ray does with one row: cluster the sets of a chunk; the weights are loaded once."""

import traceback
from typing import Any

from abclust.engines.engine import ClusteringJob
from abclust.engines.set_chunks import answer_chunk
from abclust.estimator.set_clusterer import SetClusterer

_clusterers: dict[ClusteringJob, SetClusterer] = {}  # of this worker process, which may serve several jobs


def answer_row(row: dict[str, Any], job: ClusteringJob) -> dict[str, Any]:
    """The answers to the tasks of a row.

    Parameters
    ----------
    row
        ``number`` of the chunk and its ``tasks``.
    job
        What all sets have in common.

    Returns
    -------
    dict
        ``number``, ``answers``, and ``fault``: empty, or what went wrong in the program rather than in a set.
    """
    try:
        if job not in _clusterers:
            _clusterers.clear()
            _clusterers[job] = job.clusterer()
        answers, fault = answer_chunk(_clusterers[job], row["tasks"], job.scale), ""
    except Exception:  # reported by the driver: Ray would leave the chunk out as if its worker had died
        answers, fault = [], traceback.format_exc()
    return {"number": row["number"], "answers": answers, "fault": fault}
