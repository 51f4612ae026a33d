"""The page on training with one's own data runs: every block in order, in an empty folder, with few steps."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

FEW_STEPS = 5  # what is shown is that the walk works; how far it leads takes the steps of the page
PAGE = Path(__file__).parents[1] / "docs" / "your_data.md"


def blocks(section: str) -> list[tuple[str, str]]:
    """Language and text of each block of code under a heading of the page."""
    _, text = re.split(rf"^## {section}\n", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return re.findall(
        r"```(python|console)\n(.*?)```", re.split(r"^## ", text, flags=re.MULTILINE)[0], re.DOTALL
    )


def run_section(section: str, folder: Path, names: dict[str, object]) -> list[str]:
    """Run the blocks of a section; what each command printed."""
    told = []
    for language, text in blocks(section):
        if language == "python":
            exec(re.sub(r"steps=\d+", f"steps={FEW_STEPS}", text), names)
            continue
        for command in text.strip().splitlines():
            program, *arguments = shlex.split(re.sub(r"--max-steps \d+", f"--max-steps {FEW_STEPS}", command))
            assert program == "abclust"
            done = subprocess.run(
                [Path(sys.executable).with_name("abclust"), *arguments],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
            told.append(done.stdout)
    return told


@pytest.fixture
def names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    import abclust

    return {"abclust": abclust, "__name__": "page"}


def test_from_a_table(tmp_path, names):
    run_section("From a table", tmp_path, names)
    labels = (tmp_path / "labels.csv").read_text().splitlines()
    assert labels[0] == "set,item,cluster,confidence"
    assert len(labels) == 1 + 20 * 30
    assert (tmp_path / "tuned.safetensors").exists()


def test_from_images(tmp_path, names):
    run_section("From images", tmp_path, names)
    assert len((tmp_path / "sheet.csv").read_text().splitlines()) == 1 + 30
    assert "<html" in (tmp_path / "sheet.html").read_text()


def test_from_python(tmp_path, names):
    run_section("From Python", tmp_path, names)
    assert len(names["labels"]) == 20
