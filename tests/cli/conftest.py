"""Small inputs as a user has them: tables of points, folders of drawn images, a network for each."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw
from typer.testing import CliRunner, Result

from abclust.cli.app import app
from abclust.datasets.circle_sets import circles
from abclust.model import ContextKernelConfig, ContextKernelNetwork

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: object, given: str | None = None) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)

    return invoke


@pytest.fixture
def points(tmp_path: Path) -> Path:
    """Three sets of points on circles: set,x,y,circle."""
    path = tmp_path / "points.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["set", "x", "y", "circle"])
        for number, each in enumerate(circles(3, n_points=23, seed=5)):
            for (x, y), label in zip(each.items.tolist(), each.labels.tolist()):
                writer.writerow([f"s{number}", x, y, label])
    return path


@pytest.fixture
def one_set(tmp_path: Path) -> Path:
    """One set of points on circles: x,y."""
    (each,) = circles(1, n_points=19, seed=7)
    path = tmp_path / "cloud.csv"
    path.write_text("x,y\n" + "".join(f"{x!r},{y!r}\n" for x, y in each.items.tolist()))
    return path


@pytest.fixture(scope="session")
def image_network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network for images with a framing in its header."""
    torch.manual_seed(3)
    config = ContextKernelConfig(
        image_size=16, encoder="fast-cnn", encoder_channels=(3, 5), width=6, heads=2, n_blocks=1
    )
    network = ContextKernelNetwork(
        config, {"framing": {"image_size": 16, "ink_size": 11}, "groups": ["greek"]}
    )
    path = tmp_path_factory.mktemp("networks") / "images.safetensors"
    network.save(path)
    return path


def draw(path: Path, seed: int) -> None:
    """A line on white paper, of any size."""
    rng = np.random.default_rng(seed)
    width, height = rng.integers(20, 41, size=2).tolist()
    sheet = Image.new("L", (width, height), "white")
    ends = [(int(rng.integers(width)), int(rng.integers(height))) for _ in range(3)]
    ImageDraw.Draw(sheet).line(ends, fill=0, width=3)
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path)


@pytest.fixture
def images(tmp_path: Path) -> Path:
    """A folder of seven images."""
    for number in range(7):
        draw(tmp_path / "scans" / f"{number}.png", number)
    return tmp_path / "scans"


@pytest.fixture
def albums(tmp_path: Path) -> Path:
    """A folder of two folders of images."""
    for name, count in (("north", 5), ("south", 3)):
        for number in range(count):
            draw(tmp_path / "albums" / name / f"{number}.png", number + count)
    return tmp_path / "albums"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
