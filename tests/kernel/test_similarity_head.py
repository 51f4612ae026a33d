"""The similarity head (paper Sec. 3.2): the mean of two sigmoids, computed in log space."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from abclust.attention import build_compatibility
from abclust.foundations.errors import InvalidInputError
from abclust.kernel.similarity_head import SimilarityHead, logit_of_mean_probability, mean_of_logits

SETS, ITEMS, WIDTH = 2, 5, 7
COMPATIBILITIES = ["multiplicative", "additive", "siamese"]


def head_of(compatibility: str, **options) -> SimilarityHead:
    return SimilarityHead(WIDTH, build_compatibility(compatibility, WIDTH), **options).double()


def embeddings() -> Tensor:
    return torch.randn(SETS, ITEMS, WIDTH, dtype=torch.float64)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


@pytest.mark.parametrize("compatibility", COMPATIBILITIES)
@pytest.mark.parametrize("projections", [True, False])
def test_kappa_is_the_mean_of_two_sigmoids_pair_by_pair(compatibility, projections):
    head, z = head_of(compatibility, projections=projections), embeddings()
    found = head(z).sigmoid()
    for s in range(SETS):
        for i in range(ITEMS):
            for j in range(ITEMS):
                pair = [
                    head.compatibility(head.queries(z[s, a])[None], head.keys(z[s, b])[None]).item()
                    for a, b in ((i, j), (j, i))
                ]
                assert found[s, i, j].item() == pytest.approx(sum(map(sigmoid, pair)) / 2, rel=1e-12)


def test_kappa_by_hand():
    """compat(z_i, z_j) = 0 one way and log 3 the other: (1/2 + 3/4) / 2 = 5/8."""
    one_way, other_way = torch.tensor([[0.0]]), torch.tensor([[math.log(3)]])
    assert logit_of_mean_probability(one_way, other_way).sigmoid().item() == pytest.approx(5 / 8)
    assert mean_of_logits(one_way, other_way).item() == pytest.approx(math.log(3) / 2)


@pytest.mark.parametrize("symmetrisation", ["probability", "logit"])
def test_the_logits_are_symmetric_to_the_last_bit(symmetrisation):
    logits = head_of("multiplicative", symmetrisation=symmetrisation, bias=True).float()(embeddings().float())
    assert torch.equal(logits, logits.mT)


def test_logit_symmetrisation_is_the_sigmoid_of_the_mean_logit():
    head, z = head_of("multiplicative", symmetrisation="logit"), embeddings()
    directed = head.compatibility(head.queries(z), head.keys(z))
    for s in range(SETS):
        for i in range(ITEMS):
            for j in range(ITEMS):
                mean = (directed[s, i, j].item() + directed[s, j, i].item()) / 2
                assert head(z)[s, i, j].item() == pytest.approx(mean)


@pytest.mark.parametrize("compatibility", COMPATIBILITIES)
def test_without_projections_the_compatibility_is_symmetric_before_the_averaging(compatibility):
    """Why the projections are there: read literally, the paper's averaging does nothing."""
    head, z = head_of(compatibility, projections=False), embeddings()
    directed = head.compatibility(z, z)
    torch.testing.assert_close(directed, directed.mT, rtol=1e-14, atol=1e-14)
    torch.testing.assert_close(head(z), directed, rtol=1e-12, atol=1e-12)
    projected = head_of(compatibility)
    directed = projected.compatibility(projected.queries(z), projected.keys(z))
    assert float((directed - directed.mT).detach().abs().max()) > 0.01


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_float32_agrees_with_float64_in_value_and_gradient_up_to_logits_of_100(a, b):
    results = {}
    for dtype in (torch.float32, torch.float64):
        pair = torch.tensor([a, b], dtype=torch.float32).to(dtype).requires_grad_()
        logit = logit_of_mean_probability(pair[:1, None], pair[1:, None])
        (gradient,) = torch.autograd.grad(logit.sum(), pair)
        results[dtype] = torch.cat([logit.detach().flatten(), gradient]).double()
    assert bool(results[torch.float32].isfinite().all())
    torch.testing.assert_close(results[torch.float32], results[torch.float64], rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("a", [-100.0, -30.0, 0.0, 30.0, 100.0])
@pytest.mark.parametrize("b", [-100.0, -30.0, 0.0, 30.0, 100.0])
def test_extreme_logits_agree_with_exact_arithmetic(a, b):
    """log(p / (1 - p)) of the mean probability, by logarithms of sums of exponentials in float64."""

    def log_sigmoid(x: float) -> float:
        return -math.log1p(math.exp(-x)) if x > -700 else x

    def log_sum(x: float, y: float) -> float:
        return max(x, y) + math.log1p(math.exp(-abs(x - y)))

    expected = log_sum(log_sigmoid(a), log_sigmoid(b)) - log_sum(log_sigmoid(-a), log_sigmoid(-b))
    found = logit_of_mean_probability(torch.tensor([[a]]), torch.tensor([[b]])).item()
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_loss_and_its_gradient_are_finite_at_logits_of_100():
    for value in (-100.0, 100.0):
        directed = torch.full((1, 3, 3), value, requires_grad=True)
        logits = logit_of_mean_probability(directed, directed.mT)
        for target in (0.0, 1.0):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                logits, torch.full_like(logits, target)
            )
            (gradient,) = torch.autograd.grad(loss, directed, retain_graph=True)
            assert loss.item() == pytest.approx(100.0 if (value > 0) != (target > 0) else 0.0, abs=1e-5)
            # d BCE / d logit = sigmoid - target, spread over nine pairs
            torch.testing.assert_close(gradient, torch.full_like(gradient, ((value > 0) - target) / 9))


