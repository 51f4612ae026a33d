"""Training as a program of its own that gives itself little memory, for tests of data larger than that.

    python limited_memory_program.py ALLOWED stream SHAPE WEIGHT        learns from a stream of WEIGHT bytes
    python limited_memory_program.py ALLOWED table SMALL LARGE OUTPUT   learns from LARGE by `abclust train`

First it trains on almost nothing, so that everything is imported and started. From then on the operating
system refuses it more than ALLOWED further bytes of its own (RLIMIT_DATA: a map of a file is not its own).
"""

import re
import resource
import sys
from pathlib import Path

import numpy as np
import torch

from abclust.cli.app import main as abclust_main
from abclust.learn import train
from abclust.training.config import TrainingConfig

CONFIG = TrainingConfig(steps=3, sets_per_step=4, warmup_steps=1, accelerator="cpu")
SHAPES = {"small": (29, 127), "large": (997, 61)}
MEMORY_BYTES = 2**20
NOT_ENFORCED = 77


def stream(shape, weight):
    """Sets that exist only when they are asked for."""
    n_items, n_features = SHAPES[shape]
    rng = np.random.default_rng(0)
    for _ in range(weight // (8 * n_items * n_features)):
        labels = rng.integers(3, size=n_items)
        yield rng.normal(size=(n_items, n_features)) + 3 * labels[:, None], labels


def is_limited_to(n_bytes):
    """Set the limit, and try whether it holds: not every system minds it."""
    own = int(re.findall(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text())[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (own + n_bytes, own + n_bytes))
    try:
        np.empty(2 * n_bytes, dtype=np.uint8)
    except MemoryError:
        return True
    return False


def learn_from_stream(shape, weight):
    train(stream(shape, int(weight)), config=CONFIG, memory_bytes=MEMORY_BYTES)


def learn_from_table(path, output):
    columns = ["--set-column", "lot", "--label-column", "kind"]
    run = ["--memory", "1", "--max-steps", "3", "--sets-per-step", "2", "--accelerator", "cpu", "--force"]
    sys.argv = ["abclust", "train", path, *columns, "--output", output, *run]
    try:
        abclust_main()
    except SystemExit as ended:
        if ended.code:
            raise


def main(allowed, kind, *arguments):
    torch.set_num_threads(1)
    if kind == "stream":
        learn_from_stream(arguments[0], 2_000_000)
    else:
        small, *arguments = arguments
        learn_from_table(small, arguments[1])
    if not is_limited_to(int(allowed)):
        return NOT_ENFORCED
    (learn_from_stream if kind == "stream" else learn_from_table)(*arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
