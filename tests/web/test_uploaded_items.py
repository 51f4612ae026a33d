"""Files in memory as sets of items."""

import io
import struct
import zipfile
import zlib
from contextlib import suppress

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from pyarrow import parquet
from tests.web.small_uploads import archive, picture, points_csv

from abclust.foundations.errors import InvalidInputError
from abclust.storage.memory_file import MemoryFile
from abclust.web.api_errors import ApiError
from abclust.web.tasks import ReadLimits
from abclust.web.uploaded_items import ReadImages, read_images, read_table, table_among
from abclust.web.zip_members import zip_members


def read(files: list[MemoryFile], limits: ReadLimits) -> ReadImages:
    return read_images(
        tuple(files),
        lambda image: np.zeros((5, 5)),
        lambda image: "picture",
        limits,
        lambda done, total: None,
    )


def test_csv_and_parquet_of_one_table_are_one_set(limits: ReadLimits) -> None:
    from_csv = read_table(
        MemoryFile("p.csv", points_csv(7, labels=True)), "group", limits, allow_missing=False
    )
    frame = pyarrow.table(
        {"x": from_csv.items[:, 0], "y": from_csv.items[:, 1], "group": list(from_csv.true_labels or ())}
    )
    buffer = io.BytesIO()
    parquet.write_table(frame, buffer)
    file = MemoryFile("p.PARQUET", buffer.getvalue())
    from_parquet = read_table(file, "group", limits, allow_missing=False)
    np.testing.assert_array_equal(from_parquet.items, from_csv.items)
    assert from_parquet.true_labels == from_csv.true_labels == ("a", "b", "a", "b", "a", "b", "a")
    assert from_csv.names == tuple("0123456")


def test_missing_cells_pass_only_where_they_may(limits: ReadLimits) -> None:
    file = MemoryFile("p.csv", b"x,y\n1,2\n,3\n")
    assert np.isnan(read_table(file, None, limits, allow_missing=True).items[1, 0])
    with pytest.raises(InvalidInputError, match="line 3"):
        read_table(file, None, limits, allow_missing=False)


def test_a_parquet_bomb_is_refused_by_its_rows(limits: ReadLimits) -> None:
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.table({"x": np.zeros(10**6)}), buffer)  # a few kilobytes
    assert len(buffer.getvalue()) < 10**5
    with pytest.raises(ApiError) as caught:
        read_table(MemoryFile("p.parquet", buffer.getvalue()), None, limits, allow_missing=False)
    assert caught.value.status == 413


def test_a_table_stands_alone() -> None:
    table, image = MemoryFile("p.csv", b""), MemoryFile("a.png", b"")
    assert table_among((table,)) is table
    assert table_among((image, image)) is None
    for files in ((table, image), (table, table)):
        with pytest.raises(ApiError, match="alone"):
            table_among(files)


def test_archives_and_images_make_one_set(limits: ReadLimits) -> None:
    packed = MemoryFile("scans.zip", archive({"a/1.png": picture(1), "a/2.png": picture(2)}))
    found = read([MemoryFile("0.png", picture(0)), packed, MemoryFile("blob", picture(3))], limits)
    assert [file.name for file in found.files] == ["0.png", "a/1.png", "a/2.png", "blob"]
    assert len(found.items) == len(found.pictures) == 4


def test_several_archives_share_one_bound(limits: ReadLimits) -> None:
    half = archive({f"{number}.png": bytes(300_000) for number in range(2)})
    with pytest.raises(ApiError) as caught:
        read([MemoryFile("a.zip", half), MemoryFile("b.zip", half)], limits)
    assert caught.value.status == 413


def test_a_damaged_or_locked_member_is_left_out_and_the_rest_go_on(limits: ReadLimits) -> None:
    content = bytearray(archive({"bad.png": bytes(2_003), "good.png": picture(1), "locked.png": picture(2)}))
    start = content.index(b"bad.png") + len(b"bad.png")
    content[start : start + 4] = b"\xff\xff\xff\xff"
    place = content.rindex(b"PK\x01\x02")  # the last entry of the directory
    content[place + 8] |= 1  # its flag for a password
    found = read([MemoryFile("a.zip", bytes(content))], limits)
    assert [file.name for file in found.files] == ["good.png"]
    assert [name for name, _ in found.skipped] == ["bad.png", "locked.png"]
    assert "password" in found.skipped[1][1]