@pytest.mark.parametrize("compatibility", ["multiplicative", "additive"])
def test_gradients_of_the_head_agree_with_finite_differences(compatibility):
    head = SimilarityHead(3, build_compatibility(compatibility, 3), bias=True).double()
    z = torch.randn(1, 4, 3, dtype=torch.float64, requires_grad=True)
    parameters = tuple(head.parameters())
    assert torch.autograd.gradcheck(lambda z, *_: head(z), (z, *parameters))


def test_gradients_of_the_log_space_formula_agree_with_finite_differences():
    numbers = torch.tensor([-41.0, -3.0, -0.5, 0.0, 0.5, 2.0, 37.0], dtype=torch.float64)
    forward, backward = torch.meshgrid(numbers, numbers + 0.125, indexing="ij")
    inputs = (forward.clone().requires_grad_(), backward.clone().requires_grad_())
    assert torch.autograd.gradcheck(logit_of_mean_probability, inputs)


@pytest.mark.parametrize("compatibility", COMPATIBILITIES)
@given(start=st.integers(0, ITEMS - 1), rows=st.integers(1, ITEMS))
def test_rows_are_rows_of_the_whole_matrix(compatibility, start, rows):
    head, z = head_of(compatibility, bias=True), embeddings()
    stop = min(start + rows, ITEMS)
    torch.testing.assert_close(head.rows(z, start, stop), head(z)[:, start:stop])


@pytest.mark.parametrize("compatibility", COMPATIBILITIES)
def test_products_may_be_taken_in_another_order_but_not_change(compatibility):
    """The multiplicative form multiplies the two projections with each other first."""
    head, z = head_of(compatibility), embeddings()
    weights = torch.randn(SETS, ITEMS, ITEMS, dtype=torch.float64)
    results = []
    for scores in (
        head.compatibility(head.queries(z), head.keys(z)),
        head.compatibility.of_projections(z, head.queries, head.keys),
    ):
        parameters = [p for p in head.parameters() if p.requires_grad]
        results.append((scores, *torch.autograd.grad((scores * weights).sum(), parameters)))
    for one, other in zip(*results):
        torch.testing.assert_close(one, other, rtol=1e-11, atol=1e-12)


def test_the_bias_starts_at_zero_and_moves_every_logit():
    head, z = head_of("multiplicative", bias=True), embeddings()
    before = head(z)
    head.bias.data += 2.0
    torch.testing.assert_close(head(z), before + 2)


def test_an_unknown_symmetrisation_is_an_error_that_lists_the_names():
    with pytest.raises(InvalidInputError, match=r"one of 'logit', 'probability'. Got 'geometric'"):
        head_of("multiplicative", symmetrisation="geometric")
