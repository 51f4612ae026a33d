"""The command in a process of its own: exit codes, pipes, signals, and how little the help costs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

COMMAND = [sys.executable, "-c", "from abclust.cli.app import main; main()"]
HEAVY = ("torch", "numpy", "scipy", "sklearn", "matplotlib", "lightning_fabric", "pandas")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def run(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )


def test_the_help_of_every_command_needs_nothing_heavy() -> None:
    script = f"""
import sys
from typer.testing import CliRunner
from abclust.cli.app import app
runner = CliRunner()
assert "Exit codes" in runner.invoke(app, ["--help"]).output
for command in ("cluster", "evaluate", "models", "export"):
    shown = runner.invoke(app, [command, "--help"]).output
    assert "Example" in shown, command
print(*(name for name in {HEAVY!r} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_labels_go_through_a_pipe_and_nothing_else_does(one_set: Path, tmp_path: Path) -> None:
    done = run(tmp_path, "cluster", "-", "--model", "circles", given=one_set.read_text())
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "item,cluster,confidence"
    assert len(lines) == 20
    assert done.stderr.startswith("stdin: 19 items in")  # and no progress bar: nobody watches
    assert [path.name for path in tmp_path.iterdir()] == ["cloud.csv"]


def test_what_was_left_out_is_exit_code_3(points: Path, tmp_path: Path) -> None:
    (tmp_path / "must.csv").write_text("set,first,second\ns1,0,1\n")
    options = ("--set-column", "set", "--ignore-column", "circle", "--model", "circles", "--no-report")
    done = run(tmp_path, "cluster", "points.csv", *options, "--must-link", "must.csv")
    assert done.returncode == 3
    assert "failed s1: " in done.stderr
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == 1 + 2 * 23


def test_a_terminated_command_leaves_nothing_half_written(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [*COMMAND, "cluster", "-", "--model", "circles", "--output", "labels.csv"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, "TMPDIR": str(scratch)},
    )
    assert process.stdin is not None
    # More than a pipe holds: the write comes back only once the command is reading.
    process.stdin.write(b"x,y\n" + b"0.1,0.2\n" * 100_000)
    process.stdin.flush()
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=120) == 143
    process.stdin.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert [path.name for path in tmp_path.iterdir()] == ["scratch"]
    assert list(scratch.iterdir()) == []
