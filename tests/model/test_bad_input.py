"""What a network cannot take is an error of the project's own class that says what arrived."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from abclust.foundations.errors import AbclustError, InvalidInputError
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.model.item_checks import check_batch

SMALL = {"width": 6, "heads": 2, "feed_forward_width": 5}
VECTORS = ContextKernelNetwork(ContextKernelConfig(n_features=3, **SMALL))
IMAGES = ContextKernelNetwork(
    ContextKernelConfig(image_size=16, encoder="fast-cnn", encoder_channels=(2, 3, 5), **SMALL)
)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(3), r"X must be one set of shape \(n, 3\)\. Got an array of shape \(3,\)"),
        (np.ones((2, 5, 3)), r"X must be one set of shape \(n, 3\)\. Got an array of shape \(2, 5, 3\)"),
        (3.0, r"Got an array of shape \(\)"),
        (np.ones((0, 3)), r"X must hold at least one item\. Got an empty set of shape \(0, 3\)"),
        (np.ones((5, 2)), r"X must have the network's item shape, \(n, 3\)\. Got \(5, 2\)"),
        (
            [[1.0, np.nan, 2.0], [1.0, 2.0, 3.0]],
            r"X must be finite .*Got NaN or infinite values in 1 of 2 items",
        ),
        ([[1.0, np.inf, 2.0]], r"X must be finite .*Got NaN or infinite values in 1 of 1 items"),
        ([[1.0, 1e300, 2.0]], r"X must be finite in torch\.float32"),
        ([["a", "b", "c"]], r"X must be real numbers\. Got an array of <U1"),
        ([[1.0, 2.0, 3.0], [1.0, 2.0]], "X must be a rectangular array of numbers"),
        ([[1.0, None, object()]], "X must be a rectangular array of numbers"),
        (np.ones((5, 3), dtype=complex), r"X must be real numbers\. Got an array of complex128"),
        (
            np.array([["2020-10-01"] * 3], dtype="datetime64[D]"),
            r"X must be real numbers\. Got an array of datetime",
        ),
    ],
)
def test_a_bad_set_of_vectors(X, message):
    with pytest.raises(InvalidInputError, match=message):
        VECTORS.kernel(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((16, 16)), r"X must be one set of shape \(n, 16, 16\)\. Got an array of shape \(16, 16\)"),
        (np.ones((5, 28, 28)), r"X must have the network's item shape, \(n, 16, 16\)\. Got \(5, 28, 28\)"),
        (np.ones((5, 3)), r"X must be one set of shape \(n, 16, 16\)\. Got an array of shape \(5, 3\)"),
    ],
)
def test_a_bad_set_of_images(X, message):
    with pytest.raises(InvalidInputError, match=message):
        IMAGES.kernel(X)


def test_input_is_looked_at_before_the_first_block_is_asked_for():
    with pytest.raises(InvalidInputError, match="X must hold at least one item"):
        VECTORS.kernel_blocks(np.ones((0, 3)))
    with pytest.raises(InvalidInputError, match=r"block_rows must be at least 1\. Got 0"):
        VECTORS.kernel_blocks(np.ones((2, 3)), block_rows=0)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_batch_with_values_that_are_not_finite(value):
    batch = torch.zeros(2, 5, 3)
    batch[1, 2, 0] = value
    mask = torch.arange(5) < torch.tensor([[5], [3]])
    for given_mask, count in ((None, 10), (mask, 8)):
        message = rf"batch must be finite .*Got NaN or infinite values in 1 of {count} items"
        with pytest.raises(InvalidInputError, match=message):
            VECTORS(batch, given_mask)
    VECTORS(batch, mask & (torch.arange(5) != 2))


@pytest.mark.parametrize(
    ("batch", "mask", "adjacency", "message"),
    [
        (torch.zeros(5, 3), None, None, r"batch must have shape \(B, n, 3\)\. Got \(5, 3\)"),
        (torch.zeros(2, 5, 4), None, None, r"batch must have shape \(B, n, 3\)\. Got \(2, 5, 4\)"),
        (
            torch.zeros(2, 0, 3),
            None,
            None,
            r"batch must hold at least one item a set\. Got shape \(2, 0, 3\)",
        ),
        (
            torch.zeros(2, 5, 3),
            torch.ones(2, 4, dtype=torch.bool),
            None,
            r"mask must be boolean of shape \(2, 5\), .*Got torch\.bool of shape \(2, 4\)",
        ),
        (torch.zeros(2, 5, 3), torch.ones(2, 5), None, r"mask must be boolean .*Got torch\.float32"),
        (
            torch.zeros(2, 5, 3),
            None,
            torch.ones(2, 5, 4),
            r"adjacency must have shape \(2, 5, 5\)\. Got \(2, 5, 4\)",
        ),
    ],
)
def test_shapes_of_a_batch_that_do_not_fit(batch, mask, adjacency, message):
    with pytest.raises(InvalidInputError, match=message):
        check_batch(batch, mask, adjacency, (3,))


def test_without_the_test_suite_s_shape_checks_the_errors_are_ours_too():
    """The suite checks annotations before a function runs; users run without that."""
    script = """
import torch
from abclust import ContextKernelConfig, ContextKernelNetwork
from abclust.foundations.errors import InvalidInputError
network = ContextKernelNetwork(ContextKernelConfig(n_features=3, width=6, heads=2))
good = torch.zeros(2, 5, 3)
for arguments in [
    (torch.zeros(5, 3),), (torch.zeros(2, 5, 4),), (torch.zeros(2, 0, 3),), (good, torch.ones(2, 5)),
    (good, torch.ones(2, 4, dtype=torch.bool)), (good, None, torch.ones(2, 5, 4)),
    (good, None, -torch.ones(2, 5, 5)), (good * float("nan"),),
]:
    try:
        network(*arguments)
    except InvalidInputError:
        print("ours")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["ours"] * 8


def test_every_error_can_be_caught_as_one_class_or_as_a_value_error():
    for kind in (AbclustError, ValueError):
        with pytest.raises(kind):
            VECTORS.kernel(np.ones((0, 3)))


def test_a_set_that_must_not_be_written_to_is_welcome() -> None:
    items = np.random.default_rng(0).normal(size=(7, 2))
    items.flags.writeable = False
    network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=8, heads=2))
    assert network.kernel(items).shape == (7, 7)
