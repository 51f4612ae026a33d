"""The local engine: what it gives does not depend on how many workers it has, nor on the company of a set."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.engines.deadly_job import DEADLY_SIZE, DeadlyJob

from abclust.datasets.circle_sets import circles
from abclust.datasets.labelled_set import UnlabelledSet
from abclust.engines.choice import build_engine
from abclust.engines.engine import ClusteringJob, SetOutcome, SetTask
from abclust.engines.local import LocalEngine
from abclust.engines.set_chunks import SETS_IN_A_CHUNK, answer_chunk, chunked
from abclust.engines.worker_processes import DIED, WorkerProcesses
from abclust.estimator.attention_clustering import AttentionClustering
from abclust.estimator.network_source import WeightsReference
from abclust.estimator.set_clusterer import SetClusterer
from abclust.foundations.errors import InvalidInputError
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.scale.large_set import LargeSetPartition
from abclust.zoo.loading import load

CIRCLES = WeightsReference.of("circles")
JOB = ClusteringJob(CIRCLES)


def point_sets(count: int = 5, **options: int) -> list[UnlabelledSet]:
    drawn = circles(count, n_points=13, seed=3, **options)
    return [UnlabelledSet(each.items, name=f"set {place}") for place, each in enumerate(drawn)]


def labels(outcomes: list[SetOutcome]) -> list[list[int]]:
    return [
        outcome.answer.partition.labels.tolist() if outcome.answer.partition else [] for outcome in outcomes
    ]


def test_an_outcome_is_what_the_clusterer_gives_and_holds_its_set() -> None:
    sets = point_sets()
    outcomes = list(LocalEngine().cluster(map(SetTask, sets), JOB))
    expected = [SetClusterer(load("circles"), random_state=0).cluster(each.items) for each in sets]
    assert [outcome.task.set for outcome in outcomes] == sets
    assert labels(outcomes) == [each.labels.tolist() for each in expected]
    assert all(outcome.answer.seconds > 0 and not outcome.answer.error for outcome in outcomes)


def test_kernels_and_samples_of_k_are_there_where_asked_for_and_nowhere_else() -> None:
    tasks = [SetTask(each, in_detail=place == 1) for place, each in enumerate(point_sets(3))]
    outcomes = list(LocalEngine().cluster(tasks, JOB))
    assert [outcome.answer.clustered is not None for outcome in outcomes] == [False, True, False]
    kept = outcomes[1].answer.clustered
    assert kept is not None
    assert kept.kernel.shape == (13, 13)
    samples = [len(outcome.answer.partition.n_clusters_samples) for outcome in outcomes]  # type: ignore[union-attr]
    assert [number > 0 for number in samples] == [False, True, False]
    assert all(len(outcome.answer.partition.confidence) == 13 for outcome in outcomes)  # type: ignore[union-attr]


def test_what_one_set_asks_for_does_not_touch_the_others() -> None:
    sets = point_sets(3)
    tasks = [
        SetTask(sets[0], must_link=[(0, 1), (1, 2)]),
        SetTask(sets[1], n_clusters=7),
        SetTask(sets[2], cannot_link=[(0, 1)]),
    ]
    job = ClusteringJob(CIRCLES, n_clusters=2)
    found = labels(list(LocalEngine().cluster(tasks, job)))
    assert [max(each) + 1 for each in found] == [2, 7, 2]
    assert found[0][0] == found[0][1] == found[0][2]
    assert found[2][0] != found[2][1]


def test_a_bad_set_has_its_reason_and_the_rest_are_finished() -> None:
    sets = point_sets(3)
    tasks = [
        SetTask(sets[0]),
        SetTask(UnlabelledSet(np.zeros((5, 3)), name="three features")),
        SetTask(sets[1], must_link=[(0, 1)], cannot_link=[(0, 1)]),
        SetTask(sets[2]),
    ]
    outcomes = list(LocalEngine().cluster(tasks, JOB))
    assert [bool(outcome.answer.error) for outcome in outcomes] == [False, True, True, False]
    assert "3 feature" in outcomes[1].answer.error
    assert "contradict" in outcomes[2].answer.error
    assert labels([outcomes[0], outcomes[3]]) == labels(
        list(LocalEngine().cluster(map(SetTask, [sets[0], sets[2]]), JOB))
    )


def test_a_large_set_goes_by_local_sets_alone_and_cannot_have_what_needs_all_pairs() -> None:
    sets = point_sets(3)
    outcomes = list(LocalEngine().cluster(map(SetTask, sets), replace(JOB, scale="local")))
    for each, outcome in zip(sets, outcomes):
        clusterer = AttentionClustering("circles", scale="local", random_state=0).fit(each.items)
        found = outcome.answer.partition
        assert isinstance(found, LargeSetPartition)
        assert found.labels.tolist() == clusterer.labels_.tolist()
        assert found.graph is None
    large = UnlabelledSet(np.zeros((20_011, 2), np.float32), name="large")
    (outcome,) = LocalEngine().cluster([SetTask(large, n_clusters=3)], JOB)
    assert "n_clusters must be None" in outcome.answer.error


def test_sets_are_read_as_they_are_needed() -> None:
    taken = []

    def stream() -> Iterator[SetTask]:
        for place in range(3 * SETS_IN_A_CHUNK):
            taken.append(place)
            yield SetTask(UnlabelledSet(np.zeros((1, 2))))

    outcomes = LocalEngine().cluster(stream(), JOB)
    next(outcomes)
    assert len(taken) == SETS_IN_A_CHUNK
    outcomes.close()  # type: ignore[attr-defined]


def test_chunks_hold_all_tasks_in_order_and_large_sets_alone() -> None:
    sizes = [2, 3, 1500, 5, 7, 1501, 11]
    tasks = [SetTask(UnlabelledSet(np.zeros((size, 2)))) for size in sizes]
    found = [[task.set.n_items for task in chunk] for chunk in chunked(tasks)]
    assert found == [[2, 3, 1500], [5, 7, 1501], [11]]


class Forgetful(SetClusterer):
    """Runs out of memory with more than one set at a time, and with one of more than 11 items."""

    def kernels(self, prepared, backend=None):
        if len(prepared) > 1:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 7 bytes.")
        if len(prepared[0]) > 11:
            raise MemoryError
        return super().kernels(prepared, backend)


def test_sets_that_do_not_fit_together_are_tried_alone() -> None:
    sets = [UnlabelledSet(np.random.default_rng(7).random((size, 2))) for size in (5, 13, 7)]
    answers = answer_chunk(Forgetful(load("circles")), [SetTask(each) for each in sets])
    assert [answer.error[:26] for answer in answers] == ["", "a set must fit in memory. ", ""]
    assert "13 items" in answers[1].error


class Broken(SetClusterer):
    def kernels(self, prepared, backend=None):
        raise RuntimeError("a fault of ours")


def test_a_fault_of_ours_is_not_taken_for_a_bad_set() -> None:
    with pytest.raises(RuntimeError, match="a fault of ours"):
        answer_chunk(Broken(load("circles")), [SetTask(each) for each in point_sets(2)])


def test_images_that_were_framed_when_read_are_not_framed_again(tmp_path: Path) -> None:
    config = ContextKernelConfig(
        image_size=16, encoder="fast-cnn", encoder_channels=(3, 5), width=6, heads=2, n_blocks=1
    )
    network = ContextKernelNetwork(config, {"framing": {"image_size": 16, "ink_size": 11}})
    network.save(tmp_path / "images.safetensors")
    weights = WeightsReference.of(str(tmp_path / "images.safetensors"))
    images = np.random.default_rng(5).random((7, 16, 16), dtype=np.float32)
    task = SetTask(UnlabelledSet(images), in_detail=True)
    for is_framed in (True, False):
        (outcome,) = LocalEngine().cluster([task], ClusteringJob(weights, is_framed=is_framed))
        assert outcome.answer.clustered is not None
        assert np.array_equal(outcome.answer.clustered.prepared, images) == is_framed


def test_two_workers_give_what_one_gives_in_the_same_order() -> None:
    sets = [
        UnlabelledSet(each.items[: 3 + place], name=each.name) for place, each in enumerate(point_sets(7))
    ]
    alone = list(LocalEngine().cluster(map(SetTask, sets), JOB))
    tasks = [SetTask(each, in_detail=True) for each in sets]
    # One set a chunk, so that both workers have something to do and more is in flight than they hold.
    answered = list(WorkerProcesses(JOB, 2).answers([task] for task in tasks))
    assert [chunk for chunk, _ in answered] == [[task] for task in tasks]
    for outcome, (_, (answer,)) in zip(alone, answered, strict=True):
        assert outcome.answer.partition is not None
        assert answer.partition is not None
        assert np.array_equal(outcome.answer.partition.labels, answer.partition.labels)
        assert answer.clustered is not None
        assert len(answer.clustered.kernel) == len(answer.partition.labels)


def test_a_worker_that_dies_costs_its_set_and_no_other() -> None:
    sets = point_sets(5)
    sets[2] = UnlabelledSet(sets[2].items[:DEADLY_SIZE])
    outcomes = list(LocalEngine(workers=2).cluster(map(SetTask, sets), DeadlyJob(CIRCLES)))
    assert [outcome.answer.error for outcome in outcomes] == ["", "", DIED, "", ""]
    assert [outcome.task.set for outcome in outcomes] == sets


def test_engines_are_known_by_name() -> None:
    assert isinstance(build_engine("local", 3), LocalEngine)
    with pytest.raises(InvalidInputError, match="engine must be one of 'local'"):
        build_engine("cloud")
    with pytest.raises(InvalidInputError, match="workers must be at least 1"):
        build_engine("local", 0)
