"""Training on two processes by the documented commands, on loopback."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from abclust.model.context_kernel_network import ContextKernelNetwork


@pytest.fixture
def table(tmp_path) -> Path:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, size=330)
    points = rng.normal(size=(30, 3, 2))[np.arange(330) // 11, labels] * 5 + rng.normal(size=(330, 2))
    rows = [
        f"{number // 11},{label},{x:.4f},{y:.4f}"
        for number, (label, (x, y)) in enumerate(zip(labels, points.tolist()))
    ]
    path = tmp_path / "sets.csv"
    path.write_text("\n".join(["set,label,x,y", *rows]))
    return path


ABCLUST = str(Path(sys.executable).with_name("abclust"))
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


@pytest.mark.slow
@pytest.mark.parametrize("launcher", [[], [*TORCHRUN, "--no-python"]], ids=["--devices 2", "torchrun"])
def test_two_processes_train_one_network(table: Path, launcher: list[str]) -> None:
    output = table.with_name("network.safetensors")
    command = [
        *[*launcher, ABCLUST, "train", str(table), "--set-column", "set", "--label-column", "label"],
        *["--output", str(output), "--max-steps", "4", "--devices", "2", "--strategy", "ddp", "--seed", "0"],
    ]
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=900, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ContextKernelNetwork.from_file(output).metadata["steps"] == 4
