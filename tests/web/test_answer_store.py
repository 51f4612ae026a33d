"""The answers that are kept."""

from contextlib import suppress

import numpy as np
import pytest

from abclust.web.answer_store import AnswerStore
from abclust.web.api_errors import ApiError
from abclust.web.config import WebConfig
from abclust.web.tasks import FoundClusters, FoundPartition


def found(n_items: int = 3) -> FoundClusters:
    rows = np.zeros((n_items - 1, 4))
    partition = FoundPartition(
        np.zeros(n_items, np.int64), np.ones(n_items), rows, rows[:, 0], np.ones(5, np.int64)
    )
    names = tuple(map(str, range(n_items)))
    kernel = np.ones((n_items, n_items))
    return FoundClusters("circles", "points", names, partition, kernel, np.zeros((n_items, 2)), "log-odds")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def is_kept(store: AnswerStore, answer_id: str) -> bool:
    with suppress(ApiError):
        return store.get(answer_id).id == answer_id
    return False


def test_ids_are_long_and_never_the_same() -> None:
    store = AnswerStore(WebConfig(answers=101))
    ids = {store.add(found()).id for _ in range(101)}
    assert len(ids) == 101
    assert min(map(len, ids)) >= 32


def test_the_longest_unused_goes_first_when_there_are_too_many() -> None:
    store = AnswerStore(WebConfig(answers=2))
    first, second = store.add(found()), store.add(found())
    store.get(first.id)
    third = store.add(found())
    assert [is_kept(store, each.id) for each in (first, second, third)] == [True, False, True]


def test_answers_go_when_they_are_too_large_together_but_a_single_one_is_kept() -> None:
    store = AnswerStore(WebConfig(answer_megabytes=1))
    first, second = store.add(found(251)), store.add(found(251))  # half a megabyte each, and a little more
    assert is_kept(store, second.id)
    assert not is_kept(store, first.id)
    huge = store.add(found(503))
    assert is_kept(store, huge.id)
    assert len(store) == 1


def test_an_answer_goes_in_time_after_its_last_use() -> None:
    clock = Clock()
    store = AnswerStore(WebConfig(answer_seconds=10.0), clock)
    answer = store.add(found())
    clock.now = 9.0
    assert is_kept(store, answer.id)
    clock.now = 18.0
    assert is_kept(store, answer.id)
    clock.now = 28.5
    assert not is_kept(store, answer.id)
    assert store.n_bytes == 0


def test_a_changed_answer_keeps_its_id_and_counts_once() -> None:
    store = AnswerStore(WebConfig())
    answer = store.add(found(5))
    before = store.n_bytes
    store.change(answer.id, found(5))
    assert store.n_bytes == before
    assert len(store) == 1


def test_an_answer_that_is_gone_cannot_be_changed() -> None:
    with pytest.raises(ApiError, match="still kept"):
        AnswerStore(WebConfig()).change("gone", found())
