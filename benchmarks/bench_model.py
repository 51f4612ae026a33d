"""Speed of the network against torch's own modules of the same size, as ratios within one run.

Run from the project's root; about two minutes on one core::

    python benchmarks/bench_model.py

* Forward + backward of the multiplicative network on 32 sets of 100 items, width 128, two SABs, against
  ``torch.nn.TransformerEncoder`` of the same depth, heads and feed-forward width; then both with the same
  Linear-Tanh-Linear encoder in front. Ours has the similarity head to pay for as well. Wanted: at most 1.
* Forward + backward of the paper's image CNN in training against the module as drawn in Figure 3, in torch's
  default memory layout. Wanted: at least twice as fast, a ratio of at most 0.5. The fast CNN for comparison.

The two sides of a ratio take turns, so that whatever else runs on the machine slows both; a ratio is the
median over rounds. Wall time is what counts; processor time is written beside it because it does not see the
neighbours. One thread unless told otherwise: threads that wait for each other measure the neighbours.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from abclust.evaluation.results_file import write_results
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.model.element_encoders import FAST_CHANNELS, PAPER_CHANNELS, ImageEncoder

SETS, ITEMS, WIDTH, HEADS, BLOCKS, FEED_FORWARD = 32, 100, 128, 4, 2, 256
IMAGES, SIDE = 200, 28
SEED = 0


def torch_encoder() -> nn.Module:
    layer = nn.TransformerEncoderLayer(
        WIDTH, HEADS, dim_feedforward=FEED_FORWARD, dropout=0.0, batch_first=True
    )
    return nn.TransformerEncoder(layer, BLOCKS)


def encoder() -> nn.Module:
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH))


def network(kind: str) -> nn.Module:
    config = ContextKernelConfig(
        n_features=WIDTH, encoder=kind, width=WIDTH, heads=HEADS, n_blocks=BLOCKS,
        feed_forward_width=FEED_FORWARD,
    )  # fmt: skip
    return ContextKernelNetwork(config)


def naive_cnn() -> nn.Module:
    """Figure 3 as drawn, as one would write it first."""
    layers: list[nn.Module] = [nn.Unflatten(1, (1, SIDE))]
    for before, after in pairwise((1, *PAPER_CHANNELS)):
        convolution = nn.Conv2d(before, after, 3, padding=1)
        layers += [convolution, nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten())


def seconds_of_a_step(module: nn.Module, batch: Tensor) -> tuple[float, float]:
    """Wall and processor time of one forward and backward pass, without a loss."""
    module.zero_grad(set_to_none=True)
    wall, processor = time.perf_counter(), time.process_time()
    result = module(batch)
    result.backward(torch.ones_like(result))
    return time.perf_counter() - wall, time.process_time() - processor


def compare(
    protocol: str, batch: Tensor, wanted: float, systems: dict[str, Callable[[], nn.Module]], rounds: int
) -> list[dict[str, Any]]:
    """Rows of one protocol; the first of `systems` is the reference that ratios divide by."""
    torch.manual_seed(SEED)
    modules = {name: build().train() for name, build in systems.items()}
    for module in modules.values():  # what is allocated and chosen at the first call is not counted
        seconds_of_a_step(module, batch)
    times = {name: [] for name in modules}
    for _ in range(rounds):
        for name, module in modules.items():
            times[name].append(seconds_of_a_step(module, batch))
    reference = times[next(iter(times))]
    return [
        {
            "protocol": protocol,
            "system": name,
            "seconds": statistics.median(wall for wall, _ in measured),
            "processor_seconds": statistics.median(processor for _, processor in measured),
            "ratio": statistics.median(one[0] / other[0] for one, other in zip(measured, reference)),
            "processor_ratio": statistics.median(
                one[1] / other[1] for one, other in zip(measured, reference)
            ),
            "wanted_ratio": wanted,
            "rounds": rounds,
            "parameters": sum(parameter.numel() for parameter in modules[name].parameters()),
        }
        for name, measured in times.items()
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--rounds", type=int, default=31)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--output", type=Path, default=Path("results/bench_model.json"))
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(SEED)
    threads = f"{chosen.threads} thread(s)"
    sets = torch.randn(SETS, ITEMS, WIDTH)
    rows = compare(
        f"forward + backward, {SETS} sets of {ITEMS}, width {WIDTH}, {BLOCKS} blocks, {threads}",
        sets,
        1.0,
        {"torch.nn.TransformerEncoder": torch_encoder, "abclust network": lambda: network("identity")},
        chosen.rounds,
    )
    rows += compare(
        f"the same with a Linear-Tanh-Linear encoder in front, {threads}",
        sets,
        1.0,
        {
            "encoder, torch.nn.TransformerEncoder": lambda: nn.Sequential(encoder(), torch_encoder()),
            "abclust network with encoder": lambda: network("mlp"),
        },
        chosen.rounds,
    )
    rows += compare(
        f"forward + backward in training, {IMAGES} images of {SIDE} x {SIDE}, {threads}",
        torch.rand(IMAGES, SIDE, SIDE),
        0.5,
        {
            "Figure 3 as drawn, default layout": naive_cnn,
            "abclust, paper CNN": lambda: ImageEncoder(SIDE, PAPER_CHANNELS, unshuffle=False),
            "abclust, fast CNN": lambda: ImageEncoder(SIDE, FAST_CHANNELS, unshuffle=True),
        },
        chosen.rounds,
    )
    command = "python benchmarks/bench_model.py"
    write_results(chosen.output, rows, command=command, seed=SEED)
    for row in rows:
        print(
            f"{row['system']:<38} {1e3 * row['seconds']:8.1f} ms   ratio {row['ratio']:.2f}"
            f"   (processor {row['processor_ratio']:.2f}, wanted {row['wanted_ratio']})"
        )


if __name__ == "__main__":
    main()
