"""What `abclust demo` tells and writes."""

from pathlib import Path

import numpy as np
import pytest

from abclust.experiments.demonstration import N_SETS, demonstrate, digit_sets

SYSTEMS = ("abclust", "k-means", "spectral clustering")


def scores_of(lines: list[str], system: str) -> list[float]:
    """The adjusted Rand scores that the story tells of a system: of digits, then of circles."""
    return [float(line.split()[-2]) for line in lines if line.startswith(f"   {system} ")]


def test_sets_are_a_hundred_different_images_each_and_differ_by_seed() -> None:
    (first, second), (digits, _) = digit_sets(2, seed=0)
    ((other,), _) = digit_sets(1, seed=1)
    assert first.items.shape == (100, 8, 8)
    assert not np.array_equal(first.items, second.items)
    assert not np.array_equal(first.items, other.items)
    np.testing.assert_array_equal(first.items, digit_sets(1, seed=0)[0][0].items)
    assert set(digits) == set(range(10))
    assert len(set(zip(digits, first.labels))) == 10  # the same partition, under other names


def test_the_story_names_every_system_twice_and_its_files_are_there(tmp_path: Path) -> None:
    lines: list[str] = []
    report, picture = demonstrate(tmp_path, seed=0, say=lines.append, n_sets=2)
    assert all(len(scores_of(lines, system)) == 2 for system in SYSTEMS)
    assert "found by itself" in "\n".join(lines)
    text = report.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "Handwritten digits 2" in text
    assert "Circles 2" in text
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_circles_are_found_better_than_by_those_who_know_their_number(tmp_path: Path) -> None:
    lines: list[str] = []
    demonstrate(tmp_path, seed=0, say=lines.append, n_sets=3)
    ours, *others = (scores_of(lines, system)[1] for system in SYSTEMS)
    assert ours > max(others) + 0.3


@pytest.mark.slow
def test_digits_are_found_at_least_as_well_as_by_k_means_that_knows_their_number(tmp_path: Path) -> None:
    lines: list[str] = []
    demonstrate(tmp_path, seed=0, say=lines.append, n_sets=N_SETS)
    ours, k_means, _ = (scores_of(lines, system)[0] for system in SYSTEMS)
    assert ours >= k_means
