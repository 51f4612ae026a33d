"""Systems are scored pool by pool; what is scored is kept, and a killed run goes on where it was."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from tests.experiments.comparison_domain import small_domain

from abclust.baselines.agglomerative import AgglomerativeSystem
from abclust.baselines.hdbscan_density import HDBSCANSystem
from abclust.baselines.k_means import KMeansSystem
from abclust.baselines.library_default import LibraryDefaultSystem
from abclust.baselines.registry import build_baseline
from abclust.evaluation.scores import score_partition
from abclust.experiments.comparison_domains import ENCODED
from abclust.experiments.comparison_run import score_sets, score_system, taught
from abclust.experiments.comparison_store import ScoreStore, identity
from abclust.experiments.comparison_systems import build_system, n_instances
from abclust.experiments.omniglot_protocol import KNOWN, UNKNOWN

KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.experiments.comparison_domain import small_domain
from abclust.baselines.agglomerative import AgglomerativeSystem
from abclust.experiments.comparison_run import score_system
from abclust.experiments.comparison_store import ScoreStore

class Dies(AgglomerativeSystem):
    calls = 0
    def label(self, described, n_clusters):
        Dies.calls += 1
        if Dies.calls > 10:  # two drawn sets and the whole, twice each: the second pool is half done
            os.kill(os.getpid(), signal.SIGKILL)
        return super().label(described, n_clusters)

score_system(Dies(), small_domain(), ScoreStore(Path(sys.argv[1])), quick=True)
"""


def files(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.json")}


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    child = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "killed"), str(root)], cwd=root)
    assert child.returncode == -9
    before = files(tmp_path / "killed")
    assert list(before) == ["pool_0.json"]
    store = ScoreStore(tmp_path / "killed")
    found = score_system(AgglomerativeSystem(), small_domain(), store, quick=True)
    after = files(tmp_path / "killed")
    assert len(after) == 3
    assert after["pool_0.json"] == before["pool_0.json"]
    whole = score_system(AgglomerativeSystem(), small_domain(), ScoreStore(tmp_path / "whole"), quick=True)
    assert [part.scores for part in found] == [part.scores for part in whole]


def test_scores_of_other_settings_are_not_taken_for_these(tmp_path: Path) -> None:
    store, domain = ScoreStore(tmp_path), small_domain(1)
    score_system(HDBSCANSystem(), domain, store, quick=True)
    first = files(tmp_path)
    score_system(HDBSCANSystem(), domain, store, quick=True)
    assert files(tmp_path) == first
    score_system(HDBSCANSystem(min_cluster_size=2), domain, store, quick=True)
    second = files(tmp_path)
    assert second != first
    score_system(HDBSCANSystem(min_cluster_size=2), domain, store, quick=True, seed=1)
    assert files(tmp_path) != second


def test_other_weights_are_another_identity() -> None:
    domain = small_domain(1)
    system = taught(build_system("pairwise-multiplicative", domain), domain, None)
    before = identity(system, count=3)
    assert identity(system, count=3) == before != identity(system, count=5)
    next(system.learned_modules()[0].parameters()).data[0] += 1
    assert identity(system, count=3) != before


def test_another_calibration_of_the_same_weights_is_another_identity() -> None:
    system = LibraryDefaultSystem("vectors")
    system.learn([])
    before = identity(system)
    system.learned_modules()[0].metadata["calibration"] = {}
    assert identity(system) != before


def test_scores_are_those_of_the_sets_one_by_one() -> None:
    (pool,) = small_domain(1).pools(ENCODED)
    system, drawn = KMeansSystem(), pool.draw(3)
    sets = [(instance.places, instance.labels) for instance in drawn]
    found = score_sets(system, system.encode(pool.items), sets)
    for task in (UNKNOWN, KNOWN):
        numbers = [each.n_clusters if task == KNOWN else None for each in drawn]
        labels = [system.cluster(pool.items[each.places], k) for each, k in zip(drawn, numbers)]
        expected = [score_partition(each.labels, own) for each, own in zip(drawn, labels)]
        assert found[task][0] == tuple(expected)
        assert found[task][1] >= 0


def test_systems_that_find_the_number_have_one_task(tmp_path: Path) -> None:
    scored = score_system(HDBSCANSystem(), small_domain(1), ScoreStore(tmp_path), quick=True)
    assert [(part.protocol, part.task) for part in scored] == [("drawn", UNKNOWN), ("whole", UNKNOWN)]
    assert [len(part.scores) for part in scored] == [2, 1]


def test_expensive_systems_get_the_first_of_the_same_instances() -> None:
    numbers = {name: n_instances(build_baseline(name)) for name in ("mcl", "dtc-pi", "sklr", "dac", "itml")}
    assert numbers == {"mcl": 10, "dtc-pi": 10, "sklr": 50, "dac": 1_000, "itml": 1_000}
    (pool,) = small_domain(1).pools(ENCODED)
    for few, many in zip(pool.draw(2), pool.draw(5)):
        assert np.array_equal(few.places, many.places)
