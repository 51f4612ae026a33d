"""`abclust train DATA --from FILE` where FILE is a network for tables of any width."""

from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from abclust.cli.train_command import train
from abclust.datasets.vector_preparation import VectorPreparation
from abclust.estimator.attention_clustering import AttentionClustering
from abclust.foundations.frozen_config import to_dict
from abclust.model.config import ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork

PREPARATION = VectorPreparation(n_components=3, n_projected=5, n_diffusion=2)
app = typer.Typer()
app.command()(train)


@app.callback()
def _several_commands() -> None:
    """With a callback, typer takes the name of the command as an argument, as in the real application."""


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    config = ContextKernelConfig(n_features=PREPARATION.width, width=8, heads=2, n_blocks=1)
    header = {"preparation": to_dict(PREPARATION), "vector_views": {"count": 2}}
    ContextKernelNetwork(config, header).save(tmp_path / "tables.safetensors")
    return tmp_path / "tables.safetensors"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    lines = ["lot,a,b,c,d,e,f,g,kind"]
    for lot in range(7):
        centres = rng.normal(scale=5, size=(3, 7))
        for kind in rng.integers(3, size=11):
            cells = ",".join(f"{value:.4f}" for value in centres[kind] + rng.normal(size=7))
            lines.append(f"lot{lot},{cells},kind{kind}")
    (tmp_path / "table.csv").write_text("\n".join(lines))
    return tmp_path / "table.csv"


def run(*arguments: object):
    return CliRunner().invoke(app, ["train", *map(str, arguments)])


def test_a_table_of_another_width_is_learnt_from_and_clustered(table: Path, weights: Path, tmp_path: Path):
    output = tmp_path / "mine.safetensors"
    columns = ("--set-column", "lot", "--label-column", "kind")
    done = run(table, *columns, "--from", weights, "--output", output, "--max-steps", 3, "--seed", 5)
    assert done.exit_code == 0, done.output
    network = ContextKernelNetwork.from_file(output)
    assert network.metadata["preparation"] == to_dict(PREPARATION)
    assert network.metadata["training"]["learning_rate"] < 1e-3  # gentle unless told otherwise
    assert network.metadata["seed"] == 5
    assert AttentionClustering(network).fit_predict(np.eye(13)).shape == (13,)


def test_options_take_the_place_of_the_gentle_defaults(table: Path, weights: Path, tmp_path: Path):
    output = tmp_path / "mine.safetensors"
    columns = ("--set-column", "lot", "--label-column", "kind")
    done = run(table, *columns, "--from", weights, "-o", output, "--max-steps", 2, "--learning-rate", 0.01)
    assert done.exit_code == 0, done.output
    assert ContextKernelNetwork.from_file(output).metadata["training"]["learning_rate"] == 0.01
