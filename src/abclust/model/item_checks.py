"""What arrives at a network is looked at once, at the edge, and the error says what it was."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from abclust.foundations.errors import InvalidInputError


def as_items(X: Any, item_shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    """One set as a tensor (n, *item_shape).

    Parameters
    ----------
    X
        Anything that numpy turns into numbers. Images of type uint8 (0 to 255) are scaled to 0 to 1.

    Raises
    ------
    InvalidInputError
        For the wrong rank or shape, an empty set, what is not a number, NaN and infinite values.
    """
    if isinstance(X, Tensor):
        X = X.detach().cpu()
        X = X.to(dtype) if X.is_floating_point() else X  # numpy has no bfloat16
    array = _as_array("X", X)
    wanted = f"(n, {', '.join(map(str, item_shape))})"
    if array.ndim != 1 + len(item_shape):
        raise InvalidInputError(f"X must be one set of shape {wanted}. Got an array of shape {array.shape}.")
    if array.shape[0] == 0:
        raise InvalidInputError(f"X must hold at least one item. Got an empty set of shape {array.shape}.")
    if array.shape[1:] != item_shape:
        raise InvalidInputError(
            f"X must have the network's item shape, {wanted}. Got {array.shape}. "
            "Use a network trained for these items, or bring them to that shape first."
        )
    if array.dtype == np.uint8 and len(item_shape) == 2:
        array = array / np.float32(255)
    items = _as_tensor(array, dtype, device)
    _check_finite("X", items)
    return items


def as_device(device: str | torch.device) -> torch.device:
    """A device that torch can use here and now."""
    try:
        return torch.empty(0, device=device).device
    except (RuntimeError, AssertionError) as error:  # torch raises either, by device
        reason = str(error).splitlines()[0]
        raise InvalidInputError(
            'device must be one that torch can use here, such as "cpu" or "cuda". '
            f"Got {str(device)!r}: {reason}"
        ) from error


def as_adjacency(adjacency: Any, n_items: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Edge weights of one set as a dense tensor (n, n); scipy's and torch's sparse matrices are welcome."""
    if isinstance(adjacency, Tensor):
        weights = adjacency.detach().to(device=device, dtype=dtype)
        weights = weights.to_dense() if weights.layout != torch.strided else weights
    else:
        dense = adjacency.toarray() if hasattr(adjacency, "toarray") else _as_array("adjacency", adjacency)
        weights = _as_tensor(dense, dtype, device)
    if weights.shape != (n_items, n_items):
        raise InvalidInputError(
            f"adjacency must have shape ({n_items}, {n_items}), one weight for each pair of items. "
            f"Got {tuple(weights.shape)}."
        )
    check_edge_weights(weights)
    return weights


def check_edge_weights(weights: Tensor) -> None:
    """Finite and not negative."""
    if not bool(torch.isfinite(weights).all()):
        raise InvalidInputError("adjacency must be finite. Got NaN or infinite edge weights.")
    if bool((weights < 0).any()):
        raise InvalidInputError(
            f"adjacency must not be negative. Got a smallest edge weight of {float(weights.min()):g}. "
            "Zero means no edge."
        )


def check_finite_items(batch: Tensor, mask: Tensor | None) -> None:
    """Real items are finite; padding may hold anything."""
    if not bool(torch.isfinite(batch.sum())):  # one pass tells in almost all cases, a hundredth of a step
        _check_finite("batch", batch.flatten(0, 1) if mask is None else batch[mask])


def check_batch(
    batch: Tensor, mask: Tensor | None, adjacency: Tensor | None, item_shape: tuple[int, ...]
) -> None:
    """Shapes of a padded batch (B, n, *item_shape), its mask (B, n) and its edge weights (B, n, n)."""
    if batch.ndim != 2 + len(item_shape) or tuple(batch.shape[2:]) != item_shape:
        wanted = f"(B, n, {', '.join(map(str, item_shape))})"
        raise InvalidInputError(f"batch must have shape {wanted}. Got {tuple(batch.shape)}.")
    if batch.shape[1] == 0:
        raise InvalidInputError(f"batch must hold at least one item a set. Got shape {tuple(batch.shape)}.")
    if mask is not None and (mask.shape != batch.shape[:2] or mask.dtype != torch.bool):
        raise InvalidInputError(
            f"mask must be boolean of shape {tuple(batch.shape[:2])}, True for real items. "
            f"Got {mask.dtype} of shape {tuple(mask.shape)}."
        )
    if adjacency is not None and adjacency.shape != (*batch.shape[:2], batch.shape[1]):
        raise InvalidInputError(
            f"adjacency must have shape {(*batch.shape[:2], batch.shape[1])}. Got {tuple(adjacency.shape)}."
        )


def _check_finite(name: str, items: Tensor) -> None:
    finite = torch.isfinite(items.flatten(1)).all(dim=1)
    if not bool(finite.all()):
        raise InvalidInputError(
            f"{name} must be finite in {items.dtype}. "
            f"Got NaN or infinite values in {int((~finite).sum())} of {len(items)} items."
        )


def _as_array(name: str, values: Any) -> np.ndarray:
    try:
        array = np.asarray(values)
        if array.dtype == object:
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must be a rectangular array of numbers. Got: {error}.") from error
    if array.dtype.kind not in "biuf":  # text, dates and complex numbers would be turned into something else
        raise InvalidInputError(f"{name} must be real numbers. Got an array of {array.dtype}.")
    return array


def _as_tensor(array: np.ndarray, dtype: torch.dtype, device: torch.device) -> Tensor:
    """A tensor of the array's numbers; an array that must not be written to (a memory map, say) is copied."""
    array = np.ascontiguousarray(array)
    return torch.as_tensor(array if array.flags.writeable else array.copy(), device=device).to(dtype)
