"""Sets, their canonical labels, and batches of unequal sets."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from abclust.datasets.labelled_set import (
    LabelledSet,
    UnlabelledSet,
    as_labelled_set,
    canonical_labels,
    pad_sets,
)
from abclust.foundations.errors import InvalidInputError


@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=23))
def test_canonical_labels_number_clusters_by_first_appearance_and_keep_the_partition(names):
    labels = canonical_labels(names)
    seen: dict[str, int] = {}
    assert labels.tolist() == [seen.setdefault(name, len(seen)) for name in names]


def test_the_true_kernel_is_one_exactly_where_labels_agree():
    labelled = LabelledSet(np.zeros((5, 3)), [7, 2, 7, 7, 2])
    expected = [[float(a == b) for b in labelled.labels] for a in labelled.labels]
    assert labelled.true_kernel.tolist() == expected
    assert (labelled.n_items, labelled.n_clusters) == (5, 2)


def test_a_pair_becomes_a_labelled_set_and_a_labelled_set_stays():
    labelled = as_labelled_set((np.ones((3, 2)), ["x", "y", "x"]))
    assert labelled.labels.tolist() == [0, 1, 0]
    assert as_labelled_set(labelled) is labelled


@pytest.mark.parametrize(
    ("items", "labels"),
    [
        (np.zeros((3, 2)), [0, 1]),
        (np.zeros((0, 2)), []),
        (np.zeros(3), [0, 1, 2]),
        (np.zeros((2, 2)), [[0, 1]]),
        (np.zeros((2, 2)), [0.0, np.nan]),
    ],
)
def test_sets_that_do_not_fit_together_are_refused(items, labels):
    with pytest.raises(InvalidInputError):
        LabelledSet(items, labels)


def test_names_must_be_given_for_all_items_or_none():
    with pytest.raises(InvalidInputError, match="item_names"):
        UnlabelledSet(np.zeros((3, 2)), item_names=("a",))


def test_a_thing_that_is_no_set_is_refused_by_name():
    with pytest.raises(InvalidInputError, match="Got int"):
        as_labelled_set(3)


def test_padding_keeps_every_set_and_marks_the_rest():
    generator = np.random.default_rng(0)
    sets = [LabelledSet(generator.normal(size=(n, 3)), generator.integers(0, 3, n)) for n in (2, 7, 5)]
    batch = pad_sets(sets)
    assert batch.items.shape == (3, 7, 3)
    assert batch.items.dtype == torch.float32
    for row, each in enumerate(sets):
        torch.testing.assert_close(
            batch.items[row, : each.n_items], torch.tensor(each.items, dtype=torch.float32)
        )
        assert batch.labels[row].tolist() == each.labels.tolist() + [-1] * (7 - each.n_items)
        assert batch.mask[row].tolist() == [True] * each.n_items + [False] * (7 - each.n_items)
        kernel = np.zeros((7, 7))
        kernel[: each.n_items, : each.n_items] = each.true_kernel
        assert batch.same_cluster[row].numpy().tolist() == (kernel == 1).tolist()
    assert not batch.items[~batch.mask].any()


def test_a_batch_moves_to_a_device_whole():
    batch = pad_sets([LabelledSet(np.ones((2, 3)), [0, 1])]).to("meta")
    assert {batch.items.device.type, batch.labels.device.type, batch.mask.device.type} == {"meta"}


def test_uint8_images_are_scaled_to_the_unit_interval():
    batch = pad_sets([LabelledSet(np.full((2, 5, 5), 51, dtype=np.uint8), [0, 1])])
    torch.testing.assert_close(batch.items, torch.full((1, 2, 5, 5), 0.2))


def test_batches_of_nothing_or_of_unlike_items_are_refused():
    with pytest.raises(InvalidInputError, match="at least one set"):
        pad_sets([])
    with pytest.raises(InvalidInputError, match="one shape"):
        pad_sets([LabelledSet(np.ones((2, 3)), [0, 1]), LabelledSet(np.ones((2, 5)), [0, 1])])
