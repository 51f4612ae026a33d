"""Muon: what it does to a matrix, and that it learns."""

import torch
from torch import nn

from abclust.training.muon import Muon, is_matrix, orthogonalised


def test_orthogonalised_keeps_the_singular_vectors_and_evens_the_singular_values() -> None:
    matrices = torch.randn(3, 7, 11, dtype=torch.float64)
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    rotated = left.mT @ orthogonalised(matrices) @ right.mT  # diagonal if the singular vectors are kept
    values = rotated.diagonal(dim1=-2, dim2=-1)
    torch.testing.assert_close(rotated, torch.diag_embed(values))
    assert values.min() > 0.6
    assert values.max() < 1.3


def test_a_tall_matrix_is_treated_as_its_transpose() -> None:
    matrices = torch.randn(2, 13, 5, dtype=torch.float64)
    torch.testing.assert_close(orthogonalised(matrices), orthogonalised(matrices.mT).mT)


def test_matrices_stacks_and_filters_are_matrices_and_vectors_are_not() -> None:
    shapes = {(5, 3): True, (3, 5, 7): True, (5, 3, 3, 3): True, (5, 1, 3, 3): True}
    shapes |= {(5,): False, (): False, (1, 5): False, (2, 1, 5): False}
    for shape, expected in shapes.items():
        assert is_matrix(torch.zeros(shape)) == expected, shape


def test_the_first_update_is_the_formula() -> None:
    weight = nn.Parameter(torch.randn(3, 7, dtype=torch.float64))
    before = weight.detach().clone()
    weight.grad = torch.randn_like(weight)
    Muon([weight], lr=0.1, momentum=0.95, weight_decay=0.5).step()
    looked_ahead = weight.grad * (0.05 + 0.95 * 0.05)  # Nesterov: (1 - m) g + m (1 - m) g
    direction = orthogonalised(looked_ahead[None])[0]
    torch.testing.assert_close(weight.detach(), before * (1 - 0.1 * 0.5) - 0.1 * 0.2 * 7**0.5 * direction)


def test_vectors_take_the_same_steps_as_under_adamw() -> None:
    ours, reference = nn.Parameter(torch.ones(5)), nn.Parameter(torch.ones(5))
    optimizers = [
        Muon([ours], lr=0.1, weight_decay=0.02),
        torch.optim.AdamW([reference], lr=0.1, weight_decay=0.02),
    ]
    for step in range(3):
        for parameter, optimizer in zip((ours, reference), optimizers):
            parameter.grad = torch.arange(5.0) - step
            optimizer.step()
    torch.testing.assert_close(ours, reference)


def test_a_stack_of_matrices_moves_as_its_matrices_would_alone() -> None:
    stack = nn.Parameter(torch.randn(3, 5, 7))
    alone = [nn.Parameter(part.clone()) for part in stack.detach()]
    gradient = torch.randn(3, 5, 7)
    stack.grad = gradient
    for parameter, part in zip(alone, gradient):
        parameter.grad = part
    Muon([stack], lr=0.1).step()
    Muon(alone, lr=0.1).step()
    torch.testing.assert_close(stack.detach(), torch.stack([parameter.detach() for parameter in alone]))


def test_a_parameter_without_gradient_stays() -> None:
    weight = nn.Parameter(torch.ones(3, 5))
    Muon([weight], lr=0.1).step()
    assert torch.equal(weight.detach(), torch.ones(3, 5))


def test_it_fits_a_small_network() -> None:
    network = nn.Sequential(nn.Linear(3, 17), nn.Tanh(), nn.Linear(17, 2))
    inputs = torch.randn(64, 3)
    targets = torch.stack([inputs.prod(dim=1), inputs.sum(dim=1)], dim=1)
    optimizer = Muon(network.parameters(), lr=0.02)
    losses = []
    for _ in range(200):
        loss = (network(inputs) - targets).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.1 * losses[0]
