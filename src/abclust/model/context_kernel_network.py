"""The network of the paper's Section 3: a set in, its kernel out."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn
from torch.nn.functional import normalize

from abclust.attention.blocks import SAB, FeedForward
from abclust.attention.compatibility import build_compatibility
from abclust.attention.multihead import MultiHeadAttention, width_of_a_head
from abclust.attention.visibility import Visibility
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import to_dict
from abclust.kernel.similarity_head import SimilarityHead
from abclust.model.config import ContextKernelConfig
from abclust.model.element_encoders import build_encoder
from abclust.model.item_checks import (
    as_adjacency,
    as_device,
    as_items,
    check_batch,
    check_edge_weights,
    check_finite_items,
)
from abclust.model.network_file import fill_network, read_network_file, write_network_file
from abclust.model.pair_path import PairPath

# Numbers in one block of kernel rows: temporaries of the head stay at a few times 64 MB whatever n is.
ROW_BLOCK_BUDGET = 2**24
ENCODE_CHUNK = 4096


class ContextKernelNetwork(nn.Module):
    """ABC(X)_ij = kappa(T(X)_i, T(X)_j) with T = SAB_1 o ... o SAB_N after an encoder (paper Sec. 3).

    Parameters
    ----------
    config
        What the network is made of.
    metadata
        JSON-ready facts that travel with the weights: calibration, versions, seed, groups trained on, scores.

    Examples
    --------
    >>> network = ContextKernelNetwork(ContextKernelConfig(n_features=2, width=8, heads=2))
    >>> network.kernel([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0]]).shape
    (3, 3)

    References
    ----------
    Coward, Visse-Martindale, Ramesh: Attention-Based Clustering: Learning a Kernel from Context.
    arXiv:2010.01040.
    """

    def __init__(self, config: ContextKernelConfig, metadata: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.config = config
        self.metadata: dict[str, Any] = dict(metadata or {})
        self.encoder = build_encoder(config)
        self.blocks = nn.ModuleList(_build_block(config) for _ in range(config.n_blocks))
        # Pre-norm blocks leave the sum of all updates unnormalised; the head wants it normalised once.
        self.final_norm = nn.LayerNorm(config.width) if config.pre_norm and config.n_blocks else nn.Identity()
        self.head = _build_head(config)
        self.direct_weight = nn.Parameter(torch.ones(())) if config.direct_path else None
        self.pair_path = _build_pair_path(config)

    def forward(
        self,
        batch: Float[Tensor, "B n *item"],
        mask: Bool[Tensor, "B n"] | None = None,
        adjacency: Shaped[Tensor, "B n n"] | None = None,
    ) -> Float[Tensor, "B n n"]:
        """Logits of the kernels of a batch of sets; ``sigmoid`` of them are the kernels.

        Parameters
        ----------
        batch
            Sets padded to one length.
        mask
            True for real items. Padding changes nothing for them, in value or gradient; the logits of pairs
            with padding are finite and mean nothing.
        adjacency
            Non-negative edge weights, explicit context (paper Sec. 7). Dense or sparse.
        """
        if adjacency is not None and adjacency.layout != torch.strided:
            adjacency = adjacency.to_dense()
        check_batch(batch, mask, adjacency, self.config.item_shape)
        if not torch.compiler.is_compiling():  # an exported graph cannot look at its data
            check_finite_items(batch, mask)
            if adjacency is not None:
                check_edge_weights(adjacency)
        return self.relate(self._encode_batch(batch, mask), mask, adjacency)

    def encode(self, items: Float[Tensor, "N *item"]) -> Float[Tensor, "N e"]:
        """Each item alone: the part without context, which is why items of many sets share one call.

        With a pair path, the columns that it needs follow on the encoded item.
        """
        encoded = self.encoder(items)
        if self.pair_path is None:
            return encoded
        ranges = (*self.config.pair_columns, self.config.pair_sums)
        return torch.cat([encoded, *(items[:, first:last] for first, last in ranges)], dim=-1)

    def relate(
        self,
        embeddings: Float[Tensor, "B n e"],
        mask: Bool[Tensor, "B n"] | None = None,
        adjacency: Shaped[Tensor, "B n n"] | None = None,
    ) -> Float[Tensor, "B n n"]:
        """From encoded items to logits: the SABs, then every pair."""
        return self.compare(self.contextualise(embeddings, mask, adjacency), embeddings)

    def compare(
        self, contextual: Float[Tensor, "B n h"], embeddings: Float[Tensor, "B n e"]
    ) -> Float[Tensor, "B n n"]:
        """Every pair: of items in context, and beside it, if there is a direct path, of items alone."""
        logits = self.head(contextual)
        encoded, geometry = self._parts(embeddings)
        if self.direct_weight is not None:
            directions = normalize(encoded, dim=-1)
            logits = logits + self.direct_weight * directions @ directions.mT
        if self.pair_path is not None:
            at_first_sight = self.pair_path.logits(geometry, geometry)
            logits = logits + (at_first_sight + at_first_sight.mT) / 2
        return logits

    def contextualise(
        self,
        embeddings: Float[Tensor, "B n e"],
        mask: Bool[Tensor, "B n"] | None = None,
        adjacency: Shaped[Tensor, "B n n"] | None = None,
    ) -> Float[Tensor, "B n h"]:
        """T(X): every item after it has looked at its set N times (paper Sec. 3.2)."""
        hidden, geometry = self._parts(embeddings)
        visibility = Visibility.of(hidden, mask, adjacency, self.config.log_n_reference)
        seen = [visibility] * len(self.blocks)
        if self.pair_path is not None:
            seen = self.pair_path.visibilities(geometry, visibility)
        for block, seen_by_block in zip(self.blocks, seen, strict=True):
            hidden = block(hidden, seen_by_block)
        return self.final_norm(hidden)

    def _parts(
        self, embeddings: Float[Tensor, "*sets n e"]
    ) -> tuple[Float[Tensor, "*sets n w"], Float[Tensor, "*sets n g"]]:
        """Encoded items, and the columns for the pair path behind them.

        Those columns are as they came, not learned, and no gradient goes back into them: it would pass
        through the distances of all pairs and end nowhere.
        """
        width = self.config.width
        return embeddings[..., :width], embeddings[..., width:].detach()

    def kernel(self, X: Any, adjacency: Any = None) -> Float[np.ndarray, "n n"]:
        """The kernel of one set: symmetric, in [0, 1], raw (not calibrated).

        Parameters
        ----------
        X
            One set, (n, d) or (n, H, W), n >= 1. Images of uint8 are scaled to 0 to 1.
        adjacency
            Edge weights (n, n), dense or sparse: explicit context.
        """
        result: np.ndarray | None = None
        for start, block in self.kernel_blocks(X, adjacency):
            stop, n_items = start + len(block), block.shape[1]
            if result is None:
                result = np.empty((n_items, n_items), block.dtype)
            # Products of another shape may round differently: what stands above the diagonal is mirrored, so
            # that the kernel is symmetric to the last bit however many blocks it came in.
            result[start:stop, start:] = block[:, start:]
            square = result[start:stop, start:stop]
            square[:] = (square + square.T) / 2
            result[stop:, start:stop] = result[start:stop, stop:].T
        assert result is not None  # a set has at least one item
        return result

    @torch.no_grad()
    def kernel_blocks(
        self, X: Any, adjacency: Any = None, block_rows: int | None = None
    ) -> Iterator[tuple[int, Float[np.ndarray, "r n"]]]:
        """The same kernel in blocks of rows, as (first row, block): where n x n is too large to hold."""
        first = next(self.parameters())
        items = as_items(X, self.config.item_shape, first.dtype, first.device)
        n_items = len(items)
        edges = None
        if adjacency is not None:
            edges = as_adjacency(adjacency, n_items, first.dtype, first.device)[None]
        rows = max(1, ROW_BLOCK_BUDGET // n_items) if block_rows is None else block_rows
        if rows < 1:
            raise InvalidInputError(f"block_rows must be at least 1. Got {block_rows}.")
        was_training = self.training
        self.eval()
        try:
            encoded = torch.cat([self.encode(chunk) for chunk in items.split(ENCODE_CHUNK)])[None]
            contextual = self.contextualise(encoded, None, edges)
        finally:
            self.train(was_training)
        return self._row_blocks(encoded, contextual, rows)

    def _row_blocks(self, encoded: Tensor, contextual: Tensor, rows: int) -> Iterator[tuple[int, np.ndarray]]:
        items, geometry = self._parts(encoded)
        directions = normalize(items[0], dim=-1)
        for start in range(0, len(directions), rows):
            # Inside the loop: a generator must not leave its caller without gradients between two blocks.
            with torch.no_grad():
                logits = self.head.rows(contextual, start, min(start + rows, len(directions)))[0]
                if self.direct_weight is not None:
                    logits = logits + self.direct_weight * directions[start : start + rows] @ directions.T
                if self.pair_path is not None:
                    logits = logits + self.pair_path.logits(geometry[:, start : start + rows], geometry)[0]
                block = logits.sigmoid().cpu().numpy()  # the one place where a tensor becomes an array
            yield start, block

    def save(self, path: str | Path) -> None:
        """Write configuration, weights and metadata to one safetensors file, whole or not at all."""
        write_network_file(path, to_dict(self.config), self.state_dict(), self.metadata)

    @classmethod
    def from_file(cls, path: str | Path, device: str | torch.device = "cpu") -> "ContextKernelNetwork":
        """Read a network written by :meth:`save`. Use :func:`abclust.load` for shipped weights by name."""
        target = as_device(device)
        config, tensors, metadata = read_network_file(path)
        network = cls(config, metadata)
        fill_network(network, tensors, path)
        return network.to(target).eval()

    def _encode_batch(self, batch: Tensor, mask: Tensor | None) -> Tensor:
        """Encode the real items only, so that batch norm never mixes padding in."""
        if mask is None:
            return self.encode(batch.flatten(0, 1)).unflatten(0, batch.shape[:2])
        if self.training:
            encoded = self.encode(batch[mask])
            return encoded.new_zeros(*mask.shape, encoded.shape[-1]).index_put((mask,), encoded)
        # In evaluation batch norm is a fixed map, and a graph without boolean indexing exports cleanly.
        real = mask.reshape(*mask.shape, *(1,) * (batch.ndim - 2))
        encoded = self.encode(batch.where(real, 0).flatten(0, 1)).unflatten(0, batch.shape[:2])
        return encoded * mask[..., None]


def _build_block(config: ContextKernelConfig) -> SAB:
    scale = config.width**-0.5 if config.softmax_scale == "authors" else None
    head_width = width_of_a_head(config.width, config.heads, config.head_width)
    compatibility = build_compatibility(
        config.compatibility, head_width, config.heads, scale=scale, activation=config.activation
    )
    attention = MultiHeadAttention(
        config.width, config.heads, compatibility, config.head_width, config.output_projection
    )
    feed_forward = FeedForward(config.width, config.feed_forward_width, config.feed_forward_activation)
    return SAB(attention, feed_forward, config.width, config.pre_norm, config.skip)


def _build_pair_path(config: ContextKernelConfig) -> PairPath | None:
    if not config.pair_columns:
        return None
    widths = [last - first for first, last in config.pair_columns]
    n_summed = config.pair_sums[1] - config.pair_sums[0]
    return PairPath(widths, n_summed, config.n_blocks, config.heads)


def _build_head(config: ContextKernelConfig) -> SimilarityHead:
    compatibility = build_compatibility(
        config.similarity or config.compatibility,
        config.width,
        scale=1.0 if config.similarity_scale == "none" else None,
        activation=config.activation,
    )
    return SimilarityHead(
        config.width,
        compatibility,
        projections=config.similarity_projections,
        symmetrisation=config.symmetrisation,
        bias=config.similarity_bias,
    )
