"""A network's header decides what becomes of items, and its card stands in the error if they do not fit."""

import numpy as np
import pandas as pd
import pytest
from tests.estimator.handmade_networks import PREPARATION, distance_network, strokes

from abclust.datasets.vector_preparation import prepare_vectors
from abclust.estimator.item_preparation import expectation, prepare_items, read_items
from abclust.foundations.errors import InvalidInputError


def test_a_table_of_any_width_is_prepared_as_the_header_says(table_network):
    table = np.random.default_rng(2).normal(size=(17, 5))
    np.testing.assert_array_equal(prepare_items(table_network, table), prepare_vectors(table, PREPARATION))
    np.testing.assert_array_equal(read_items(table_network, table), table)


def test_missing_values_are_welcome_where_a_preparation_fills_them(table_network, circle_network):
    table = np.random.default_rng(2).normal(size=(17, 2))
    table[3, 1] = np.nan
    assert np.isfinite(prepare_items(table_network, table)).all()
    with pytest.raises(InvalidInputError, match="NaN"):
        prepare_items(circle_network, table)


def test_without_a_preparation_a_table_stays_as_it_is(circle_network):
    frame = pd.DataFrame({"x": [0.1, 0.2, 0.3], "y": [1, 2, 3]})
    np.testing.assert_array_equal(prepare_items(circle_network, frame), frame.to_numpy())


def test_a_wrong_width_is_told_what_the_card_expects_and_the_ways_there(circle_network):
    with pytest.raises(InvalidInputError, match=r"points of the plane.*Got 5 feature.*'vectors'.*train.*PCA"):
        prepare_items(circle_network, np.zeros((7, 5)))
    with pytest.raises(InvalidInputError) as caught:
        prepare_items(circle_network, np.zeros((7, 1)))
    assert "PCA" not in str(caught.value)


def test_images_given_to_weights_for_tables_are_told_so(circle_network):
    with pytest.raises(InvalidInputError, match=r"points of the plane.*Got images.*'omniglot'"):
        prepare_items(circle_network, np.zeros((5, 28, 28)))


def test_rows_of_pixels_given_to_weights_for_images_are_told_how_to_fold_them_back(image_network):
    with pytest.raises(InvalidInputError, match=r"Got a table.*X\.reshape\(-1, 8, 8\).*'vectors'"):
        prepare_items(image_network, np.zeros((5, 64)))
    with pytest.raises(InvalidInputError) as caught:
        prepare_items(image_network, np.zeros((5, 63)))
    assert "reshape" not in str(caught.value)


def test_images_are_framed_as_the_header_says(image_network):
    assert prepare_items(image_network, strokes(np.random.default_rng(1), 3)).shape == (3, 28, 28)


def test_a_network_without_a_card_is_described_by_its_configuration(image_network):
    assert expectation(image_network) == "images of 28 x 28 pixels"
    plain = distance_network(n_features=3, width=3, encoder="identity")
    assert expectation(plain) == "vectors of 3 numbers"
