import numpy as np
import pytest
import torch

from abclust.datasets.labelled_set import LabelledSet
from abclust.foundations.errors import InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.training.config import TrainingConfig
from abclust.training.defaults import build_source, default_network, default_training
from abclust.training.pool_source import PoolSource
from abclust.training.set_source import LabelledSetSource
from abclust.training.standardisation import Standardisation


def sets_of(shape, n=13, count=3):
    rng = np.random.default_rng(0)
    return [LabelledSet(rng.normal(size=(n, *shape)), np.arange(n) % 5) for _ in range(count)]


@pytest.mark.parametrize("shape", [(1,), (7,), (28, 28)])
def test_the_default_network_takes_items_of_their_shape(shape):
    network = ContextKernelNetwork(default_network(sets_of(shape)))
    assert network.kernel(sets_of(shape)[0].items).shape == (13, 13)


def test_the_encoder_of_images_gets_a_loss_of_its_own():
    assert default_training(sets_of((28, 28))).contrastive_weight > 0
    assert default_training(sets_of((7,))).contrastive_weight == 0


def test_images_that_are_not_square_are_refused_with_a_hint():
    with pytest.raises(InvalidInputError, match="frame_images"):
        default_network(sets_of((28, 32)))


def test_small_sets_are_learnt_whole_and_large_ones_in_pools():
    assert isinstance(build_source(sets_of((3,)), TrainingConfig()), LabelledSetSource)
    large = build_source(sets_of((3,), n=307), TrainingConfig(sets_per_step=6))
    assert isinstance(large, PoolSource)
    assert len(large.batch(0, 0, 1).sets) == 6


def test_only_images_are_augmented():
    assert build_source(sets_of((3,)), TrainingConfig()).augment is None
    assert build_source(sets_of((28, 28)), TrainingConfig()).augment is not None
    assert build_source(sets_of((28, 28)), TrainingConfig(), augment=None).augment is None


@pytest.mark.parametrize("n", [13, 307])
def test_units_are_applied_to_what_a_step_takes(n):
    sets = [LabelledSet(1000 + 50 * each.items, each.labels) for each in sets_of((3,), n)]
    units = Standardisation.of(sets)
    lazily = build_source(sets, TrainingConfig(), units=units).batch(2, 0, 1)
    beforehand = build_source([units.apply(each) for each in sets], TrainingConfig()).batch(2, 0, 1)
    assert torch.equal(lazily.items, beforehand.items)
    assert torch.equal(lazily.labels, beforehand.labels)
