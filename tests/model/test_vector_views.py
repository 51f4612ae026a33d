"""Views of vectors: the first is the set as it is, all are repeatable, their logits are averaged."""

import numpy as np
import pytest
import torch

from abclust.datasets.vector_preparation import VectorPreparation, prepare_vector_batch, prepare_vectors
from abclust.datasets.vector_variation import vary_vectors
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import from_dict, to_dict
from abclust.foundations.random_state import stream
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.model.vector_views import VectorViewConfig, vector_view_kernel, vector_view_kernels

PREPARATION = VectorPreparation(n_components=5, n_projected=7, n_diffusion=3)
TABLE = np.random.default_rng(0).standard_normal((13, 4))
PREPARED = prepare_vectors(TABLE, PREPARATION)


@pytest.fixture
def network() -> ContextKernelNetwork:
    config = ContextKernelConfig(n_features=PREPARATION.width, width=6, heads=2)
    return ContextKernelNetwork(config, {"preparation": to_dict(PREPARATION)})


def test_one_view_gives_the_kernel_of_the_network(network: ContextKernelNetwork) -> None:
    found = vector_view_kernel(network, PREPARED)
    np.testing.assert_allclose(found, network.kernel(PREPARED), rtol=1e-5, atol=1e-6)


def test_logits_not_probabilities_are_averaged(network: ContextKernelNetwork) -> None:
    found = vector_view_kernel(network, PREPARED, VectorViewConfig(count=3, seed=7))
    looks = [PREPARED[None]] + [
        vary_vectors(PREPARED[None], PREPARATION, stream(7, view), 0.3) for view in (1, 2)
    ]
    with torch.no_grad():
        logits = torch.stack([network.eval()(torch.from_numpy(look))[0].double() for look in looks])
    np.testing.assert_allclose(found, logits.mean(dim=0).sigmoid().numpy(), rtol=1e-5)


def test_a_set_gets_the_same_kernel_whichever_sets_stand_beside_it(network: ContextKernelNetwork) -> None:
    points = np.random.default_rng(1).standard_normal((5, 11, 3))
    prepared = prepare_vector_batch(points, PREPARATION)
    views = VectorViewConfig(count=3, rotated_share=1.0)
    for found, one in zip(vector_view_kernels(network, prepared, views), prepared, strict=True):
        np.testing.assert_allclose(found, vector_view_kernel(network, one, views), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(found, found.T, atol=1e-6)


def test_the_mode_of_the_network_is_left_alone(network: ContextKernelNetwork) -> None:
    network.train()
    vector_view_kernel(network, PREPARED, VectorViewConfig(count=2))
    assert network.training


def test_vectors_of_another_preparation_are_refused(network: ContextKernelNetwork) -> None:
    with pytest.raises(InvalidInputError, match="18"):
        vector_view_kernel(network, prepare_vectors(TABLE), VectorViewConfig(count=2))


@pytest.mark.parametrize("wrong", [{"count": 0}, {"rotated_share": 1.5}])
def test_a_configuration_survives_a_header_and_refuses_nonsense(wrong: dict[str, float]) -> None:
    views = VectorViewConfig(count=5, seed=7)
    assert from_dict(VectorViewConfig, to_dict(views)) == views
    with pytest.raises(InvalidInputError):
        VectorViewConfig(**wrong)
