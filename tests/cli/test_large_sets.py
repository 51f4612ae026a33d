"""``abclust cluster`` of sets too large for all pairs: by local sets, with the labels of the estimator."""

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from rich.console import Console

from abclust.cli.work_progress import WorkProgress
from abclust.estimator.attention_clustering import AttentionClustering
from abclust.estimator.parameter_checks import LARGEST_AUTO_SET
from abclust.foundations.errors import InvalidInputError
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.scale.progress import ScaleProgress


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of random weights that say something about pairs, and quick."""
    torch.manual_seed(5)
    made = ContextKernelNetwork(ContextKernelConfig(n_features=3, width=8, heads=2, n_blocks=1))
    made.metadata["local_context"] = {"set_size": 31, "n_far": 5, "n_near": 7, "n_neighbors": 13}
    path = tmp_path_factory.mktemp("network") / "small.safetensors"
    made.save(path)
    return path


def table(path: Path, n_rows: int) -> np.ndarray:
    rng = np.random.default_rng(n_rows)
    points = (
        rng.normal(size=(17, 3))[rng.integers(17, size=n_rows)] * 9 + rng.normal(size=(n_rows, 3))
    ).round(4)
    pd.DataFrame(points, columns=["x", "y", "z"]).to_parquet(path)
    return points


def test_local_sets_can_be_asked_for_and_give_the_estimators_labels(run, tmp_path, network) -> None:
    points = table(tmp_path / "points.parquet", 307)
    done = run("cluster", "points.parquet", "--model", network, "--scale", "local", "--json")
    assert done.exit_code == 0, done.output
    expected = AttentionClustering(network, scale="local", random_state=0).fit(points)
    labels = pd.read_csv(tmp_path / "labels.csv")
    assert labels["cluster"].tolist() == expected.labels_.tolist()
    assert np.allclose(labels["confidence"], expected.confidence_, atol=1e-4)
    (told,) = json.loads(done.stdout)["sets"]
    assert (told["n_items"], told["n_clusters_interval"]) == (307, None)
    assert "307" in (tmp_path / "report.html").read_text()  # a line in the report, and no kernel


@pytest.mark.parametrize("option", [["-k", "3"], ["--method", "spectral"]])
def test_what_a_sparse_graph_cannot_do_is_an_error_that_says_so(run, tmp_path, network, option) -> None:
    table(tmp_path / "points.parquet", 41)
    done = run("cluster", "points.parquet", "--model", network, "--scale", "local", *option)
    assert isinstance(done.exception, InvalidInputError)  # exit code 2, by the program's own main
    assert "scale='local'" in str(done.exception)
    assert not (tmp_path / "labels.csv").exists()


@pytest.mark.slow
def test_a_table_above_the_stated_size_goes_by_local_sets_by_itself(run, tmp_path, network) -> None:
    pytest.importorskip("faiss", reason="faiss-cpu is not installed: pip install 'abclust[scale]'")
    n_rows = LARGEST_AUTO_SET + 11
    table(tmp_path / "points.parquet", n_rows)
    done = run("cluster", "points.parquet", "--model", network, "--output", "labels.parquet", "--no-report")
    assert done.exit_code == 0, done.output
    assert len(pd.read_parquet(tmp_path / "labels.parquet")) == n_rows
    assert f"{n_rows:,} items" in done.output


def test_the_stages_of_a_large_set_have_a_bar_where_a_person_watches() -> None:
    console = Console(force_terminal=True, width=90, record=True, file=StringIO())
    with WorkProgress("clustered", console) as progress:
        assert isinstance(progress, ScaleProgress)
        progress.stage("neighbours", 307)
        progress.stage("local sets 1", 41, done=3)
        progress.advance(17)
        progress._bar.refresh()
        assert "local sets 1" in console.export_text(clear=False)
        progress.set_done(307)
    assert "307 items" in progress.description
