"""What multiplies the odds of one cluster, by the size of a table."""

import pytest

from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.foundations.frozen_config import to_dict
from abclust.kernel.one_cluster_odds import OneClusterOdds

ODDS = OneClusterOdds(60, 8, items_power=1.0, columns_power=0.5)


@pytest.mark.parametrize(
    ("n_items", "n_columns", "expected"), [(60, 8, 1.0), (30, 8, 2.0), (600, 8, 0.1), (60, 800, 0.1)]
)
def test_the_odds_fall_with_both_sizes_by_their_powers(n_items, n_columns, expected):
    assert ODDS.at(n_items, n_columns) == pytest.approx(expected)


def test_a_table_without_a_column_that_varies_counts_as_one_column():
    assert ODDS.at(60, 0) == ODDS.at(60, 1)


@pytest.mark.parametrize(
    "wrong", [(0, 8, 1.0, 0.5), (60, -8, 1.0, 0.5), (60, 8, -1.0, 0.5), (60, 8, 1.0, -0.1)]
)
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidInputError, match="must"):
        OneClusterOdds(*wrong)


def test_a_header_may_hold_them_or_not():
    assert OneClusterOdds.from_header({"one_cluster_odds": to_dict(ODDS)}) == ODDS
    assert OneClusterOdds.from_header({"method": "expected-rand"}) is None


@pytest.mark.parametrize(
    "wrong", [{"n_items": 60}, {**to_dict(ODDS), "rows": 3}, {**to_dict(ODDS), "n_items": 0}, 3]
)
def test_a_header_that_holds_something_else_is_refused(wrong):
    with pytest.raises(FileFormatError, match="n_items, n_columns, items_power and columns_power"):
        OneClusterOdds.from_header({"one_cluster_odds": wrong})
