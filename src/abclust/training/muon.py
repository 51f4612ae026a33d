"""Muon for the matrices of a network, AdamW for everything else.

torch has a Muon of its own, but it orthogonalises in bfloat16, which a CPU without such instructions does an
order of magnitude slower than float32, and it takes neither stacks of matrices nor convolutions. This one
works in the precision of the weights, and works off all matrices of one shape together.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.optim.adamw import adamw

# The quintic of Jordan et al.: steepest at 0, so that five rounds bring all singular values near 1.
_NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
_ROUNDS = 5
_BETAS, _EPSILON = (0.9, 0.999), 1e-8
# Makes the root mean square of an update that of AdamW's, so that one learning rate serves both halves
# (Liu et al. 2025, arXiv:2502.16982).
_ADAMW_SCALE = 0.2


def orthogonalised(matrices: Float[Tensor, "s r c"]) -> Float[Tensor, "s r c"]:
    """U V^T of each matrix U S V^T, nearly: singular values end between about 0.7 and 1.2.

    X <- a X + (b X X^T + c (X X^T)^2) X, five times, from X scaled to a spectral norm of at most 1.
    """
    a, b, c = _NEWTON_SCHULZ
    is_tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if is_tall else matrices  # the product X X^T is then the smaller one
    x = x / x.norm(dim=(-2, -1), keepdim=True).clamp(min=1e-7)
    for _ in range(_ROUNDS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if is_tall else x


class Muon(torch.optim.Optimizer):
    """W <- W - lr (0.2 sqrt(max(r, c)) orthogonalised(momentum) + decay W) for matrices; AdamW for the rest.

    Parameters
    ----------
    parameters
        Matrices are those of at least two axes with more than one row and column: stacks of matrices are
        taken apart, filters of convolutions are flattened to (out, in x height x width).
    lr
        Learning rate of both halves.
    momentum
        Of the matrices, with Nesterov's look ahead.
    weight_decay
        Decoupled, of both halves.

    References
    ----------
    Jordan et al. 2024: Muon: An optimizer for hidden layers in neural networks.
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float,
        momentum: float = 0.95,
        weight_decay: float = 0.01,
    ) -> None:
        parameters = list(parameters)
        matrices = [parameter for parameter in parameters if is_matrix(parameter)]
        others = [parameter for parameter in parameters if not is_matrix(parameter)]
        groups = [{"params": matrices, "orthogonal": True}, {"params": others, "orthogonal": False}]
        defaults = {"lr": lr, "momentum": momentum, "weight_decay": weight_decay}
        super().__init__([group for group in groups if group["params"]], defaults)

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """One update from the gradients; parameters without one stay."""
        loss = None if closure is None else closure()
        for group in self.param_groups:
            parameters = [parameter for parameter in group["params"] if parameter.grad is not None]
            (self._step_matrices if group["orthogonal"] else self._step_others)(parameters, group)
        return loss

    def _step_matrices(self, parameters: list[nn.Parameter], group: dict[str, Any]) -> None:
        for (rows, columns), alike in groupby(sorted(parameters, key=_shape), key=_shape):
            members = list(alike)
            update = orthogonalised(
                torch.cat([self._momentum(member, group["momentum"]) for member in members])
            )
            update = update * (_ADAMW_SCALE * max(rows, columns) ** 0.5)
            for member, part in zip(members, update.split([len(_stack(member)) for member in members])):
                member.mul_(1 - group["lr"] * group["weight_decay"])
                member.sub_(part.reshape(member.shape), alpha=group["lr"])

    def _momentum(self, parameter: nn.Parameter, momentum: float) -> Float[Tensor, "s r c"]:
        state = self.state[parameter]
        if not state:
            state["momentum"] = torch.zeros_like(parameter)
        gradient = parameter.grad
        assert gradient is not None  # step() passes only parameters that have one
        state["momentum"].lerp_(gradient, 1 - momentum)
        return _stack(gradient.lerp(state["momentum"], momentum))

    def _step_others(self, parameters: list[nn.Parameter], group: dict[str, Any]) -> None:
        for parameter in parameters:
            if not self.state[parameter]:
                self.state[parameter].update(
                    step=torch.tensor(0.0),
                    exp_avg=torch.zeros_like(parameter),
                    exp_avg_sq=torch.zeros_like(parameter),
                )
        states = [self.state[parameter] for parameter in parameters]
        adamw(
            list(parameters),
            [parameter.grad for parameter in parameters if parameter.grad is not None],
            [state["exp_avg"] for state in states],
            [state["exp_avg_sq"] for state in states],
            [],
            [state["step"] for state in states],
            amsgrad=False,
            beta1=_BETAS[0],
            beta2=_BETAS[1],
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=_EPSILON,
            maximize=False,
        )


def is_matrix(parameter: Tensor) -> bool:
    """Whether `parameter` is a matrix, a stack of them or the filters of a convolution, not a mere vector."""
    return parameter.ndim >= 2 and min(_shape(parameter)) > 1


def _stack(tensor: Tensor) -> Float[Tensor, "s r c"]:
    """(r, c) and (s, r, c) as a stack of matrices; (out, in, height, width) as one."""
    return tensor.flatten(1)[None] if tensor.ndim == 4 else tensor.reshape(-1, *tensor.shape[-2:])


def _shape(parameter: Tensor) -> tuple[int, int]:
    rows, columns = _stack(parameter).shape[-2:]
    return rows, columns
