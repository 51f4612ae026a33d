"""The pictures of the page: taken by a command, all there, and small."""

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from abclust.foundations.errors import InvalidInputError
from abclust.web.screenshots import SCENES, SCHEMES, WINDOW, take_screenshots

DOCS = Path(__file__).parents[3] / "docs"
LARGEST_BYTES = 200_000


def test_the_command_takes_a_picture_in_light_and_dark(browser, tmp_path):
    folder = tmp_path / "new"
    command = [sys.executable, "-m", "abclust.web.screenshots", str(folder), "web-start"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    assert sorted(path.name for path in folder.iterdir()) == ["web-start-dark.png", "web-start-light.png"]
    with (
        Image.open(folder / "web-start-light.png") as bright,
        Image.open(folder / "web-start-dark.png") as dim,
    ):
        assert bright.size == dim.size == WINDOW
        corners = [picture.convert("RGB").getpixel((5, 700)) for picture in (bright, dim)]
    assert corners == [(255, 255, 255), (18, 22, 28)]


def test_an_unknown_picture_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="web-start"):
        take_screenshots(tmp_path, ["no-such-picture"])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", SCENES)
def test_every_picture_is_in_the_documentation_and_small(name, scheme):
    assert (DOCS / "images" / f"{name}-{scheme}.png").stat().st_size < LARGEST_BYTES


def test_the_page_about_the_page_shows_pictures_that_exist():
    text = (DOCS / "web.md").read_text()
    shown = [line.partition("](")[2].rstrip(")") for line in text.splitlines() if line.startswith("![")]
    assert len(shown) == 4
    assert all((DOCS / path).is_file() for path in shown)
