"""KCL, MCL and the hybrids: the losses by double loops, and a classifier that learns from pairs alone."""

import numpy as np
import pytest
import torch
from tests.baselines.tiny_background import TINY_NETWORK, blobs, unseen_set

from abclust.baselines.hybrids import HybridSystem
from abclust.baselines.item_variation import ItemVariation, drawn_copies, varied_items, vary
from abclust.baselines.kcl import kcl_loss
from abclust.baselines.mcl import mcl_loss
from abclust.baselines.set_classifier import TRUNKS, SetClassifier, SetTrainingConfig, classify_set
from abclust.evaluation import ari
from abclust.foundations.errors import InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork

LOSSES = pytest.mark.parametrize("loss", [kcl_loss, mcl_loss])
POINTS, TRUTH = blobs(n_clusters=5, n_each=11, spread=0.5, seed=0)
SAME = TRUTH[:, None] == TRUTH
ON_POINTS = SetTrainingConfig(epochs=120, batch_size=29, learning_rate=3e-3, n_outputs=23)


def mlp_classifier(n_outputs: int) -> SetClassifier:
    encoder = torch.nn.Sequential(torch.nn.Linear(2, 31), torch.nn.Tanh(), torch.nn.Linear(31, 31))
    return SetClassifier(encoder, 31, n_outputs)


def labels_on_points(similar: np.ndarray, loss, n_outputs: int, seed: int) -> np.ndarray:
    items = torch.from_numpy(POINTS).float()
    copies = varied_items(items, ON_POINTS.variation)
    return classify_set(items, copies, similar, loss, lambda: mlp_classifier(n_outputs), ON_POINTS, seed)


