"""A reader sees the old file or the new one, never a half."""

import os
import stat
import sys
from pathlib import Path

import pytest

from abclust.foundations.errors import InvalidInputError
from abclust.storage.atomic_file import check_writable_folder, replacing, write_text


def test_a_new_file_stands_whole_and_alone(tmp_path):
    target = tmp_path / "deep" / "folder" / "note.txt"
    write_text(target, "whole")
    assert target.read_text(encoding="utf-8") == "whole"
    assert list(target.parent.iterdir()) == [target]


def test_until_the_end_the_old_file_is_what_a_reader_sees(tmp_path):
    target = tmp_path / "note.txt"
    write_text(target, "old")
    with replacing(target) as beside:
        beside.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"


@pytest.mark.parametrize("durable", [True, False])
def test_a_write_that_fails_in_the_middle_leaves_the_old_file_and_no_litter(tmp_path, durable):
    target = tmp_path / "note.txt"
    write_text(target, "old")

    def fail_in_the_middle() -> None:
        with replacing(target, durable=durable) as beside:
            beside.write_text("ha")
            raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space left"):
        fail_in_the_middle()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_write_that_fails_in_the_middle_leaves_nothing_where_nothing_was(tmp_path):
    def fail_in_the_middle() -> None:
        with replacing(tmp_path / "note.txt"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_in_the_middle()
    assert list(tmp_path.iterdir()) == []


def test_files_have_the_rights_that_the_user_s_mask_gives(tmp_path):
    previous = os.umask(0o027)
    try:
        write_text(tmp_path / "note.txt", "whole")
    finally:
        os.umask(previous)
    assert stat.S_IMODE((tmp_path / "note.txt").stat().st_mode) == 0o640


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    for attempt in (lambda: write_text(tmp_path / "file" / "note.txt", ""), lambda: check(tmp_path / "file")):
        with pytest.raises(InvalidInputError, match="output folder must be a folder that can be made"):
            attempt()


def check(folder: Path) -> None:
    check_writable_folder(folder / "inside")


def test_a_writable_folder_is_made_and_left_empty(tmp_path):
    check_writable_folder(tmp_path / "results")
    assert list((tmp_path / "results").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="/proc, where nobody can write, is there on Linux only")
def test_a_folder_that_cannot_be_written_to_is_known_before_the_work_starts():
    with pytest.raises(InvalidInputError, match=r"output folder must be writable\. Got '/proc'"):
        check_writable_folder("/proc")
