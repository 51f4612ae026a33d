"""Every source of batches keeps the same contract: pure in (seed, step, rank), indices and masks that fit."""

import numpy as np
import pytest
import torch

from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import InvalidInputError
from abclust.training.batch_source import BatchSource, whole_sets
from abclust.training.generated_source import GeneratedSource
from abclust.training.pool_drawing import PoolConfig, class_likeness, draw_sets, draw_sizes
from abclust.training.pool_source import PoolSource
from abclust.training.set_source import LabelledSetSource

SMALL_POOLS = PoolConfig(pools_per_step=2, pool_size=23, sets_per_pool=3, smallest_set=5, largest_set=13)


def jitter(items, generator):
    return items + 0.01 * torch.randn(items.shape, generator=generator)


def generate(rng, step):
    labels = rng.integers(3, size=(5, 7))
    labels[0, 5:] = -1
    return rng.normal(size=(5, 7, 2)), labels


@pytest.fixture
def alphabets():
    rng = np.random.default_rng(2)
    return [
        LabelledSet(
            rng.integers(0, 256, size=(5 * classes, 11, 11), dtype=np.uint8), np.arange(5 * classes) // 5
        )
        for classes in (7, 11, 13)
    ]


@pytest.fixture(params=["sets", "augmented sets", "generated", "pools", "cached"])
def source(request, labelled_pairs, alphabets):
    pools = PoolSource(alphabets, SMALL_POOLS, seed=3, augment=jitter)
    return {
        "sets": lambda: LabelledSetSource(labelled_pairs, sets_per_step=3, seed=3),
        "augmented sets": lambda: LabelledSetSource(
            labelled_pairs, sets_per_step=3, max_items=7, augment=jitter
        ),
        "generated": lambda: GeneratedSource(generate, seed=3),
        "pools": lambda: pools,
        "cached": lambda: pools.cached(lambda items: items.flatten(1)[:, :17]),
    }[request.param]()


def fields(batch):
    return {
        "items": batch.items,
        "labels": batch.labels,
        "sets": batch.sets,
        "mask": batch.mask,
        "pools": batch.pools,
    }


def test_a_source_is_a_pure_function_of_step_and_rank(source):
    assert isinstance(source, BatchSource)
    first = fields(source.batch(5, 1, 2))
    for step in (0, 6, 3):
        source.batch(step, 0, 2)
    for name, tensor in fields(source.batch(5, 1, 2)).items():
        assert torch.equal(tensor, first[name]), name


@pytest.mark.parametrize(("step", "rank"), [(6, 0), (5, 1)])
def test_steps_and_ranks_see_different_items(source, step, rank):
    here, there = source.batch(5, 0, 2), source.batch(step, rank, 2)
    assert here.items.shape != there.items.shape or not torch.equal(here.items, there.items)


def test_sets_are_indices_into_the_items_of_one_pool(source):
    batch = source.batch(2, 0, 1)
    assert len(batch.items) == len(batch.labels) == len(batch.pools)
    assert batch.items.dtype == torch.float32
    for places, real in zip(batch.sets, batch.mask):
        assert (places[~real] == 0).all()
        assert len(places[real].unique()) == int(real.sum()) >= 1
        assert len(batch.pools[places[real]].unique()) == 1


def test_two_processes_see_what_one_with_the_double_batch_sees(labelled_pairs):
    double = LabelledSetSource(labelled_pairs, sets_per_step=6, seed=1).batch(4, 0, 1)
    halves = [LabelledSetSource(labelled_pairs, sets_per_step=3, seed=1).batch(4, rank, 2) for rank in (0, 1)]
    assert torch.equal(torch.cat([half.items for half in halves]), double.items)


def test_every_set_comes_once_an_epoch(labelled_pairs):
    source = LabelledSetSource(labelled_pairs, sets_per_step=11, seed=1)
    first, second = source.batch(0, 0, 1), source.batch(1, 0, 1)
    everything = np.concatenate([items for items, _ in labelled_pairs]).astype(np.float32)
    assert not torch.equal(first.items, second.items)
    for epoch in (first, second):
        assert np.array_equal(np.sort(epoch.items.numpy(), axis=0), np.sort(everything, axis=0))


