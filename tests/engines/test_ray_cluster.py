"""The Ray engine gives what the local one gives; workers are really killed, and nothing is lost."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.engines.deadly_job import DEADLY_SIZE, DeadlyJob
from tests.engines.mortal_job import MortalJob

pytest.importorskip("ray", reason="Ray is not installed: pip install 'abclust[ray]'")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray's own code and of the processes it leaves behind

from abclust.datasets.circle_sets import circles  # noqa: E402
from abclust.datasets.labelled_set import UnlabelledSet  # noqa: E402
from abclust.engines.choice import build_engine  # noqa: E402
from abclust.engines.engine import ClusteringJob, SetOutcome, SetTask  # noqa: E402
from abclust.engines.local import LocalEngine  # noqa: E402
from abclust.engines.ray_cluster import RayEngine  # noqa: E402
from abclust.engines.ray_worker import answer_row  # noqa: E402
from abclust.engines.worker_processes import DIED  # noqa: E402
from abclust.estimator.network_source import WeightsReference  # noqa: E402
from abclust.foundations.errors import InvalidInputError  # noqa: E402

JOB = ClusteringJob(WeightsReference.of("circles"))
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def two_workers() -> Iterator[None]:
    """One Ray for all tests of this file: starting it takes longer than they do."""
    import ray

    os.environ["RAY_AUTH_MODE"] = "disabled"
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 (Ray spells it so; its workers step back by 15)
    paths = {"env_vars": {"PYTHONPATH": f"{ROOT}", "OMP_NUM_THREADS": "1"}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=paths)
    yield
    ray.shutdown()


def point_sets(count: int) -> list[UnlabelledSet]:
    drawn = circles(count, n_points=13, seed=3)
    return [UnlabelledSet(each.items, name=f"set {place}") for place, each in enumerate(drawn)]


def labels(outcomes: list[SetOutcome]) -> list[list[int]]:
    return [one.answer.partition.labels.tolist() if one.answer.partition else [] for one in outcomes]


@pytest.mark.slow
def test_ray_gives_what_the_local_engine_gives_each_set_once_and_a_bad_one_its_reason(two_workers) -> None:
    sets = point_sets(7)
    sets[3] = UnlabelledSet(np.zeros((5, 3)), name="three features")
    tasks = [SetTask(each, in_detail=place == 1) for place, each in enumerate(sets)]
    found = list(RayEngine(2).cluster(tasks, JOB))
    expected = list(LocalEngine().cluster(tasks, JOB))
    assert [one.task.set.name for one in found] == [each.name for each in sets]
    assert labels(found) == labels(expected)
    assert "3 feature" in found[3].answer.error
    assert found[1].answer.clustered is not None


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_a_retry_and_loses_nothing(two_workers, tmp_path) -> None:
    sets = point_sets(5)
    job = MortalJob(JOB.weights, grave=str(tmp_path / "grave"))
    found = list(RayEngine(2).cluster(map(SetTask, sets), job))
    assert (tmp_path / "grave").is_file()  # a worker did die
    assert [one.answer.error for one in found] == [""] * 5
    assert labels(found) == labels(list(LocalEngine().cluster(map(SetTask, sets), JOB)))


@pytest.mark.slow
def test_a_set_that_kills_every_worker_is_reported_and_the_rest_finish(two_workers) -> None:
    sets = point_sets(3)
    sets[1] = UnlabelledSet(sets[1].items[:DEADLY_SIZE])
    found = list(RayEngine(2).cluster(map(SetTask, sets), DeadlyJob(JOB.weights)))
    assert [one.answer.error for one in found] == ["", DIED, ""]


def test_a_row_is_answered_by_its_number_and_a_fault_of_the_program_is_told() -> None:
    (points,) = point_sets(1)
    row = answer_row({"number": 7, "tasks": [SetTask(points)]}, JOB)
    assert (row["number"], row["fault"]) == (7, "")
    assert len(row["answers"][0].partition.labels) == 13
    missing = ClusteringJob(WeightsReference("nowhere.safetensors", "0"))
    assert "nowhere.safetensors" in answer_row({"number": 0, "tasks": []}, missing)["fault"]


def test_the_engine_is_known_by_name_and_wants_a_worker() -> None:
    assert isinstance(build_engine("ray", 2), RayEngine)
    with pytest.raises(InvalidInputError, match="workers must be at least 1"):
        build_engine("ray", 0)