def test_a_member_never_gives_more_than_it_states(limits: ReadLimits) -> None:
    content = bytearray(archive({"a.png": bytes(10**6)}))
    place = content.rindex(b"PK\x01\x02")
    content[place + 24 : place + 28] = struct.pack("<I", 11)  # "eleven bytes unpacked"
    skipped: list[tuple[str, str]] = []
    members = list(zip_members(MemoryFile("a.zip", bytes(content)), limits, skipped))
    assert sum(len(member.content) for member in members) <= 11


def test_an_archive_inside_an_archive_is_not_opened(limits: ReadLimits) -> None:
    inner = archive({"a.png": picture(1)})
    found = read([MemoryFile("a.zip", archive({"inner.zip": inner, "b.png": picture(2)}))], limits)
    assert [file.name for file in found.files] == ["b.png"]
    assert [name for name, _ in found.skipped] == ["inner.zip"]


def test_an_image_bomb_is_left_out_before_it_is_decoded(limits: ReadLimits) -> None:
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 1, 0, 0, 0, 0)
    chunk = b"IHDR" + head
    bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    bomb += struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
    found = read([MemoryFile("bomb.png", bomb), MemoryFile("a.png", picture(1))], limits)
    assert "at most 64,000,000 pixels" in found.skipped[0][1]


def test_nothing_readable_is_an_error_that_names_the_first(limits: ReadLimits) -> None:
    for file in (MemoryFile("a.png", b"?"), MemoryFile("a.zip", archive({"a.png": b"?"}))):
        with pytest.raises(ApiError, match=r"none of 1\. a\.png: an image must be readable"):
            read([file], limits)
    with pytest.raises(ApiError, match="at least one image"):
        read([MemoryFile("a.zip", archive({}))], limits)


@given(
    st.binary(max_size=200), st.sampled_from(["a.zip", "a.csv", "a.parquet", "a.png", "a.gif", "a.tif", "a"])
)
def test_any_bytes_are_read_or_refused(content: bytes, name: str) -> None:
    limits = ReadLimits(most_items=7, most_columns=5, unpacked_bytes=10**5)
    file = MemoryFile(name, content)
    with suppress(ApiError, InvalidInputError):  # and no other
        if table_among((file,)) is None:
            assert len(read([file], limits).items) == 1
        else:
            assert len(read_table(file, None, limits, allow_missing=True).items) >= 1


@given(st.data())
def test_a_damaged_archive_or_image_is_read_or_refused(data: st.DataObject) -> None:
    limits = ReadLimits(most_items=7, most_columns=5, unpacked_bytes=10**5)
    whole = archive({"a.png": picture(1), "b.png": picture(2)})
    content = bytearray(data.draw(st.sampled_from([whole, picture(1), _gif(), _tiff()])))
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(1, len(content)))]
    with suppress(ApiError):  # and no other
        assert len(read([MemoryFile("a", bytes(content))], limits).items) in (1, 2)


def _gif() -> bytes:
    buffer = io.BytesIO()
    Image.new("P", (11, 7)).save(buffer, format="GIF")
    return buffer.getvalue()


def _tiff() -> bytes:
    buffer = io.BytesIO()
    Image.new("I;16", (11, 7)).save(buffer, format="TIFF")
    return buffer.getvalue()


def test_a_name_that_zip_itself_would_follow_is_only_a_name(limits: ReadLimits) -> None:
    found = read([MemoryFile("a.zip", archive({"/etc/../x\x07.png": picture(1)}))], limits)
    assert [file.name for file in found.files] == ["/etc/../x.png"]
    assert zipfile.is_zipfile(io.BytesIO(archive({})))
