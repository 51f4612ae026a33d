"""The pictures that the page *How it works* shows, and that it shows all of them."""

from pathlib import Path

from abclust.experiments.how_it_works import main

PAGE = Path(__file__).parents[2] / "docs" / "how_it_works.md"


def test_every_picture_is_drawn_and_stands_on_the_page(tmp_path: Path, capsys) -> None:
    main(["--output", str(tmp_path)])
    paths = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert len(paths) == 4
    for path in paths:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert f"](figures/{path.name})" in PAGE.read_text(encoding="utf-8")
