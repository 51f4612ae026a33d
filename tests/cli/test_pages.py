"""The pages on the command line and on export: their commands and examples run, in order."""

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from abclust.cli.app import app

DOCS = Path(__file__).parents[2] / "docs"


def blocks_of(page: str) -> list[tuple[str, str]]:
    """Language and content of the blocks that can be run."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(r"```(python|bash)\n(.*?)```", text, flags=re.DOTALL)


def test_the_examples_of_the_command_line_page_run(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs: pip install 'abclust[tables]'")
    blocks = blocks_of("cli.md")
    assert [language for language, _ in blocks] == ["python", "bash", "bash", "python", "bash", "bash"]
    for language, block in blocks:
        if language == "python":
            exec(compile(block, "cli.md", "exec"), {})
            continue
        (line,) = block.splitlines()
        name, *arguments = shlex.split(line)
        assert name == "abclust"
        done = run(*arguments)
        assert done.exit_code == 0, (line, done.output, done.exception)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"labels.csv", "report.html", "other.parquet", "results.json"} <= names


def test_the_page_names_every_command() -> None:
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    for command in app.registered_commands:
        assert command.callback is not None
        assert f"`abclust {command.callback.__name__}" in text


def test_the_examples_of_the_export_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxscript", reason="needs: pip install 'abclust[export]'")
    pytest.importorskip("onnxruntime", reason="needs: pip install 'abclust[export]'")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for _, block in blocks_of("export.md"):
        exec(compile(block, "export.md", "exec"), names)
    assert sorted(names["header"]) == ["config", "metadata", "written_by"]  # type: ignore[call-overload]
