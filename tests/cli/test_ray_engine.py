"""``abclust cluster --engine ray`` as it is typed: many sets of a Parquet file, the local engine's labels."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from abclust.datasets.circle_sets import circles

pytest.importorskip("ray", reason="Ray is not installed: pip install 'abclust[ray]'")

ABCLUST = str(Path(sys.executable).with_name("abclust"))


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """Seven sets of points; one of them is poisoned by a number that is none."""
    parts = []
    for number, each in enumerate(circles(7, n_points=19, seed=13)):
        parts.append(pd.DataFrame(each.items, columns=["x", "y"]).assign(set=f"s{number}"))
    parts[3].loc[5, "x"] = float("inf")
    path = tmp_path / "sets.parquet"
    pd.concat(parts, ignore_index=True).to_parquet(path)
    return path


def cluster(source: Path, engine: str) -> tuple[subprocess.CompletedProcess[str], pd.DataFrame]:
    output = source.with_name(f"{engine}.parquet")
    done = subprocess.run(
        [
            *[ABCLUST, "cluster", str(source), "--set-column", "set", "--model", "circles", "--no-report"],
            *["--engine", engine, "--workers", "2", "--output", str(output)],
        ],
        capture_output=True,
        text=True,
        timeout=900,
        cwd=source.parent,
        env={
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "RAY_worker_niceness": "0",
            "RAY_AUTH_MODE": "disabled",
        },
    )
    assert output.is_file(), done.stderr[-2000:]
    return done, pd.read_parquet(output)


@pytest.mark.slow
def test_ray_gives_the_local_engines_labels_and_reports_a_poisoned_set(sets: Path) -> None:
    by_ray, found = cluster(sets, "ray")
    locally, expected = cluster(sets, "local")
    assert by_ray.returncode == locally.returncode == 3, by_ray.stderr[-2000:]  # done, but a set left out
    assert "s3" in by_ray.stderr + by_ray.stdout
    pd.testing.assert_frame_equal(found, expected)
    assert sorted(set(found["set"])) == ["s0", "s1", "s2", "s4", "s5", "s6"]
    assert found["set"].value_counts().tolist() == [19] * 6
