"""A real program is killed, stopped and starved of disk; what it leaves behind is whole."""

import os
import resource
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from abclust.foundations.errors import InvalidInputError
from abclust.storage.tensor_file import load_tensors
from abclust.training.checkpoint import checkpoint_paths

PROGRAM = Path(__file__).with_name("run_program.py")


def start(folder, *options):
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), str(folder), *map(str, options)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def run_here(folder, *options):
    """The same program in this process, where importing everything has already been paid for."""
    assert runpy.run_path(str(PROGRAM))["main"]([str(folder), *map(str, options)]) == 0
    return load_tensors(folder / "final.safetensors").tensors


def wait_for_pause(process):
    line = process.stdout.readline()
    assert line.startswith("paused"), process.stderr.read()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return run_here(tmp_path_factory.mktemp("undisturbed"))


def test_a_run_killed_at_any_point_and_resumed_ends_with_the_same_bits(tmp_path, undisturbed):
    process = start(tmp_path, "--pause-at", 26)
    wait_for_pause(process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    resumed = start(tmp_path)
    output, errors = resumed.communicate(timeout=300)
    assert resumed.returncode == 0, errors
    assert "resumed from 21, ended at 40" in output
    weights = load_tensors(tmp_path / "final.safetensors").tensors
    assert weights.keys() == undisturbed.keys()
    for name, tensor in undisturbed.items():
        assert torch.equal(weights[name], tensor), name


def test_a_run_that_is_asked_to_stop_leaves_a_checkpoint_of_its_last_step(tmp_path, undisturbed):
    process = start(tmp_path, "--pause-at", 17)
    wait_for_pause(process)
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate("go on\n", timeout=300)
    assert process.returncode == 128 + signal.SIGTERM == 143, errors
    assert checkpoint_paths(tmp_path)[-1].name == "step-00000018.safetensors"
    assert "stopped by SIGTERM after step 18" in output
    weights = run_here(tmp_path)
    assert all(torch.equal(weights[name], tensor) for name, tensor in undisturbed.items())


def test_too_little_disk_is_an_error_before_the_first_step(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # A quota, as far as a process can give itself one: no file beyond half a megabyte.
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, before[1]))
    try:
        with pytest.raises(InvalidInputError, match="folder of checkpoints must take a file of 1 MB"):
            run_here(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_two_processes_learn_as_one_with_the_double_batch(tmp_path):
    together, alone = tmp_path / "together", tmp_path / "alone"
    process = start(together, "--devices", 2, "--sets-per-step", 3, "--dropout", 0, "--steps", 20)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    two = load_tensors(together / "final.safetensors").tensors
    one = run_here(alone, "--devices", 1, "--sets-per-step", 6, "--dropout", 0, "--steps", 20)
    assert len(one["losses"]) == 20
    for name, tensor in one.items():
        torch.testing.assert_close(two[name], tensor, rtol=1e-4, atol=1e-6)
