"""What the header of weights knows of one cluster decides wherever tables are clustered."""

import io
from pathlib import Path

import numpy as np
import pytest
from tests.estimator.handmade_networks import blobs

from abclust.datasets.labelled_set import UnlabelledSet
from abclust.engines.engine import ClusteringJob, SetTask
from abclust.engines.local import LocalEngine
from abclust.estimator.attention_clustering import AttentionClustering
from abclust.estimator.network_source import WeightsReference
from abclust.foundations.frozen_config import to_dict
from abclust.kernel.one_cluster_odds import OneClusterOdds
from abclust.web.clustering_tasks import cluster_upload, partition_again
from abclust.web.tasks import ClusterTask, ConstraintTask, MemoryFile, ReadLimits
from abclust.zoo.loading import load

TABLE = blobs(np.random.default_rng(0), 41, 3)[0]


@pytest.fixture(params=[1.0, 1e9])
def odds_and_weights(request, tmp_path) -> tuple[float, Path]:
    """The shipped weights, which find three clusters with the first odds and one with the second."""
    network = load("vectors")
    # The blobs stand on a line, and directions are counted: there is one.
    odds = OneClusterOdds(request.param * 41, 1, items_power=2, columns_power=1)
    network.metadata = network.metadata | {"one_cluster_odds": to_dict(odds)}
    path = tmp_path / "odds.safetensors"
    network.save(path)
    return request.param**2, path


def test_the_estimator_asks_for_them(odds_and_weights):
    odds, path = odds_and_weights
    expected = 3 if odds == 1 else 1
    clusterer = AttentionClustering(path, random_state=0).fit(TABLE)
    assert clusterer.n_clusters_ == clusterer.partition_.n_clusters == expected
    assert clusterer.fit_many([TABLE])[0].max() + 1 == expected


def test_an_engine_asks_for_them(odds_and_weights):
    odds, path = odds_and_weights
    tasks = [SetTask(UnlabelledSet(TABLE))]
    (outcome,) = LocalEngine().cluster(tasks, ClusteringJob(WeightsReference.of(str(path))))
    assert outcome.answer.partition.n_clusters == (3 if odds == 1 else 1)


def test_the_page_asks_for_them_and_again_under_constraints(odds_and_weights):
    odds, path = odds_and_weights
    expected = 3 if odds == 1 else 1
    written = io.BytesIO()
    np.savetxt(written, TABLE, delimiter=",", header="a,b,c", comments="")
    file = MemoryFile("table.csv", written.getvalue())
    limits = ReadLimits(100, 10, 10**6)
    found = cluster_upload(ClusterTask((file,), str(path), None, None, limits), lambda told: None)
    assert found.partition.n_clusters == expected
    assert found.one_cluster_odds == pytest.approx(odds)
    task = ConstraintTask(found.kernel, found.method, None, (), (), found.one_cluster_odds)
    assert partition_again(task, lambda told: None).n_clusters == expected
