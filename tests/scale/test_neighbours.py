"""Nearest neighbours: exact equals the double loop, the inverted file finds most of them."""

import numpy as np
import pytest

from abclust.foundations.errors import InvalidInputError
from abclust.scale.neighbours import nearest_neighbours


def test_exact_neighbours_equal_a_plain_loop() -> None:
    points = np.random.default_rng(0).normal(size=(37, 5))
    found = nearest_neighbours(points, 7)
    for item, row in enumerate(found):
        distances = np.linalg.norm(points - points[item], axis=1)
        distances[item] = np.inf
        assert row.tolist() == np.argsort(distances)[:7].tolist()


@pytest.mark.parametrize(("n_items", "expected"), [(1, 0), (2, 1), (3, 2)])
def test_there_are_no_more_neighbours_than_other_items(n_items: int, expected: int) -> None:
    assert nearest_neighbours(np.zeros((n_items, 3)), 5).shape == (n_items, expected)


def test_equal_items_are_neighbours_and_nobody_is_its_own() -> None:
    found = nearest_neighbours(np.zeros((11, 2)), 3)
    assert (found != np.arange(11)[:, None]).all()


def test_a_memory_map_gives_what_the_array_gives(tmp_path) -> None:
    points = np.random.default_rng(1).normal(size=(53, 3)).astype(np.float32)
    np.save(tmp_path / "points.npy", points)
    mapped = np.load(tmp_path / "points.npy", mmap_mode="r")
    assert np.array_equal(nearest_neighbours(mapped, 5), nearest_neighbours(points, 5))


def test_the_inverted_file_finds_most_neighbours_and_never_the_item_itself() -> None:
    pytest.importorskip("faiss", reason="faiss-cpu is not installed: pip install 'abclust[scale]'")
    centres = np.random.default_rng(2).normal(size=(31, 7)) * 5
    points = centres[np.arange(2003) % 31] + np.random.default_rng(3).normal(size=(2003, 7))
    exact = nearest_neighbours(points, 5)
    found = nearest_neighbours(points, 5, largest_exact=100)
    assert found.dtype == exact.dtype
    assert (found != np.arange(2003)[:, None]).all()
    shared = [len(set(one) & set(other)) for one, other in zip(found.tolist(), exact.tolist())]
    assert np.mean(shared) > 4


def test_asking_for_no_neighbours_is_an_error() -> None:
    with pytest.raises(InvalidInputError, match="n_neighbors"):
        nearest_neighbours(np.zeros((3, 2)), 0)
