"""Files in memory are read as files on a disk are."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from abclust.datasets.csv_tables import csv_chunks
from abclust.datasets.image_files import read_image
from abclust.datasets.tables import TableColumns
from abclust.foundations.errors import FileFormatError
from abclust.storage.memory_file import MemoryFile


def test_an_image_in_memory_is_the_one_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.fromarray(np.arange(35, dtype=np.uint8).reshape(5, 7)).save(path)
    in_memory = read_image(MemoryFile("elsewhere.png", path.read_bytes()))
    np.testing.assert_array_equal(np.asarray(in_memory), np.asarray(read_image(path)))


def test_a_table_in_memory_is_the_one_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfx,y\r\n1,2\r\n3,4\r\n")  # as a spreadsheet writes it
    columns = TableColumns()
    (on_disk,) = csv_chunks(path, columns)
    (in_memory,) = csv_chunks(MemoryFile("a.csv", path.read_bytes()), columns)
    np.testing.assert_array_equal(in_memory.features, on_disk.features)


def test_errors_name_the_file_and_not_its_place_in_memory() -> None:
    with pytest.raises(FileFormatError, match=r"'scan\.png': no image of a known kind"):
        read_image(MemoryFile("scan.png", b"?"))


@pytest.mark.parametrize(("name", "suffix"), [("A.PNG", ".png"), ("a.tar.gz", ".gz"), ("a", ""), ("", "")])
def test_the_suffix_is_in_small_letters(name: str, suffix: str) -> None:
    assert MemoryFile(name, b"").suffix == suffix
