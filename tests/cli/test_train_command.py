"""`abclust train` as a user meets it: options by their published names, what it prints, what it leaves."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import typer
from typer.testing import CliRunner

from abclust.cli.train_command import train
from abclust.foundations.errors import InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.training.checkpoint import checkpoint_paths

app = typer.Typer()
app.command()(train)


@app.callback()
def _several_commands() -> None:
    """With a callback, typer takes the name of the command as an argument, as in the real application."""


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(3)
    lines = ["lot,x,y,kind"]
    for lot in range(7):
        centres = rng.normal(scale=5, size=(3, 2))
        for kind in rng.integers(3, size=11):
            x, y = centres[kind] + rng.normal(size=2)
            lines.append(f"lot{lot},{x:.4f},{y:.4f},kind{kind}")
    path = tmp_path / "points.csv"
    path.write_text("\n".join(lines))
    return path


def arguments(table, output, *more):
    columns = ["--set-column", "lot", "--label-column", "kind"]
    return ["train", str(table), *columns, "--output", str(output), "--accelerator", "cpu", *map(str, more)]


def run(table, output, *more):
    return CliRunner().invoke(app, arguments(table, output, *more))


def test_a_table_becomes_a_network_file(table, tmp_path):
    output = tmp_path / "mine.safetensors"
    done = run(table, output, "--max-steps", 6, "--checkpoint-every", 4, "--seed", 5)
    assert done.exit_code == 0, done.output
    assert f"wrote {output} after step 6" in done.output
    network = ContextKernelNetwork.from_file(output)
    assert network.config.n_features == 2
    assert network.metadata["seed"] == 5
    folder = Path(f"{output}.run")
    assert [path.name for path in checkpoint_paths(folder)] == [
        "step-00000004.safetensors",
        "step-00000006.safetensors",
    ]
    assert (folder / "curve.png").is_file()


def test_resume_says_the_step_it_resumes_from(table, tmp_path):
    output = tmp_path / "mine.safetensors"
    fresh = run(table, output, "--max-steps", 4, "--resume")
    assert f"nothing to resume in {output}.run: starting fresh" in fresh.output
    resumed = run(table, output, "--max-steps", 6, "--resume")
    assert "resuming from step 4" in resumed.output
    assert "after step 6" in resumed.output


def test_an_unfinished_run_is_not_lost_by_accident(table, tmp_path):
    output = tmp_path / "mine.safetensors"
    run(table, output, "--max-steps", 4)
    output.unlink()
    refused = run(table, output, "--max-steps", 4)
    assert isinstance(refused.exception, InvalidInputError)
    assert "--resume to go on" in str(refused.exception)
    assert run(table, output, "--max-steps", 4, "--force").exit_code == 0


def test_a_finished_run_may_be_repeated(table, tmp_path):
    output = tmp_path / "mine.safetensors"
    for _ in range(2):
        assert run(table, output, "--max-steps", 3).exit_code == 0


def test_training_starts_from_a_given_network(table, tmp_path):
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    run(table, first, "--max-steps", 3)
    done = run(table, second, "--max-steps", 1, "--learning-rate", 1e-9, "--from", first)
    assert done.exit_code == 0, done.output
    before, after = (ContextKernelNetwork.from_file(path).state_dict() for path in (first, second))
    for name in before:
        torch.testing.assert_close(before[name], after[name])


def test_a_table_without_labels_is_told_what_to_add(table, tmp_path):
    done = CliRunner().invoke(
        app,
        ["train", str(table), "--ignore-column", "lot", "--ignore-column", "kind", "-o", str(tmp_path / "m")],
    )
    assert isinstance(done.exception, InvalidInputError)
    assert "--label-column" in str(done.exception)


def test_a_table_too_large_for_its_memory_gives_the_same_network(tmp_path):
    rng = np.random.default_rng(5)
    rows = [
        f"lot{number // 61},{x:.6f},{y:.6f},{number % 3}"
        for number, (x, y) in enumerate(rng.normal(size=(70_000, 2)))
    ]
    table = tmp_path / "large.csv"
    table.write_text("lot,x,y,kind\n" + "\n".join(rows))
    found = []
    for memory in (1, 512):
        output = tmp_path / f"{memory}.safetensors"
        done = run(table, output, "--max-steps", 3, "--sets-per-step", 2, "--memory", memory)
        assert done.exit_code == 0, done.output
        found.append(ContextKernelNetwork.from_file(output))
    for name, tensor in found[0].state_dict().items():
        assert torch.equal(found[1].state_dict()[name], tensor), name
    assert found[0].metadata["fingerprint"] == found[1].metadata["fingerprint"]


def test_help_names_every_published_option():
    wide = CliRunner().invoke(app, ["train", "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    text = re.sub(r"\x1b\[[0-9;]*m", "", wide.output)
    published = (
        "set-column",
        "label-column",
        "output",
        "max-steps",
        "checkpoint-every",
        "seed",
        "resume",
        "from",
    )
    for option in published:
        assert f"--{option}" in text, option


def test_sigterm_ends_with_143_and_a_checkpoint(table, tmp_path):
    output = tmp_path / "mine.safetensors"
    program = "import sys; from abclust.cli.app import main; sys.argv[0] = 'abclust'; main()"
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            program,
            *arguments(table, output, "--max-steps", 10**6, "--checkpoint-every", 5),
        ],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    for line in process.stderr:
        if line.startswith("step "):
            break
    process.send_signal(signal.SIGTERM)
    errors = process.communicate(timeout=300)[1]
    assert process.returncode == 143, errors
    (stopped,) = re.findall(r"stopped by SIGTERM after step (\d+)", errors)
    assert checkpoint_paths(f"{output}.run")[-1].name == f"step-{int(stopped):08d}.safetensors"