def test_large_sets_are_cut_to_a_new_part_each_time(labelled_pairs):
    source = LabelledSetSource(labelled_pairs[3:4], sets_per_step=2, max_items=5, seed=1)
    batch = source.batch(0, 0, 1)
    assert batch.mask.sum(1).tolist() == [5, 5]
    assert not torch.equal(batch.items[:5], batch.items[5:])


def test_sets_of_different_item_shapes_are_refused():
    with pytest.raises(InvalidInputError, match="items of one shape"):
        LabelledSetSource([(np.zeros((3, 2)), [0, 1, 1]), (np.zeros((3, 5)), [0, 1, 1])])


def test_padding_labelled_minus_one_stays_out_of_the_pool():
    batch = GeneratedSource(generate, seed=3).batch(0, 0, 1)
    assert batch.n_items == 5 * 7 - 2
    assert batch.mask.sum(1).tolist() == [5, 7, 7, 7, 7]


def test_whole_sets_can_be_put_together_again():
    items, labels = torch.randn(3, 5, 2), torch.randint(3, (3, 5))
    mask = torch.arange(5)[None, :] < torch.tensor([2, 5, 3])[:, None]
    batch = whole_sets(items, labels, mask)
    assert torch.equal(batch.items[batch.sets][mask], items[mask])
    assert torch.equal(batch.labels[batch.sets][mask], labels[mask])


def test_pool_items_are_the_images_turned_as_their_class_says(alphabets):
    config = PoolConfig(
        pools_per_step=1, pool_size=31, sets_per_pool=1, smallest_set=5, largest_set=5, rotated=1.0
    )
    source = PoolSource(alphabets[:1], config, seed=1)
    pool = source.choose_pool(source.streams(0, 0)[0])
    batch = source.batch(0, 0, 1)
    assert len(np.unique(pool.turns)) > 1
    for place, (index, turns) in enumerate(zip(pool.indices, pool.turns)):
        expected = np.rot90(alphabets[0].items[index], turns).astype(np.float32) / 255
        np.testing.assert_allclose(batch.items[place].numpy(), expected, rtol=1e-6)
    classes = {(alphabets[0].labels[i], t) for i, t in zip(pool.indices, pool.turns)}
    assert len(classes) == int(pool.labels.max()) + 1


def test_a_mirrored_pool_is_mirrored_as_a_whole(alphabets):
    sizes = {
        "pools_per_step": 1,
        "pool_size": 31,
        "sets_per_pool": 1,
        "smallest_set": 5,
        "largest_set": 5,
        "rotated": 0.0,
    }
    plain = PoolSource(alphabets, PoolConfig(**sizes), seed=1).batch(0, 0, 1)
    mirrored = PoolSource(alphabets, PoolConfig(**sizes, mirrored=1.0), seed=1).batch(0, 0, 1)
    assert torch.equal(plain.items.flip(2), mirrored.items)


def test_a_warped_pool_has_the_same_sets_of_classes_bent_each_in_its_own_way(alphabets):
    sizes = {
        "pools_per_step": 1,
        "pool_size": 17,
        "sets_per_pool": 2,
        "smallest_set": 7,
        "largest_set": 7,
        "rotated": 0.0,
    }
    plain = PoolSource(alphabets, PoolConfig(**sizes), seed=1).batch(0, 0, 1)
    source = PoolSource(alphabets, PoolConfig(**sizes, warped=1.0), seed=1)
    warped = source.batch(0, 0, 1)
    assert torch.equal(plain.labels, warped.labels)
    assert not torch.allclose(plain.items, warped.items)
    assert torch.equal(warped.items, source.batch(0, 0, 1).items)  # a function of seed and step alone
    never = PoolSource(alphabets, PoolConfig(**sizes, warped=1e-9), seed=1).batch(0, 0, 1)
    assert torch.equal(plain.items, never.items)


