"""Bad input is refused with a sentence that says what arrived."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.clustering.backends import cluster_kernel, partition_kernel
from abclust.clustering.checks import Bounds, as_kernels, check_kernel, check_n_clusters
from abclust.clustering.number_of_clusters import estimate_n_clusters
from abclust.foundations.errors import InvalidInputError

GOOD = np.array([[1.0, 0.9, 0.2], [0.9, 1.0, 0.1], [0.2, 0.1, 1.0]])


def _with(value, row=0, column=1, mirrored=True):
    bad = GOOD.copy()
    bad[row, column] = value
    if mirrored:
        bad[column, row] = value
    return bad


@pytest.mark.parametrize("entry", [cluster_kernel, partition_kernel, estimate_n_clusters, check_kernel])
@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (np.ones((2, 3)), r"square.*\(2, 3\)"),
        (np.ones(5), r"square.*\(5,\)"),
        (np.empty((0, 0)), r"at least one item.*\(0, 0\)"),
        (_with(0.3, mirrored=False), r"symmetric.*0\.6"),
        (_with(1.5), r"\[0, 1\].*1\.5"),
        (_with(-0.5), r"\[0, 1\].*-0\.5"),
        (_with(np.nan), r"NaN. Got 2, the first at \(0, 1\)"),
        (_with(np.inf), r"\[0, 1\].*inf"),
        ("kernel", "matrix of numbers"),
        ([["a", "b"], ["c", "d"]], "matrix of numbers"),
    ],
)
def test_a_bad_kernel_is_refused_at_every_door(entry, kernel, message):
    with pytest.raises(InvalidInputError, match=message):
        entry(kernel)


def test_a_bad_kernel_in_a_list_is_named():
    with pytest.raises(InvalidInputError, match="kernel 1 must be symmetric"):
        cluster_kernel([GOOD, _with(0.3, mirrored=False)])


@pytest.mark.parametrize(
    "n_clusters", [0, -1, 4, 2.0, "2", True, (0, 2), (2, 4), (3, 2), (1, 2, 3), (1.0, 2.0)]
)
@pytest.mark.parametrize("method", ["log-odds", "spectral", "agglomerative", "kernel-k-means"])
def test_an_impossible_number_of_clusters_is_refused(n_clusters, method):
    with pytest.raises(InvalidInputError, match=r"n_clusters must be None, an integer from 1 .*\(3\)"):
        cluster_kernel(GOOD, n_clusters, method)


def test_rounding_is_taken_out_silently():
    almost = GOOD.astype(np.float32)
    almost[0, 1] += np.float32(2e-7)
    almost[2, 2] = np.nextafter(np.float32(1), np.float32(2))
    checked = check_kernel(almost)
    assert checked.dtype == np.float64
    assert (checked == checked.T).all()
    assert checked.max() <= 1.0


@given(n_items=st.integers(1, 7), row=st.integers(0, 6), column=st.integers(0, 6))
def test_asymmetry_is_found_wherever_it_is(n_items, row, column):
    row, column = row % n_items, column % n_items
    kernel = np.full((n_items, n_items), 0.5)
    kernel[row, column] = 0.6
    if row == column:
        assert check_kernel(kernel)[row, column] == 0.6
    else:
        with pytest.raises(InvalidInputError, match="symmetric"):
            check_kernel(kernel)


def test_asymmetry_is_found_in_a_kernel_of_many_tiles():
    kernel = np.full((1031, 1031), 0.5)
    kernel[1030, 3] = 0.51
    with pytest.raises(InvalidInputError, match=r"symmetric.*0\.01"):
        check_kernel(kernel)


def test_one_kernel_and_many_are_told_apart():
    assert as_kernels(GOOD)[1] is False
    assert as_kernels(GOOD.tolist())[1] is False
    assert as_kernels([GOOD, np.ones((2, 2))])[1] is True
    assert as_kernels(np.stack([GOOD, GOOD]))[1] is True
    assert as_kernels([])[0] == []


def test_the_callers_kernel_is_not_changed():
    kernel = GOOD.copy()
    for method in ("log-odds", "spectral", "agglomerative", "kernel-k-means", "hdbscan", "louvain"):
        partition_kernel(kernel, method=method, random_state=0)
    assert (kernel == GOOD).all()


def test_ranges_are_read_as_bounds():
    assert check_n_clusters(None, 5) is None
    assert check_n_clusters(3, 5) == Bounds(3, 3)
    assert check_n_clusters(np.int64(3), 5).exact
    assert check_n_clusters([2, 5], 5) == Bounds(2, 5)
