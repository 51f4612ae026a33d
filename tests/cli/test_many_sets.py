"""Thousands of sets pass through: memory does not grow with their number, and workers change nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from abclust.datasets.circle_sets import circles

PROGRAM = """
import resource, sys
from abclust.cli.app import main
try:
    main()
except SystemExit as leaving:
    assert not leaving.code, leaving.code
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def written(path: Path, n_sets: int, n_points: int) -> Path:
    with path.open("w") as file:
        file.write("set,x,y\n")
        for number, each in enumerate(circles(n_sets, n_points=n_points, seed=11)):
            file.writelines(f"s{number},{x},{y}\n" for x, y in each.items.tolist())
    return path


def run(source: Path, *options: str) -> int:
    """Kilobytes at the peak."""
    columns = ["--set-column", "set", "--model", "circles", "--output", f"{source.stem}.csv.out.csv"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "cluster", source.name, *columns, *options],
        cwd=source.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_sets(tmp_path: Path) -> None:
    few, many = written(tmp_path / "few.csv", 211, 101), written(tmp_path / "many.csv", 1_201, 101)
    peaks = [run(source, "--memory", "1", "--force") for source in (few, many)]
    assert peaks[1] - peaks[0] < 40_000  # the kernels of the further sets alone would weigh twice as much
    assert len((tmp_path / "many.csv.out.csv").read_text().splitlines()) == 1 + 1_201 * 101


@pytest.mark.slow
def test_workers_change_nothing(tmp_path: Path) -> None:
    source = written(tmp_path / "sets.csv", 601, 29)
    run(source, "--no-report")
    alone = (tmp_path / "sets.csv.out.csv").read_text()
    run(source, "--no-report", "--force", "--workers", "2")
    assert (tmp_path / "sets.csv.out.csv").read_text() == alone
