"""What the README shows runs, and it names the two commands and pages that exist."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_two_commands_stand_in_the_readme_and_in_the_makefile() -> None:
    makefile = (README.parent / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in README.read_text()
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_every_linked_file_exists() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README.read_text())
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []


@pytest.mark.slow
def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict[str, object] = {}
    exec(block, names)
    assert len(names["labels"]) == 100  # type: ignore[arg-type]
    assert (tmp_path / "mine.safetensors").exists()
