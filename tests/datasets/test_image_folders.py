"""Folders of images as sets: the three layouts, unreadable images, refusals."""

import logging
from functools import partial

import numpy as np
import pytest
from PIL import Image

from abclust.datasets import LabelledSet, UnlabelledSet, frame_image, read_sets
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError


def draw(path, number=1):
    """An image whose ink is `number` pixels wide and 10 high."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.full((17, 23 + number), 255, dtype=np.uint8)
    pixels[3:13, 2 : 2 + number] = 0
    Image.fromarray(pixels).save(path)


def test_images_alone_are_one_set_without_labels(tmp_path):
    for name, number in (("b.png", 2), ("a.PNG", 4), (".hidden.png", 3)):
        draw(tmp_path / "things" / name, number)
    (tmp_path / "things" / "notes.txt").write_text("no image")
    (only,) = read_sets(tmp_path / "things")
    assert isinstance(only, UnlabelledSet)
    assert (only.name, only.item_names, only.items.shape) == ("things", ("a.PNG", "b.png"), (2, 28, 28))
    assert only.items[0].sum() == pytest.approx(20 * 8)  # 10 x 4 pixels scaled by 2


def test_folders_of_images_are_the_classes_of_one_set(tmp_path):
    for name in ("dog/2.png", "animals/1.png", "dog/1.png"):  # a class may be called as the whole
        draw(tmp_path / "animals" / name)
    (only,) = read_sets(tmp_path / "animals")
    assert isinstance(only, LabelledSet)
    assert (only.name, only.labels.tolist()) == ("animals", [0, 1, 1])
    assert only.item_names == ("animals/1.png", "dog/1.png", "dog/2.png")


def test_folders_of_images_are_sets_if_asked_for(tmp_path):
    for name in ("monday/1.png", "tuesday/1.png", "tuesday/2.png"):
        draw(tmp_path / name)
    sets = list(read_sets(tmp_path, layout="sets"))
    assert [(each.name, each.item_names) for each in sets] == [
        ("monday", ("1.png",)),
        ("tuesday", ("1.png", "2.png")),
    ]
    assert all(isinstance(each, UnlabelledSet) for each in sets)


def test_folders_of_folders_are_labelled_sets(tmp_path):
    for name in ("greek/alpha/1.png", "greek/beta/1.png", "latin/a/1.png", "latin/a/2.png"):
        draw(tmp_path / name)
    greek, latin = read_sets(tmp_path)
    assert (greek.name, greek.labels.tolist(), greek.item_names) == (
        "greek",
        [0, 1],
        ("alpha/1.png", "beta/1.png"),
    )
    assert (latin.name, latin.labels.tolist()) == ("latin", [0, 0])


def test_one_unreadable_image_is_named_skipped_and_counted_in_every_pass(tmp_path, caplog):
    draw(tmp_path / "a" / "good.png")
    (tmp_path / "a" / "bad.png").write_bytes(b"\x89PNG nothing more")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "worse.jpg").write_bytes(b"")
    source = read_sets(tmp_path)
    for _ in range(2):
        with caplog.at_level(logging.WARNING):
            (only,) = source
        assert only.item_names == ("a/good.png",)
        assert [skip.path for skip in source.skipped] == [
            str(tmp_path / "a" / "bad.png"),
            str(tmp_path / "b" / "worse.jpg"),
        ]
        assert "readable" in source.skipped[0].reason
    assert "bad.png" in caplog.text


def test_strict_reading_stops_at_the_first_unreadable_image(tmp_path):
    draw(tmp_path / "good.png")
    (tmp_path / "bad.png").write_bytes(b"nothing")
    with pytest.raises(FileFormatError, match=r"bad\.png"):
        list(read_sets(tmp_path, strict=True))


def test_a_truncated_image_is_skipped_too(tmp_path):
    draw(tmp_path / "good.png")
    noise = np.random.default_rng(0).integers(0, 256, (101, 101), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "half.png")
    (tmp_path / "half.png").write_bytes((tmp_path / "half.png").read_bytes()[:5000])
    source = read_sets(tmp_path)
    assert [each.item_names for each in source] == [("good.png",)]
    assert len(source.skipped) == 1


def test_nothing_readable_at_all_is_an_error(tmp_path):
    (tmp_path / "bad.png").write_bytes(b"nothing")
    with pytest.raises(FileFormatError, match="none of 1"):
        list(read_sets(tmp_path))


def test_the_preparation_is_the_callers(tmp_path):
    draw(tmp_path / "a.png")
    (only,) = read_sets(tmp_path, prepare=partial(frame_image, size=13, ink_size=11))
    assert only.items.shape == (1, 13, 13)


def test_images_prepared_to_different_sizes_do_not_make_a_set(tmp_path):
    draw(tmp_path / "a.png", 1)
    draw(tmp_path / "b.png", 2)
    with pytest.raises(InvalidInputError, match="one size"):
        list(read_sets(tmp_path, prepare=np.asarray))


def test_images_at_different_depths_are_refused_with_an_example_of_each(tmp_path):
    draw(tmp_path / "a.png")
    draw(tmp_path / "x" / "b.png")
    with pytest.raises(InvalidInputError, match=r"'a\.png', 'x/b\.png'"):
        read_sets(tmp_path)


def test_folders_without_images_and_folders_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(DataNotFoundError, match="must hold images"):
        read_sets(tmp_path)
    with pytest.raises(DataNotFoundError, match="is there"):
        read_sets(tmp_path / "nowhere")


def test_columns_do_not_go_with_folders_and_single_images_are_no_source(tmp_path):
    draw(tmp_path / "a.png")
    with pytest.raises(InvalidInputError, match="for tables"):
        read_sets(tmp_path, label_column="label")
    with pytest.raises(InvalidInputError, match="folder that holds the images"):
        read_sets(tmp_path / "a.png")
