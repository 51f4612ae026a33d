"""Omniglot from its archives: the real ones where they are, tiny and broken ones made here."""

import io
import logging
import zipfile

import numpy as np
import pytest
from PIL import Image

from abclust.datasets import omniglot
from abclust.datasets.archive_lookup import find_archive
from abclust.datasets.omniglot_archive import SPLITS, Split, read_archive
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError

TINY = Split("images_background", "", 2, 5)


def has_archives() -> bool:
    try:
        for split in SPLITS.values():
            find_archive(f"{split.folder}.zip", "omniglot", data=None, url="", checksum="", download=False)
    except DataNotFoundError:
        return False
    return True


needs_omniglot = pytest.mark.skipif(
    not has_archives(),
    reason="the Omniglot archives are in none of the usual places: set ABCLUST_DATA to their folder",
)


@needs_omniglot
@pytest.mark.parametrize(
    ("split", "counts"), [("background", (30, 964, 19_280)), ("evaluation", (20, 659, 13_180))]
)
def test_the_published_splits_have_their_published_numbers(split, counts):
    data = omniglot(split)
    assert (len(data.group_names), len(data.class_names), len(data)) == counts
    assert data.images.shape[1:] == (28, 28)
    assert np.bincount(data.labels).tolist() == [20] * counts[1]
    assert 0.03 < (data.images / 255).mean() < 0.15  # ink is bright and rare
    assert all(
        data.class_names[label].split("/")[0] == data.group_names[group]
        for label, group in zip(data.labels[::20], data.groups[::20])
    )


@needs_omniglot
def test_no_alphabet_is_in_both_splits():
    assert not set(omniglot("background").group_names) & set(omniglot("evaluation").group_names)


def test_images_come_in_the_order_of_alphabet_character_and_writer(tiny_archive):
    data = read_archive(tiny_archive(), TINY, 105, None)
    assert data.group_names == ("Alpha", "Beta")
    assert data.class_names[:2] == ("Alpha/character01", "Alpha/character02")
    assert data.labels.tolist() == np.repeat(np.arange(5), 20).tolist()
    assert data.groups.tolist() == [0] * 60 + [1] * 40
    tops = [int(np.flatnonzero(image.any(axis=1))[0]) for image in data.images]
    assert tops == [10 * c + w for c in (1, 2, 3, 1, 2) for w in range(1, 21)]
    assert set(np.unique(data.images)) == {0, 255}  # inverted: ink is 255


def test_shrinking_averages_areas(tiny_archive):
    whole = read_archive(tiny_archive(), TINY, 105, None).images[7]
    small = read_archive(tiny_archive(), TINY, 7, None).images[7]
    by_hand = whole.reshape(7, 15, 7, 15).mean(axis=(1, 3))
    assert abs(small - by_hand).max() <= 0.5


def test_ink_can_be_framed(tiny_archive):
    framed = read_archive(tiny_archive(), TINY, 28, 20).images
    assert (framed == framed[0]).all()  # squares at different places are one once framed
    assert framed[0, 4:24, 4:24].min() == 255
    assert framed[0].sum() == 255 * 400


def test_only_images_named_as_omniglot_names_them_are_read(tiny_archive):
    strangers = {
        "../../outside/character01/0001_01.png": b"never read",
        "images_background/../character01/0001_01.png/evil": b"never read",
        "images_background/Alpha/character01/readme.txt": b"never read",
        "/images_background/Alpha/character09/0001_01.png": b"never read",
    }
    assert len(read_archive(tiny_archive(strangers), TINY, 28, None)) == 100


def test_a_second_call_reads_the_cache_and_a_damaged_cache_is_made_anew(
    tiny_archive, own_cache, monkeypatch, caplog
):
    monkeypatch.setitem(SPLITS, "background", TINY)
    archive = tiny_archive()
    first = omniglot("background", data=archive)
    (kept,) = (own_cache / "omniglot").glob("background-28-sheet-*.npz")
    stamp = kept.stat().st_mtime_ns
    assert (omniglot("background", data=archive).images == first.images).all()
    assert kept.stat().st_mtime_ns == stamp
    kept.write_bytes(kept.read_bytes()[:-1000])
    with caplog.at_level(logging.WARNING):
        assert (omniglot("background", data=archive.parent).images == first.images).all()
    assert "damaged" in caplog.text
    assert kept.stat().st_mtime_ns != stamp


def test_another_size_or_another_archive_has_a_cache_of_its_own(tiny_archive, own_cache, monkeypatch):
    monkeypatch.setitem(SPLITS, "background", TINY)
    omniglot("background", data=tiny_archive())
    omniglot("background", data=tiny_archive(), image_size=14)
    omniglot("background", data=tiny_archive(), ink_size=20)
    omniglot("background", data=tiny_archive({"note.txt": b"other bytes"}))
    assert len(list((own_cache / "omniglot").iterdir())) == 4


def test_a_cache_that_cannot_be_written_costs_only_time(tiny_archive, tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ABCLUST_CACHE", str(tmp_path / "file"))
    monkeypatch.setitem(SPLITS, "background", TINY)
    assert len(omniglot("background", data=tiny_archive())) == 100
    assert "could not be kept" in caplog.text


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99])
def test_a_truncated_archive_is_a_clear_error(tiny_archive, own_cache, keep):
    archive = tiny_archive()
    content = archive.read_bytes()
    archive.write_bytes(content[: int(keep * len(content))])
    with pytest.raises(FileFormatError, match="truncated"):
        omniglot("background", data=archive)


def test_a_whole_archive_of_something_else_is_a_clear_error(tiny_archive, own_cache):
    with pytest.raises(FileFormatError, match=r"964 characters and 19280 images\. Got 2, 5 and 100"):
        omniglot("background", data=tiny_archive())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no image at all", "unreadable"),
        (bytes(200_000), "at most 100000 bytes"),
    ],
)
def test_a_member_that_is_no_image_or_too_large_is_named(tiny_archive, content, message):
    archive = tiny_archive({"images_background/Beta/character02/0001_07.png": content})
    with pytest.raises(FileFormatError, match=f"{message}.*character02/0001_07"):
        read_archive(archive, TINY, 28, None)


def test_an_image_of_another_size_is_never_decoded(tiny_archive):
    buffer = io.BytesIO()
    Image.fromarray(np.zeros((104, 105), np.uint8)).save(buffer, format="PNG")
    archive = tiny_archive({"images_background/Beta/character02/0001_07.png": buffer.getvalue()})
    with pytest.raises(FileFormatError, match="105 x 105 pixels"):
        read_archive(archive, TINY, 28, None)


def test_a_flipped_byte_is_found_by_the_checksum_of_the_member(tiny_archive):
    archive = tiny_archive()
    with zipfile.ZipFile(archive) as opened:
        info = opened.infolist()[5]
    content = bytearray(archive.read_bytes())
    content[info.header_offset + 30 + len(info.filename) + info.compress_size // 2] ^= 0xFF
    archive.write_bytes(content)
    with pytest.raises(FileFormatError, match="undamaged"):
        read_archive(archive, TINY, 28, None)


@pytest.mark.parametrize(
    "options", [{"split": "training"}, {"image_size": 0}, {"image_size": 28, "ink_size": 29}, {"ink_size": 0}]
)
def test_impossible_options_are_refused(options):
    with pytest.raises(InvalidInputError):
        omniglot(**options)
