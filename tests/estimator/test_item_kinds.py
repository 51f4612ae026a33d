"""What is a table and what are images, and what a table must be."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image
from scipy.sparse import csr_array

from abclust.estimator.item_kinds import as_table, kind_of
from abclust.foundations.errors import InvalidInputError

PICTURE = Image.new("L", (5, 7))


@pytest.mark.parametrize(
    "table",
    [
        np.zeros((5, 3)),
        np.zeros(5),
        [[1, 2], [3, 4]],
        [],
        pd.DataFrame({"a": [1.0, 2.0]}),
        torch.zeros(5, 3),
        csr_array(np.eye(3)),
        [["ragged"], [1, 2]],
    ],
)
def test_all_that_is_not_images_is_taken_for_a_table(table):
    assert kind_of(table) == "table"


@pytest.mark.parametrize(
    "images",
    [
        np.zeros((5, 7, 7)),
        np.zeros((5, 7, 7, 3)),
        torch.zeros(5, 7, 7),
        [PICTURE, PICTURE],
        (PICTURE,),
        ["a.png", "b.png"],
        [Path("a.png")],
        np.array(["a.png", "b.png"]),
        pd.Series(["a.png", "b.png"]),
        [np.zeros((5, 7)), np.zeros((3, 2))],
        [[[0.0, 1.0], [1.0, 0.0]]],
    ],
)
def test_images_come_as_arrays_as_pictures_and_as_paths(images):
    assert kind_of(images) == "images"


@pytest.mark.parametrize("single", ["folder", Path("a.png"), PICTURE])
def test_one_image_is_not_a_set_and_the_error_says_how_to_list_a_folder(single):
    with pytest.raises(InvalidInputError, match=r"a set of items. Got a single .*glob"):
        kind_of(single)


def test_a_table_keeps_single_precision_and_makes_floats_of_all_else():
    assert as_table(np.zeros((3, 2), np.float32)).dtype == np.float32
    assert as_table(torch.ones(3, 2, requires_grad=True)).tolist() == [[1.0, 1.0]] * 3
    assert as_table([[True, 2]]).dtype == np.float64


def test_missing_values_need_leave_and_infinite_ones_never_get_it():
    table = np.array([[1.0, np.nan], [2.0, 3.0]])
    assert np.isnan(as_table(table, allow_nan=True)[0, 1])
    with pytest.raises(InvalidInputError, match="NaN"):
        as_table(table)
    with pytest.raises(InvalidInputError, match="infinity"):
        as_table([[np.inf, 1.0]], allow_nan=True)


def test_the_columns_of_text_in_a_data_frame_are_named():
    frame = pd.DataFrame({"length": [1.0, 2.0], "species": ["setosa", "virginica"]})
    with pytest.raises(InvalidInputError, match="Leave out or encode: 'species'"):
        as_table(frame)


@pytest.mark.parametrize("wrong", [np.zeros(5), np.zeros((0, 3)), np.zeros((3, 0)), [[1, 2], [3]]])
def test_what_is_not_a_table_of_items_is_refused(wrong):
    with pytest.raises(InvalidInputError):
        as_table(wrong)
