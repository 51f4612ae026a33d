"""The network and its losses as one module, so that a data-parallel wrapper sees one forward pass."""

from typing import Literal

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from abclust.foundations.errors import InvalidInputError
from abclust.training.batch_source import TrainingBatch
from abclust.training.config import TrainingConfig
from abclust.training.contrastive_loss import supervised_contrastive_loss
from abclust.training.pair_loss import pair_loss
from abclust.training.target_head import target_loss

Stage = Literal["encoder", "relation", "both"]


class TrainingObjective(nn.Module):
    """Losses of a batch under any module (B, n, ...) -> (B, n, n) logits.

    A module with ``encode`` and ``relate`` has every item of the pool encoded once and its sets drawn from
    the embeddings; any other module gets the items of every set.

    Parameters
    ----------
    network
        The module to train.
    config
        Weights and options of the losses.
    """

    def __init__(self, network: nn.Module, config: TrainingConfig) -> None:
        super().__init__()
        self.network = network
        self.config = config
        self.encodes = hasattr(network, "encode") and hasattr(network, "relate")
        if not self.encodes and (config.contrastive_weight or config.is_staged):
            raise InvalidInputError(
                "contrastive_weight, encoder_steps and relation_steps must be 0 for a network without encode "
                f"and relate. Got {type(network).__name__}."
            )
        if config.target_weight and not hasattr(network, "relate_and_describe"):
            raise InvalidInputError(
                f"target_weight must be 0 unless a TaughtNetwork is trained. Got {type(network).__name__}."
            )

    def forward(
        self,
        items: Tensor,
        labels: Int64[Tensor, "N"],
        sets: Int64[Tensor, "B n"],
        mask: Bool[Tensor, "B n"],
        pools: Int64[Tensor, "N"] | None = None,
        encoded: bool = False,
        stage: Stage = "both",
        targets: Float[Tensor, "N t"] | None = None,
    ) -> dict[str, Tensor]:
        """The losses by name; ``"loss"`` is their weighted sum, the one to walk down.

        Takes the fields of a :class:`TrainingBatch` one by one: wrappers move and cast plain tensors only.
        """
        batch = TrainingBatch(items, labels, sets, mask, pools, encoded, targets)
        config = self.config
        losses: dict[str, Tensor] = {}
        total = torch.zeros((), device=batch.items.device)
        embeddings = self._encode(batch) if self.encodes else None
        if (
            embeddings is not None
            and stage != "relation"
            and (config.contrastive_weight or stage == "encoder")
        ):
            losses["contrastive"] = supervised_contrastive_loss(
                embeddings, batch.labels, batch.pools, temperature=config.contrastive_temperature
            )
            # The encoder stage has no other loss: a weight of 0 there would teach nothing.
            total = total + (config.contrastive_weight or 1.0) * losses["contrastive"]
        if stage != "encoder":
            losses |= self._relation_losses(batch, embeddings)
            total = total + config.pair_weight * losses["pair"]
            if "target" in losses:
                total = total + config.target_weight * losses["target"]
        return {"loss": total, **losses}

    def _encode(self, batch: TrainingBatch) -> Float[Tensor, "N h"]:
        return batch.items if batch.encoded else self.network.encode(batch.items)  # type: ignore[operator]

    def _relation_losses(
        self, batch: TrainingBatch, embeddings: Float[Tensor, "N h"] | None
    ) -> dict[str, Float[Tensor, ""]]:
        mask = None if bool(batch.mask.all()) else batch.mask
        losses: dict[str, Tensor] = {}
        if embeddings is None:
            logits = self.network(draw(batch.items, batch.sets), mask)
        elif self.config.target_weight and batch.targets is not None:
            logits, described = self.network.relate_and_describe(  # type: ignore[operator]
                draw(embeddings, batch.sets), mask
            )
            losses["target"] = target_loss(described, draw(batch.targets, batch.sets), mask)
        else:
            logits = self.network.relate(draw(embeddings, batch.sets), mask)  # type: ignore[operator]
        losses["pair"] = pair_loss(
            logits,
            same_cluster(batch.labels, batch.sets),
            mask,
            weighting=self.config.pair_weighting,
            pos_weight=self.config.pos_weight,
            diagonal=self.config.diagonal,
        )
        return losses


def draw(items: Tensor, sets: Int64[Tensor, "B n"]) -> Tensor:
    """Items (N, ...) of every set, (B, n, ...).

    ``index_select``, not ``items[sets]``: the gradient of the latter adds up in an order that depends on the
    threads, so that the same run twice would not end with the same bits.
    """
    return items.index_select(0, sets.reshape(-1)).reshape(*sets.shape, *items.shape[1:])


def same_cluster(labels: Int64[Tensor, "N"], sets: Int64[Tensor, "B n"]) -> Bool[Tensor, "B n n"]:
    """The true kernel of every set."""
    by_set = labels[sets]
    return by_set[:, :, None] == by_set[:, None, :]
