"""Seeds become generators in one way."""

import numpy as np
import pytest

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.random_state import as_generator, stream


@pytest.mark.parametrize("seed", [0, 7, np.int64(7), np.random.SeedSequence(7)])
def test_the_same_seed_gives_the_same_numbers(seed):
    np.testing.assert_array_equal(as_generator(seed).random(5), as_generator(seed).random(5))


def test_a_generator_is_kept_and_moves_on():
    generator = np.random.default_rng(7)
    assert as_generator(generator) is generator


def test_a_random_state_moves_on_so_two_calls_differ():
    state = np.random.RandomState(7)
    assert as_generator(state).random() != as_generator(state).random()
    again = np.random.RandomState(7)
    assert as_generator(again).random() == as_generator(np.random.RandomState(7)).random()


def test_no_seed_gives_other_numbers_every_time():
    assert as_generator(None).random() != as_generator(None).random()


@pytest.mark.parametrize("seed", [-1, True])
def test_a_seed_that_is_none_is_an_error(seed):
    with pytest.raises(InvalidInputError, match=f"seed must be a non-negative integer.*Got {seed}"):
        as_generator(seed)


def test_a_stream_depends_on_its_path_and_on_nothing_else():
    numbers = {path: stream(7, *path).random() for path in [(), (0,), (1,), (0, 1), (1, 0)]}
    assert len(set(numbers.values())) == 5
    for path in reversed(numbers):
        assert stream(7, *path).random() == numbers[path]
    assert stream(8, 0).random() != numbers[(0,)]
