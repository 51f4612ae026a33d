"""The sweep reports the worst case of every statement."""

import pytest

from abclust.foundations.errors import InvalidInputError
from abclust.theory.sweep import sweep


def test_every_statement_holds_on_its_worst_system() -> None:
    for row in sweep(7, seed=1):
        if "error" in row["measure"] or row["statement"] == "convex hull lemma":
            assert 0 <= row["worst"] < 1e-9, row
        else:
            assert 0 < row["worst"] <= 1 + 1e-9, row


def test_both_compatibilities_both_realisations_with_and_without_skips() -> None:
    rows = [row for row in sweep(1) if row["statement"] == "two-cluster proposition"]
    cases = {(row["compatibility"], row["realisation"], row["skip"], row["measure"]) for row in rows}
    assert len(rows) == len(cases) == 2 * 2 * 2 * 3


def test_the_same_seed_gives_the_same_rows_and_another_seed_others() -> None:
    assert sweep(2, seed=3) == sweep(2, seed=3) != sweep(2, seed=4)


def test_no_system_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="n_systems"):
        sweep(0)
