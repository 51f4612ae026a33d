"""Thumbnails: small, recognisable, of any kind of image."""

import base64
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from abclust.foundations.errors import InvalidInputError
from abclust.report.thumbnails import thumbnailer

GREY_STEP = 17


def opened(uri):
    prefix, content = uri.split(",")
    assert prefix == "data:image/png;base64"
    return Image.open(BytesIO(base64.b64decode(content)))


def pixels_of(items, side=56, item=0):
    return np.asarray(opened(thumbnailer(items, side)(item)).convert("RGB"), dtype=int)


RAMP = np.linspace(0, 1, 7 * 11).reshape(7, 11)


@pytest.mark.parametrize(
    "items",
    [
        (255 * RAMP).astype(np.uint8)[None],
        RAMP[None],
        RAMP[None, ..., None],
        16 * RAMP[None],  # scikit-learn's digits
        RAMP[None].astype(np.float32),
        [Image.fromarray((255 * RAMP).astype(np.uint8))],
        [Image.fromarray((65535 * RAMP).astype(np.uint16))],
        [Image.fromarray(RAMP.astype(np.float32))],
        [np.repeat(RAMP[..., None], 3, axis=2)],
    ],
    ids=["uint8", "float", "channel", "digits", "float32", "PIL", "16 bits", "PIL float", "grey in colour"],
)
def test_grey_of_every_kind_keeps_its_values_to_half_a_step(items):
    expected = np.repeat(255 * RAMP[..., None], 3, axis=2)
    assert np.abs(pixels_of(items) - expected).max() <= GREY_STEP / 2 + 1.5


def test_one_range_for_the_whole_set_keeps_faint_images_faint():
    items = np.stack([100 * RAMP, 10 * RAMP])
    assert pixels_of(items, item=1).max() <= 0.1 * 255 + GREY_STEP


def test_colours_stay_and_few_of_them_exactly():
    image = np.zeros((5, 7, 3), dtype=np.uint8)
    image[:, :3], image[:, 3:] = (200, 30, 60), (10, 120, 240)
    np.testing.assert_array_equal(pixels_of([image]), image)


def test_what_is_transparent_is_white_paper():
    image = Image.new("RGBA", (5, 3), (255, 0, 0, 0))
    assert (pixels_of([image]) == 255).all()


@pytest.mark.parametrize(
    ("shape", "expected"), [((112, 28), (14, 56)), ((30, 90), (56, 19)), ((9, 9), (9, 9))]
)
def test_the_longer_side_is_limited_and_the_shape_kept(shape, expected):
    assert opened(thumbnailer(np.zeros((1, *shape)), 56)(0)).size == expected


def test_files_are_read_and_one_that_has_gone_costs_only_its_picture(tmp_path, caplog):
    paths = [tmp_path / "here.png", tmp_path / "gone.png"]
    Image.new("L", (5, 7), 255).save(paths[0])
    make = thumbnailer(paths, 56)
    assert opened(make(0)).size == (5, 7)
    assert make(1) is None
    assert "no thumbnail of item 1" in caplog.text


def test_not_a_number_is_black():
    items = RAMP[None].copy()
    items[0, -1, -1] = np.nan
    assert pixels_of(items)[-1, -1].max() == 0


def test_what_is_no_image_is_refused():
    with pytest.raises(InvalidInputError, match="an image must have the shape"):
        thumbnailer(np.zeros((1, 5, 7, 2)), 56)(0)


def test_a_drawn_character_takes_a_few_hundred_bytes():
    stroke = np.zeros((1, 28, 28))
    stroke[0, 4:24, 12:16] = stroke[0, 10:13, 5:22] = 1
    assert len(thumbnailer(stroke, 56)(0)) < 300
