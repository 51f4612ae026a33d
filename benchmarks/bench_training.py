"""How fast training on Omniglot is, as ratios within one run.

Command
    ``python benchmarks/bench_training.py [--seconds S] [--threads T] [--data FOLDER]``

Contestants, each timed in full training steps (drawing, images, augmentation, forward, backward, update) in
turn, round after round, so that a noisy machine is equally noisy to all:

- straightforward: PIL images scaled and turned one by one, a DataLoader, every set encoded by itself, the
  paper's CNN in the default memory layout, plain Adam;
- paper CNN: the same network in our trainer;
- default: our trainer with the fast CNN and the contrastive loss.

An image counts each time it stands in a set that is learnt from; how many were encoded for that stands beside
it. Wall time is what counts; processor time stands beside it because it does not see what else the machine
does. Wanted: default at least 5 times the images a second of the straightforward loop, and a sampler that
makes sets at least 20 times as fast as the network uses them. Writes ``results/bench_training.json``.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from abclust.datasets import AugmentationConfig, GroupedImages, InstanceSampler, omniglot
from abclust.evaluation import write_results
from abclust.model.config import PAPER_OMNIGLOT, ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.training.config import TrainingConfig
from abclust.training.fabric_setup import build_fabric
from abclust.training.pair_loss import pair_loss
from abclust.training.pool_drawing import PoolConfig, draw_sets, draw_sizes
from abclust.training.pool_source import PoolSource
from abclust.training.run import TrainingRun

SET_SIZE = 100
SETS_IN_A_STEP = 8
POOLED_IMAGES = 400
ROUNDS = 5
SAMPLERS = ("pools and sets drawn", "Algorithm 1 alone")
FAST = ContextKernelConfig(
    image_size=28,
    encoder="fast-cnn",
    pre_norm=True,
    skip="gated",
    feed_forward_activation="gelu",
    direct_path=True,
)


class PilSets(Dataset):
    """One set of PIL images an item, as a first version would be written."""

    def __init__(self, data: GroupedImages, length: int) -> None:
        # 105 x 105, as the archive has them: scaling is part of what such a loop does for every image.
        self.images = [Image.fromarray(image).resize((105, 105)) for image in data.images]
        self.sampler = InstanceSampler(data, SET_SIZE, n_instances=length)

    def __len__(self) -> int:
        return len(self.sampler)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        instance = self.sampler.indices(index)
        angles = np.random.default_rng(index).uniform(-15, 15, size=SET_SIZE)
        pictures = [
            np.asarray(
                self.images[place].rotate(angle).resize((28, 28), Image.Resampling.BOX), dtype=np.float32
            )
            for place, angle in zip(instance.places, angles)
        ]
        return torch.from_numpy(np.stack(pictures)) / 255, torch.from_numpy(instance.labels)


def straightforward_step(data: GroupedImages) -> Callable[[], Any]:
    """A step that takes eight sets from a DataLoader and encodes one after the other."""
    network = ContextKernelNetwork(PAPER_OMNIGLOT)
    cnn: Any = next(network.encoder.children())
    cnn.blocks.to(memory_format=torch.contiguous_format)
    cnn.forward = lambda images: cnn.blocks(images[:, None]).flatten(1)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    loader = iter(DataLoader(PilSets(data, 1_000_000), batch_size=SETS_IN_A_STEP))

    def step() -> None:
        batch, labels = next(loader)
        optimizer.zero_grad()
        loss = torch.zeros(())
        for items, clusters in zip(batch, labels):
            loss = loss + pair_loss(network(items[None]), (clusters[:, None] == clusters[None, :])[None])
        (loss / SETS_IN_A_STEP).backward()
        optimizer.step()

    return step


def trainer_step(
    data: GroupedImages, network: ContextKernelConfig, config: TrainingConfig
) -> Callable[[], Any]:
    """A step of our trainer: two pools of 200 images encoded once, four sets of 100 drawn from each."""
    source = PoolSource(data, PoolConfig(), augment=AugmentationConfig())
    fabric = build_fabric(config)
    fabric.launch()
    run = TrainingRun(fabric, ContextKernelNetwork(network), source, config)
    run.state.network.train()
    return run.take_step


def seconds_of(action: Callable[[], Any], at_least: float) -> tuple[float, float]:
    """Wall and processor seconds of one call: means over as many as fill the time."""
    count, wall, processor = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - wall < at_least:
        action()
        count += 1
    return (time.perf_counter() - wall) / count, (time.process_time() - processor) / count


def sampling_step(data: GroupedImages) -> Callable[[], Any]:
    """Everything that is drawn for a step of our trainer, without touching an image."""
    source, config = PoolSource(data, PoolConfig()), PoolConfig()
    step = iter(range(10**9))

    def draw() -> None:
        for rng in source.streams(next(step), 0):
            pool = source.choose_pool(rng)
            draw_sets(pool.labels, draw_sizes(config, config.sets_per_pool, rng), rng)

    return draw


def algorithm_1(data: GroupedImages) -> Callable[[], Any]:
    """Eight sets of 100 by Algorithm 1 straight from the alphabets."""
    sampler = InstanceSampler(data, SET_SIZE)
    place = iter(range(10**9))

    def draw() -> None:
        for _ in range(SETS_IN_A_STEP):
            sampler.indices(next(place))

    return draw


def measure(data: GroupedImages, seconds: float) -> list[dict[str, Any]]:
    """Rows of all contestants."""
    plain = TrainingConfig(accelerator="cpu", steps=10**6)
    contrastive = TrainingConfig(accelerator="cpu", steps=10**6, contrastive_weight=1.0, diagonal=False)
    steps = {
        "straightforward": straightforward_step(data),
        "abclust, paper CNN": trainer_step(data, PAPER_OMNIGLOT, plain),
        "abclust, default": trainer_step(data, FAST, contrastive),
        "pools and sets drawn": sampling_step(data),
        "Algorithm 1 alone": algorithm_1(data),
    }
    for name, step in steps.items():
        # Lazy set-up is nobody's speed; the samplers keep a table for every number of clusters they have met.
        for _ in range(300 if name in SAMPLERS else 2):
            step()
    rounds = [{name: seconds_of(step, seconds) for name, step in steps.items()} for _ in range(ROUNDS)]
    return [row(name, rounds) for name in steps]


def row(name: str, rounds: list[dict[str, tuple[float, float]]]) -> dict[str, Any]:
    """One contestant: medians over rounds; ratios are taken within a round first."""
    per_step, processor = (statistics.median(each[name][clock] for each in rounds) for clock in (0, 1))
    encoded = SETS_IN_A_STEP * SET_SIZE if name == "straightforward" else POOLED_IMAGES

    def faster_than(other: str, clock: int) -> float:
        return statistics.median(each[other][clock] / each[name][clock] for each in rounds)

    return {
        "system": name,
        "seconds_per_step": per_step,
        "processor_seconds_per_step": processor,
        "sets_per_second": SETS_IN_A_STEP / per_step,
        "images_in_sets_per_second": SETS_IN_A_STEP * SET_SIZE / per_step,
        "images_encoded_per_second": 0.0 if name in SAMPLERS else encoded / per_step,
        "times_straightforward": faster_than("straightforward", 0),
        "times_straightforward_processor": faster_than("straightforward", 1),
        "times_default_training": faster_than("abclust, default", 0),
        "times_default_training_processor": faster_than("abclust, default", 1),
        "rounds": len(rounds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=6.0, help="time for each contestant in each round")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="threads of torch")
    parser.add_argument("--data", type=Path, help="folder of the Omniglot archives")
    parser.add_argument("--output", type=Path, default=Path("results/bench_training.json"))
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    rows = measure(omniglot("background", data=options.data), options.seconds)
    command = f"python benchmarks/bench_training.py --seconds {options.seconds:g} --threads {options.threads}"
    write_results(options.output, rows, command=command, seed=0)
    for each in rows:
        print(
            f"{each['system']:22} {each['seconds_per_step']:8.4f} s a step "
            f"{each['images_in_sets_per_second']:10,.0f} images in sets a second; "
            f"times straightforward {each['times_straightforward']:6.1f} "
            f"(processor {each['times_straightforward_processor']:.1f}), "
            f"times default {each['times_default_training']:5.1f} "
            f"(processor {each['times_default_training_processor']:.1f})"
        )


if __name__ == "__main__":
    main()
