"""The parts of the commands: files of links, labels, progress, the typed command."""

from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from abclust.cli.command_text import typed_command
from abclust.cli.labels_file import WriteSet, labels_writer
from abclust.cli.link_files import LinkFile
from abclust.cli.outputs import check_outputs
from abclust.cli.work_progress import WorkProgress
from abclust.clustering.backends import partition_kernel
from abclust.datasets.labelled_set import UnlabelledSet
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError

THREE = UnlabelledSet(np.zeros((3, 2)), name="three", item_names=("a", "b", "c"))


def test_links_without_a_set_are_for_every_set_and_others_for_theirs(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("\ufefffirst,second\na, c\n")
    assert LinkFile.read(tmp_path / "all.csv").numbers(THREE) == [(0, 2)]
    (tmp_path / "some.csv").write_text("set,first,second\nthree,a,b\nfour,x,y\n")
    links = LinkFile.read(tmp_path / "some.csv")
    assert links.numbers(THREE) == [(0, 1)]
    assert links.unused == {"four"}
    assert LinkFile.read(None).numbers(THREE) is None


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "first,second\na\n", "set,first,second\na,b\n"])
def test_a_file_that_is_no_table_of_links_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text(text)
    with pytest.raises(FileFormatError, match=r"links\.csv"):
        LinkFile.read(tmp_path / "links.csv")


def test_links_that_are_not_text_or_not_there_are_refused(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_bytes(b"first,second\n\xff\xfe\n")
    with pytest.raises(FileFormatError, match="UTF-8"):
        LinkFile.read(tmp_path / "links.csv")
    with pytest.raises(DataNotFoundError):
        LinkFile.read(tmp_path / "none.csv")


def _write_and_fail(write: WriteSet, partition: Any) -> None:
    write("first", ["a", "b"], partition)
    raise ValueError("this file must not be whole")


def test_labels_that_fail_in_the_middle_leave_the_old_file(tmp_path: Path) -> None:
    partition = partition_kernel(np.eye(2), n_samples=0)
    for name in ("labels.csv", "labels.parquet"):
        (tmp_path / name).write_text("old")
        with (
            pytest.raises(ValueError, match="must not be whole"),
            labels_writer(tmp_path / name, names_sets=True) as write,
        ):
            _write_and_fail(write, partition)
        assert (tmp_path / name).read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_names_with_commas_and_quotes_come_back_as_they_were(tmp_path: Path) -> None:
    import csv

    partition = partition_kernel(np.eye(2), n_samples=0)
    with labels_writer(tmp_path / "labels.csv", names_sets=True) as write:
        write('the "first", set', ["a\nb", "ü,1"], partition)  # type: ignore[arg-type]
    with (tmp_path / "labels.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert [row[:2] for row in rows[1:]] == [['the "first", set', "a\nb"], ['the "first", set', "ü,1"]]


def test_an_output_that_is_a_folder_or_has_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="Got the folder"):
        check_outputs([tmp_path], force=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match="output folder"):
        check_outputs([tmp_path / "file" / "labels.csv"], force=True)


def test_progress_counts_images_sets_and_items(capsys: pytest.CaptureFixture[str]) -> None:
    with WorkProgress("clustered") as progress:
        for _ in range(5):
            progress.image_read()
        progress.set_done(3)
        progress.set_done(2)
    assert progress.description == "read 5 images, clustered 2 sets, 5 items"
    assert capsys.readouterr() == ("", "")


def test_progress_is_shown_where_a_person_watches() -> None:
    screen = StringIO()
    with WorkProgress("clustered", Console(file=screen, force_terminal=True, width=97)) as progress:
        progress.set_done(1_009)
    assert "clustered 1 sets, 1,009 items" in screen.getvalue()


def test_outside_a_command_the_typed_command_is_its_name() -> None:
    assert typed_command() == "abclust"