def test_a_cache_gives_the_embeddings_of_the_items_it_stands_for(alphabets):
    source = PoolSource(alphabets, SMALL_POOLS, seed=1)
    encode = lambda items: items.flatten(1)  # noqa: E731
    images, embeddings = source.batch(3, 0, 1), source.cached(encode).batch(3, 0, 1)
    assert embeddings.encoded
    assert torch.equal(embeddings.items, encode(images.items))
    assert torch.equal(embeddings.labels, images.labels)


def test_drawn_sets_have_their_size_and_no_item_twice():
    rng = np.random.default_rng(0)
    labels = rng.integers(7, size=53)
    for size, places in zip((1, 2, 17, 53, 90), draw_sets(labels, np.array([1, 2, 17, 53, 90]), rng)):
        assert len(places) == len(np.unique(places)) == min(size, 53)


def test_drawn_sets_reach_from_few_classes_to_all():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(5), 11)
    numbers = {len(np.unique(labels[places])) for places in draw_sets(labels, np.full(97, 11), rng)}
    assert numbers == {1, 2, 3, 4, 5}


def test_sets_of_look_alikes_stay_among_classes_that_resemble_each_other():
    labels = np.repeat(np.arange(6), 5)
    kinds = torch.from_numpy(np.repeat([[1.0, 0.1], [0.1, 1.0]], 15, axis=0)).float()  # 3 classes of each
    likeness = class_likeness(kinds, labels)
    rng = np.random.default_rng(0)
    mixed = [len(np.unique(labels[each] // 3)) for each in draw_sets(labels, np.full(50, 7), rng, likeness)]
    assert set(mixed) == {1, 2}  # look_alike is 0 unless something else is said
    alike = draw_sets(labels, np.full(50, 5), rng, likeness, look_alike=1.0)
    assert all(len(np.unique(labels[each] // 3)) == 1 for each in alike)
    assert {len(np.unique(labels[each])) for each in alike} == {1, 2}


def test_likeness_of_images_sees_past_a_shift_of_a_pixel():
    images = torch.zeros(4, 28, 28)
    images[0, 4:6, 2:20] = images[1, 4:6, 3:21] = images[2, 10:26, 8:10] = images[3, 10:26, 8:10] = 1.0
    likeness = class_likeness(images, np.array([0, 1, 2, 2]))
    assert likeness.shape == (3, 3)
    assert likeness[0, 1] > 0.9 > 0.1 > likeness[0, 2]


def test_sets_of_look_alikes_come_from_the_same_pools(alphabets):
    sizes = {"pools_per_step": 2, "pool_size": 17, "sets_per_pool": 5, "smallest_set": 5, "largest_set": 7}
    plain = PoolSource(alphabets, PoolConfig(**sizes, rotated=0.0), seed=1).batch(0, 0, 1)
    source = PoolSource(alphabets, PoolConfig(**sizes, rotated=0.0, look_alike=1.0), seed=1)
    alike = source.batch(0, 0, 1)
    assert torch.equal(plain.items, alike.items)
    assert not torch.equal(plain.sets[:, :5], alike.sets[:, :5])
    assert torch.equal(alike.sets, source.batch(0, 0, 1).sets)  # a function of seed and step alone


def test_sizes_cover_their_range_and_may_be_equal_within_a_step():
    rng = np.random.default_rng(0)
    config = PoolConfig(pool_size=200, smallest_set=3, largest_set=7)
    assert set(draw_sizes(config, 997, rng)) == {3, 4, 5, 6, 7}
    equal = PoolConfig(pool_size=200, smallest_set=3, largest_set=7, equal_sizes=True)
    assert len(set(draw_sizes(equal, 997, rng))) == 1


def test_impossible_pools_are_refused():
    with pytest.raises(InvalidInputError, match="largest_set <= pool_size"):
        PoolConfig(pool_size=50, smallest_set=100, largest_set=100)
    with pytest.raises(InvalidInputError, match="rotated must be a probability"):
        PoolConfig(rotated=1.5)


def test_vectors_cannot_be_turned(labelled_pairs):
    with pytest.raises(InvalidInputError, match="must be 0 unless items are images"):
        PoolSource(labelled_pairs, PoolConfig(pool_size=5, smallest_set=3, largest_set=3))
