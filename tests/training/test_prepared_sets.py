"""Tables of any width become batches for a network for vectors: prepared as wholes, pure in the step."""

import numpy as np
import pytest
import torch

from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.spooled_sets import spool_sets
from abclust.datasets.vector_preparation import VectorPreparation, prepare_vectors
from abclust.foundations.errors import InvalidInputError
from abclust.training.batch_source import BatchSource, TrainingBatch
from abclust.training.prepared_sets import PreparedSetSource, prepare_sets

PREPARATION = VectorPreparation(n_components=3, n_projected=5, n_diffusion=2)


def tables() -> list[LabelledSet]:
    rng = np.random.default_rng(5)
    return [
        LabelledSet(rng.normal(size=(n_items, width)), rng.integers(3, size=n_items), name=f"{n_items}")
        for n_items, width in ((7, 2), (11, 13), (19, 1), (5, 3), (23, 4))
    ]


def source(**options) -> PreparedSetSource:
    return PreparedSetSource(tables(), PREPARATION, sets_per_step=3, seed=7, **options)


def unpacked(batch: TrainingBatch) -> list[tuple[np.ndarray, np.ndarray]]:
    return [
        (batch.items[places[mask]].numpy(), batch.labels[places[mask]].numpy())
        for places, mask in zip(batch.sets, batch.mask)
    ]


def test_it_is_a_source_of_batches():
    assert isinstance(source(), BatchSource)


def test_a_step_is_the_same_whenever_it_is_asked_for():
    first, second = (source().batch(4, 0, 1) for _ in range(2))
    assert torch.equal(first.items, second.items)
    assert torch.equal(first.sets, second.sets)


def test_two_processes_see_together_what_one_with_twice_the_sets_sees():
    apart = [part for rank in range(2) for part in unpacked(source().batch(1, rank, 2))]
    together = unpacked(PreparedSetSource(tables(), PREPARATION, sets_per_step=6, seed=7).batch(1, 0, 1))
    for (items, labels), (other_items, other_labels) in zip(apart, together, strict=True):
        np.testing.assert_array_equal(items, other_items)
        np.testing.assert_array_equal(labels, other_labels)


def test_an_epoch_shows_every_set_once():
    parts = [part for step in range(5) for part in unpacked(source().batch(step, 0, 1))]
    sizes = [len(labels) for _, labels in parts]
    assert sorted(sizes) == sorted(3 * [5, 7, 11, 19, 23])
    assert sorted(sizes[:5]) == [5, 7, 11, 19, 23]


def test_what_varies_is_signs_alone_where_nothing_is_rotated():
    wholes = {each.n_items: prepare_vectors(each.items, PREPARATION) for each in tables()}
    looks = unpacked(source(rotated_share=0.0).batch(0, 0, 1))
    for items, _ in looks:
        np.testing.assert_allclose(np.abs(items), np.abs(wholes[len(items)]), rtol=1e-6)
    assert any((items != wholes[len(items)]).any() for items, _ in looks)


def test_labels_stay_with_their_rows():
    each = LabelledSet(np.repeat([[0.0], [9.0]], [6, 5], axis=0), [0] * 6 + [1] * 5)
    (items, labels), *_ = unpacked(PreparedSetSource([each], PREPARATION, sets_per_step=1).batch(2, 0, 1))
    np.testing.assert_allclose(items[labels == 0], np.tile(items[labels == 0][:1], (6, 1)), atol=1e-4)
    assert not np.allclose(items[0], items[-1])


def test_a_large_set_is_shown_in_new_parts():
    one = [LabelledSet(np.arange(53.0)[:, None], np.arange(53) % 2)]
    large = PreparedSetSource(one, PREPARATION, sets_per_step=1, max_items=17)
    first, second = (large.batch(step, 0, 1) for step in range(2))
    assert first.n_items == second.n_items == 17
    assert not torch.equal(first.items.abs(), second.items.abs())


def test_sets_on_the_disk_give_the_same_batches():
    spooled = spool_sets(iter(tables()), memory_bytes=1)
    on_disk = PreparedSetSource(spooled, PREPARATION, sets_per_step=3, seed=7).batch(2, 0, 1)
    assert torch.equal(on_disk.items, source().batch(2, 0, 1).items)


def test_prepared_sets_keep_names_and_labels():
    for before, after in zip(tables(), prepare_sets(tables(), PREPARATION), strict=True):
        assert after.items.shape == (before.n_items, PREPARATION.width)
        assert after.name == before.name
        np.testing.assert_array_equal(after.labels, before.labels)


@pytest.mark.parametrize("sets", [[], [LabelledSet(np.zeros((3, 5, 5)), [0, 1, 1])]])
def test_no_sets_and_images_are_refused(sets):
    with pytest.raises(InvalidInputError, match="tables"):
        PreparedSetSource(sets, PREPARATION)
