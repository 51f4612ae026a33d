"""The page on a user's own data: its examples run, and print what it says."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "data.md"


def test_the_examples_of_the_page_run_and_print_what_they_promise(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas", reason="needs: pip install 'abclust[tables]'")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 9
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
        promised = re.findall(r"^# (.+)$", block, flags=re.MULTILINE)
        assert capsys.readouterr().out.splitlines() == promised
