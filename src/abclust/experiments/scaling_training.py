"""The network of the scaling runs: trained on neighbourhoods of mixtures whose classes are not seen again.

Command
    ``python -m abclust.experiments.scaling_training --output embeddings.safetensors``
Cost
    Half an hour on one core.
"""

import argparse
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from abclust.clustering.backends import cluster_kernel
from abclust.evaluation.provenance import current_commit, package_versions
from abclust.evaluation.scores import ari, nmi
from abclust.experiments.circle_evaluation import batch_kernels
from abclust.experiments.scaling_calibration import SIZES, calibrate_on_mixtures
from abclust.experiments.scaling_sampler import NeighbourhoodSampler, labelled_pairs
from abclust.foundations.frozen_config import to_dict
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.scale.config import HEADER, LocalContextConfig
from abclust.storage.atomic_file import check_writable_folder
from abclust.training.config import TrainingConfig
from abclust.training.generated_source import GeneratedSource
from abclust.training.progress_bar import default_reporter
from abclust.training.trainer import TrainingResult, fit

NAME = "embeddings"
COMMAND = "abclust reproduce scaling --train"
VALIDATION_SEED = 1_900_1020  # another branch than the training's, and than the scaling runs' own sets
_logger = logging.getLogger(__name__)

NETWORK = ContextKernelConfig(
    n_features=128,
    n_blocks=2,
    pre_norm=True,
    feed_forward_width=256,
    feed_forward_activation="gelu",
    log_n_reference=100,
    similarity_bias=True,
    direct_path=True,
)
TRAINING = TrainingConfig(
    steps=7_000,
    optimizer="muon",
    learning_rate=3e-3,
    warmup_steps=40,
    ema_decay=0.99,
    contrastive_weight=0.2,
    diagonal=False,
    validate_every=250,
    monitor="nmi_k_unknown",
)
LOCAL_CONTEXT = LocalContextConfig(space="encoded", placements=0)
"""The contrastive loss asks the encoder to bring a class together: neighbours are sought in its output."""


def train_embeddings(
    output: str | Path,
    *,
    sampler: NeighbourhoodSampler | None = None,
    training: TrainingConfig = TRAINING,
    seed: int = 0,
    resume: bool = True,
    validation_steps: int = 6,
    calibration_sizes: Sequence[int] = SIZES,
) -> Path:
    """Train the network and write it to `output`; checkpoints live in ``<output>.run/``.

    Parameters
    ----------
    output
        The network file.
    sampler
        What the steps are drawn from.
    training
        Length and losses.
    seed
        Of the weights and of the sets.
    resume
        Go on from the last checkpoint, if there is one.
    validation_steps
        Draws of the sampler that a validation scores.
    calibration_sizes
        Items of the mixtures that the calibration is chosen on.
    """
    output, sampler = Path(output), sampler or NeighbourhoodSampler()
    check_writable_folder(output.parent)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = ContextKernelNetwork(replace(NETWORK, n_features=sampler.domain.width))
    result = fit(
        network,
        GeneratedSource(sampler, seed=seed),
        replace(training, seed=seed),
        folder=output.with_name(f"{output.name}.run"),
        validate=neighbourhood_validation(sampler, validation_steps),
        reporter=default_reporter(),
        resume=resume,
    )
    network.metadata = _metadata(sampler, result, replace(training, seed=seed))
    tried = calibrate_on_mixtures(network, sizes=calibration_sizes)
    network.metadata["calibrated_on"] = "whole mixtures that nothing else draws"
    _logger.info("NMI by shift of the log-odds: %s", {shift: round(each, 4) for shift, each in tried.items()})
    network.save(output)
    _logger.info("wrote %s after %d steps", output, result.step)
    return output


def neighbourhood_validation(
    sampler: NeighbourhoodSampler, n_steps: int
) -> Callable[[nn.Module], Mapping[str, float]]:
    """Mean scores of log-odds clustering on held-out neighbourhoods, k unknown."""
    sampler = replace(sampler, n_anywhere=0, n_clumped=sampler.n_sets // 2)
    held_out = labelled_pairs(sampler, n_steps, VALIDATION_SEED)

    def validate(network: nn.Module) -> dict[str, float]:
        scores = []
        for items, labels in held_out:
            found = cluster_kernel(batch_kernels(network, items), method="log-odds")
            scores += [(nmi(true, one), ari(true, one)) for true, one in zip(labels, found, strict=True)]
        mean = np.mean(scores, axis=0)
        return {"nmi_k_unknown": float(mean[0]), "ari_k_unknown": float(mean[1])}

    return validate


def _metadata(
    sampler: NeighbourhoodSampler, result: TrainingResult, training: TrainingConfig
) -> dict[str, object]:
    return {
        "recipe": NAME,
        "card": {
            "expects": f"embeddings of {sampler.domain.width} numbers, of the domain of the scaling runs",
            "trained_on": "neighbourhoods of generated mixtures of overlapping classes, new ones every time",
            "command": COMMAND,
            "cost": "half an hour on one core",
        },
        "groups": [],  # generated: there is no class that a test could share with the training
        HEADER: to_dict(replace(LOCAL_CONTEXT, set_size=sampler.set_size, n_far=sampler.n_far)),
        "domain": to_dict(sampler.domain),
        "seed": training.seed,
        "steps": result.step,
        "seconds": round(result.seconds, 1),
        "training": to_dict(training),
        "scores": {name: round(value, 4) for name, value in result.scores.items()},
        "commit": current_commit(),
        "versions": package_versions(),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.experiments.scaling_training", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--output", type=Path, required=True, help="network file to write")
    parser.add_argument("--seed", type=int, default=0, help="seed of the weights and of the sets")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--steps", type=int, default=TRAINING.steps, help="training steps")
    length.add_argument("--minutes", type=float, help="time budget in place of steps")
    parser.add_argument("--fresh", action="store_true", help="do not go on from the checkpoints")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    training = replace(TRAINING, steps=given.steps, minutes=given.minutes)
    train_embeddings(given.output, training=training, seed=given.seed, resume=not given.fresh)


if __name__ == "__main__":
    main()
