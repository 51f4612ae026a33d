"""What every kernel promises, fixed or learned: one battery of checks for all of them.

A test file runs the battery on its own kernels::

    @pytest.mark.parametrize("check", BATTERY)
    def test_kernel_keeps_the_promises_of_all_kernels(check):
        check(MyKernel(), items)

`items` needs at least five rows. `tolerance` is for networks in single precision.
"""

import numpy as np

from abclust.kernel.protocol import Kernel


def check_is_a_kernel(kernel, items, tolerance=1e-12):
    assert isinstance(kernel, Kernel)
    matrix = kernel.kernel(items)
    assert isinstance(matrix, np.ndarray)
    assert matrix.shape == (len(items), len(items))


def check_is_symmetric(kernel, items, tolerance=1e-12):
    matrix = kernel.kernel(items)
    np.testing.assert_allclose(matrix, matrix.T, rtol=0, atol=tolerance)


def check_lies_between_zero_and_one(kernel, items, tolerance=1e-12):
    matrix = kernel.kernel(items)
    assert np.all(np.isfinite(matrix))
    assert matrix.min() >= 0
    assert matrix.max() <= 1


def check_moves_with_the_items(kernel, items, tolerance=1e-12):
    order = np.random.default_rng(7).permutation(len(items))
    expected = kernel.kernel(items)[np.ix_(order, order)]
    np.testing.assert_allclose(kernel.kernel(items[order]), expected, rtol=0, atol=10 * tolerance)


def check_takes_one_item(kernel, items, tolerance=1e-12):
    matrix = kernel.kernel(items[:1])
    assert matrix.shape == (1, 1)
    assert 0 <= matrix[0, 0] <= 1


def check_takes_two_items(kernel, items, tolerance=1e-12):
    assert kernel.kernel(items[:2]).shape == (2, 2)


def check_treats_duplicates_alike(kernel, items, tolerance=1e-12):
    doubled = np.concatenate([items[:3], items[:3], items[3:5]])
    matrix = kernel.kernel(doubled)
    np.testing.assert_allclose(matrix[6:, :3], matrix[6:, 3:6], rtol=0, atol=10 * tolerance)


def check_does_not_change_its_input(kernel, items, tolerance=1e-12):
    before = items.copy()
    kernel.kernel(items)
    np.testing.assert_array_equal(items, before)


BATTERY = [
    check_is_a_kernel,
    check_is_symmetric,
    check_lies_between_zero_and_one,
    check_moves_with_the_items,
    check_takes_one_item,
    check_takes_two_items,
    check_treats_duplicates_alike,
    check_does_not_change_its_input,
]
