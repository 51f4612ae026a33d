"""Framing: any size, polarity and contrast into one frame; resampling against plain loops."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from abclust.datasets import frame_image, frame_images, sheet_image
from abclust.datasets.image_resampling import resample, resampling_matrix
from abclust.foundations.errors import FileFormatError, InvalidInputError


def stroke(height=40, width=10, sheet=(105, 90), at=(10, 20), ink=0, paper=255):
    pixels = np.full(sheet, paper, dtype=np.uint8)
    pixels[at[0] : at[0] + height, at[1] : at[1] + width] = ink
    return pixels


@given(st.integers(1, 23), st.integers(1, 23))
def test_resampling_weights_sum_to_one_and_keep_constants(old, new):
    np.testing.assert_allclose(resampling_matrix(old, new).sum(axis=1), 1.0)
    np.testing.assert_allclose(resample(np.full((2, old, old), 0.3), new, new), 0.3, rtol=1e-5)


def test_shrinking_equals_the_average_over_a_fine_grid():
    image = np.random.default_rng(0).random((7, 11))
    fine = np.repeat(np.repeat(image, 3, axis=0), 5, axis=1)  # 21 x 55: 3 rows and 5 columns divide it evenly
    expected = fine.reshape(3, 7, 5, 11).mean(axis=(1, 3))
    np.testing.assert_allclose(resample(image, 3, 5), expected, rtol=1e-5)


def test_growing_equals_numpy_interpolation_between_pixel_centres():
    row = np.random.default_rng(1).random(5)
    centres = (np.arange(13) + 0.5) * 5 / 13 - 0.5
    expected = np.interp(centres, np.arange(5), row)
    np.testing.assert_allclose(resampling_matrix(5, 13) @ row, expected)


@given(st.integers(0, 60), st.integers(0, 70), st.sampled_from(["dark", "bright"]))
def test_neither_place_nor_polarity_nor_contrast_changes_the_frame(top, left, ink):
    reference = frame_image(stroke())
    dark = stroke(at=(top, left), ink=90, paper=200)
    moved = frame_image(dark if ink == "dark" else 255 - dark, ink="auto")
    np.testing.assert_allclose(moved, reference, atol=1e-6)


def test_the_longer_side_of_the_ink_has_the_stated_size_and_is_centred():
    for height, width in ((40, 10), (10, 40), (3, 5), (1, 1)):
        framed = frame_image(stroke(height, width), size=31, ink_size=21)
        rows, columns = np.flatnonzero(framed.any(axis=1)), np.flatnonzero(framed.any(axis=0))
        spans = (rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1)
        assert max(spans) == 21
        assert spans == (round(height * 21 / max(height, width)), round(width * 21 / max(height, width)))
        assert abs(rows[0] - (30 - rows[-1])) <= 1
        assert abs(columns[0] - (30 - columns[-1])) <= 1


def test_polarity_can_be_forced_where_the_border_misleads():
    filled = np.zeros((11, 11), dtype=np.uint8)
    filled[4:7, 4:7] = 255  # a bright hole in dark ink that fills the sheet
    assert frame_image(filled, ink="auto")[14, 14] == 1
    assert not frame_image(filled, ink="dark").any()


def test_blank_images_stay_blank_and_noise_is_not_ink():
    noise = np.random.default_rng(0).integers(250, 253, (17, 19), dtype=np.uint8)
    assert not frame_images(np.stack([np.full((17, 19), 255, np.uint8), noise])).any()


def test_every_kind_of_image_gives_the_same_frame(tmp_path):
    pixels = stroke()
    path = tmp_path / "stroke.png"
    Image.fromarray(pixels).save(path)
    transparent = np.zeros((105, 90, 4), np.uint8)
    transparent[..., 3] = 255 - pixels  # black ink on nothing
    kinds = [
        pixels,
        pixels / 255,
        pixels > 128,
        np.repeat(pixels[..., None], 3, axis=2),
        pixels[..., None],
        Image.fromarray(pixels),
        Image.fromarray(pixels).convert("RGB"),
        Image.fromarray(pixels).convert("P"),
        Image.fromarray(transparent),
        Image.fromarray(pixels.astype(np.uint16) * 257),
        Image.fromarray(pixels.astype(np.float32) / 255),
        path,
        str(path),
    ]
    framed = frame_images(kinds)
    assert framed.dtype == np.float32
    np.testing.assert_allclose(framed, np.repeat(framed[:1], len(kinds), axis=0), atol=1e-5)


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([], "at least one"),
        (np.zeros((2, 5), np.uint8), "image 0: an image must have the shape"),
        ([np.zeros((5, 5), np.uint8), np.zeros((5, 5), int)], "image 1: an image must be of uint8"),
        (np.full((1, 5, 5), 16.0), "0 to 1"),
        (np.full((1, 5, 5), np.nan), "0 to 1"),
        (np.zeros((1, 5, 5, 2), np.uint8), "shape"),
        ("folder/image.png", "sequence of images"),
    ],
)
def test_things_that_are_no_images_are_refused_by_place(images, message):
    with pytest.raises(InvalidInputError, match=message):
        frame_images(images)


@pytest.mark.parametrize("options", [{"ink": "red"}, {"ink_size": 29}, {"ink_size": 0}])
def test_impossible_frames_are_refused(options):
    with pytest.raises(InvalidInputError):
        frame_images(np.zeros((1, 5, 5), np.uint8), **options)


def test_an_image_larger_than_the_limit_is_refused_before_it_is_decoded(tmp_path, monkeypatch):
    monkeypatch.setattr("abclust.datasets.image_files.LARGEST_IMAGE", 9_000)
    path = tmp_path / "large.png"
    Image.fromarray(stroke()).save(path)
    path.write_bytes(path.read_bytes()[:200])  # a whole header alone: decoding would fail with other words
    with pytest.raises(FileFormatError, match=r"at most 9,000 pixels\. Got 90 x 105"):
        frame_image(path)


@pytest.mark.parametrize("side", [9_000, 30_000], ids=["above our limit", "above Pillow's own"])
def test_a_decompression_bomb_is_refused(tmp_path, side):
    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0))
    path = tmp_path / "bomb.png"
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    )
    with pytest.raises(FileFormatError, match="at most 64,000,000 pixels"):
        frame_image(path)


def test_a_sheet_keeps_the_size_and_the_place_of_its_ink():
    sheet = np.full((105, 105), 230, np.uint8)  # grey paper
    sheet[21:42, 63:70] = 20
    framed = sheet_image(sheet, size=45, cut_ink_size=30)
    rows, columns = (np.flatnonzero((framed > 0.01).any(axis=axis)) for axis in (1, 0))
    assert (rows[0], rows[-1], columns[0], columns[-1]) == (9, 17, 27, 29)
    assert framed.max() == 1.0


def test_a_sheet_that_is_not_square_is_not_stretched():
    sheet = np.zeros((40, 80), np.uint8)
    sheet[10:30, 30:50] = 255
    framed = sheet_image(sheet, size=40)
    rows, columns = (np.flatnonzero(framed.any(axis=axis)) for axis in (1, 0))
    assert (rows[0], rows[-1], columns[0], columns[-1]) == (15, 24, 15, 24)


@pytest.mark.parametrize("turned", [False, True])
def test_what_was_cut_to_its_ink_gets_the_margin_of_a_sheet(turned):
    cut = np.zeros((12, 9), np.uint8)
    cut[:, 4] = 255
    cut = cut.T if turned else cut
    np.testing.assert_array_equal(sheet_image(cut, 28, cut_ink_size=18), frame_image(cut, 28, 18))
    one_border = np.pad(cut, ((0, 1), (0, 1)))
    assert np.ptp(np.flatnonzero(sheet_image(one_border, 28, cut_ink_size=18).any(axis=int(not turned)))) > 20


def test_a_blank_sheet_stays_blank_and_impossible_frames_are_refused():
    assert not sheet_image(np.full((7, 5), 255, np.uint8), 28, 18).any()
    with pytest.raises(InvalidInputError, match="cut_ink_size"):
        sheet_image(np.zeros((5, 5), np.uint8), 28, 29)