def random_case(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(3, (7,), generator=generator)
    log_p = torch.randn(7, 5, generator=generator, dtype=torch.float64).log_softmax(-1)
    return log_p, labels[:, None] == labels


def test_the_kcl_loss_is_its_double_loop():
    log_p, same = random_case(1)
    p, total = log_p.exp(), 0.0
    for i in range(7):
        for j in range(7):
            divergence = float((p[i] * (log_p[i] - log_p[j])).sum())
            total += divergence if same[i, j] else max(0.0, 2.0 - divergence)
    assert float(kcl_loss(log_p, same)) == pytest.approx(total / 49)


def test_the_mcl_loss_is_its_double_loop():
    log_p, same = random_case(2)
    p, total = log_p.exp(), 0.0
    for i in range(7):
        for j in range(7):
            alike = float(p[i] @ p[j])
            total -= np.log(alike if same[i, j] else 1 - alike)
    assert float(mcl_loss(log_p, same)) == pytest.approx(total / 49, rel=1e-5)


def test_only_one_side_of_a_divergence_learns():
    log_p, same = random_case(3)
    one, other = log_p.clone().requires_grad_(), log_p.clone().requires_grad_()
    divergences = (one.exp() * (one - other[:, None])).sum(-1)  # [j, i] = KL(p_i || p_j)
    expected = torch.where(same, divergences, (2 - divergences).clamp(min=0)).mean()
    expected.backward()
    kcl_loss(leaf := log_p.clone().requires_grad_(), same).backward()
    torch.testing.assert_close(leaf.grad, other.grad)


@LOSSES
def test_the_truth_costs_least(loss):
    labels = torch.from_numpy(TRUTH)
    right = (torch.eye(7)[labels] + 1e-9).log()
    wrong = (torch.eye(7)[labels.clamp(max=3)] + 1e-9).log()  # two clusters are one
    same = torch.from_numpy(SAME)
    assert float(loss(right, same)) < 1e-5 < float(loss(wrong, same))
    # Names mean nothing: any renaming of the outputs costs the same.
    torch.testing.assert_close(loss(wrong[:, torch.randperm(7)], same), loss(wrong, same))


@LOSSES
def test_probabilities_of_0_and_1_leave_the_gradient_finite(loss):
    logits = torch.tensor([[200.0, -200.0], [-200.0, 200.0], [200.0, -200.0]], requires_grad=True)
    loss(logits.log_softmax(-1), torch.ones(3, 3, dtype=torch.bool)).backward()
    assert bool(torch.isfinite(logits.grad).all())


@LOSSES
def test_a_classifier_learns_the_clusters_from_pairs_with_outputs_to_spare(loss):
    labels = labels_on_points(SAME, loss, 23, seed=0)
    assert ari(TRUTH, labels) > 0.9
    assert len(set(labels.tolist())) <= 9


@LOSSES
def test_pairs_may_be_wrong_now_and_then(loss):
    """Source: clusters are recovered from noisy predictions, because each item has many pairs."""
    flipped = np.triu(np.random.default_rng(1).random(SAME.shape) < 0.1, 1)
    noisy = SAME ^ flipped ^ flipped.T
    labels = labels_on_points(noisy, loss, 5, seed=1)
    assert ari(TRUTH, labels) > 0.6


def test_the_first_logits_are_spread_as_asked():
    classifier = SetClassifier(torch.nn.Identity(), 64, 101, spread=3.0).train()
    logits = classifier.head(torch.randn(499, 64)).detach()
    assert float(logits.std()) == pytest.approx(3.0, rel=0.1)


def test_a_trunk_is_left_out_copied_or_new():
    network = ContextKernelNetwork(TINY_NETWORK)
    system = HybridSystem("mcl", model=network)
    system.similarity.use(network)

    def trunk(kind: str) -> torch.nn.Module:
        system.config = SetTrainingConfig(trunk=kind)
        return system._classifier(7).encoder

    first = next(network.encoder.parameters())
    assert list(trunk("frozen").parameters()) == []
    copied = next(trunk("trained").parameters())
    assert torch.equal(copied, first)
    assert copied is not first
    assert not torch.equal(next(trunk("random").parameters()), first)


def test_an_update_sees_one_of_the_copies_of_each_item():
    encoded = torch.arange(5 * 3).reshape(5, 3, 1).float()  # item i has the copies 3 i, 3 i + 1 and 3 i + 2
    draw, generator = drawn_copies(encoded), torch.Generator().manual_seed(0)
    places = torch.tensor([4, 1])
    seen = {tuple(draw(places, generator)[:, 0].tolist()) for _ in range(101)}
    assert seen == {(12.0 + i, 3.0 + j) for i in range(3) for j in range(3)}


@pytest.mark.parametrize("trunk", TRUNKS)
def test_items_are_encoded_alone_whatever_is_trained(trunk, similarity):
    system = HybridSystem("kcl", config=SetTrainingConfig(trunk=trunk, n_copies=3))
    system.similarity = similarity
    items = unseen_set().items
    encoded = system.encode(items)
    assert len(encoded) == len(items)
    if trunk == "frozen":
        assert encoded.shape == (35, 3, 16)
        np.testing.assert_allclose(encoded[:, 0], similarity.encode(items), atol=1e-5)
        assert np.abs(encoded[:, 1] - encoded[:, 0]).max() > 0.01


def test_clustering_leaves_the_similarity_network_as_it_was(similarity, background):
    system = HybridSystem("kcl", config=SetTrainingConfig(epochs=1, smallest_steps=2))
    system.similarity = similarity
    before = {name: tensor.clone() for name, tensor in similarity.network.state_dict().items()}
    system.cluster(unseen_set().items)
    for name, tensor in similarity.network.state_dict().items():
        assert torch.equal(tensor, before[name]), name


def test_images_move_and_vectors_shake_in_their_own_units():
    generator = torch.Generator().manual_seed(1)
    images = torch.rand(3, 16, 16)
    assert vary(images, ItemVariation(), images.std(0), generator).shape == images.shape
    vectors = torch.zeros(9973, 2)
    varied = vary(vectors, ItemVariation(noise=0.5), torch.tensor([1.0, 10.0]), generator)
    torch.testing.assert_close(varied.std(0), torch.tensor([0.5, 5.0]), rtol=0.05, atol=0.0)
    assert torch.equal(vary(vectors, ItemVariation(noise=0.0), torch.ones(2), generator), vectors)


def test_impossible_settings_are_refused():
    for wrong in ({"trunk": "guess"}, {"batch_size": 1}, {"spread": 0.0}):
        with pytest.raises(InvalidInputError):
            SetTrainingConfig(**wrong)
    with pytest.raises(InvalidInputError):
        ItemVariation(noise=-1.0)
    with pytest.raises(InvalidInputError, match="learner must be one of"):
        HybridSystem("dtc")
