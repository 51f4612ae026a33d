"""Images of every form arrive in the network's frame."""

import numpy as np
import pytest
import torch
from PIL import Image
from tests.estimator.handmade_networks import FRAMING, strokes

from abclust.datasets.image_framing import frame_images
from abclust.datasets.image_resampling import resample
from abclust.estimator.image_input import read_images
from abclust.foundations.errors import InvalidInputError

WHOLE_SHEETS = {"image_size": 28, "ink_size": None}


@pytest.fixture
def images():
    return strokes(np.random.default_rng(3), 5)


def forms_of(images, folder):
    pictures = [Image.fromarray(image) for image in images]
    paths = [folder / f"{place}.png" for place in range(len(images))]
    for picture, path in zip(pictures, paths):
        picture.save(path)
    return {
        "uint8": images,
        "float": images / 255.0,
        "colour": np.repeat(images[..., None], 3, axis=-1),
        "tensor": torch.from_numpy(images),
        "nested lists": (images / 255.0).tolist(),
        "pictures": pictures,
        "paths": paths,
        "names": [str(path) for path in paths],
    }


@pytest.mark.parametrize("framing", [FRAMING, WHOLE_SHEETS, None])
def test_every_form_of_the_same_images_gives_the_same_array(framing, images, tmp_path):
    size = 31 if framing is None else 28
    found = {name: read_images(form, size, framing) for name, form in forms_of(images, tmp_path).items()}
    for name, array in found.items():
        assert array.shape == (5, size, size)
        np.testing.assert_allclose(array, found["uint8"], atol=1e-6, err_msg=name)


def test_with_an_ink_size_images_are_framed(images):
    np.testing.assert_array_equal(
        read_images(images, 28, FRAMING), frame_images(images, size=28, ink_size=20)
    )


def test_without_an_ink_size_the_whole_sheet_is_scaled_with_bright_ink(images):
    expected = resample(images / 255.0, 28, 28)
    np.testing.assert_allclose(read_images(images, 28, WHOLE_SHEETS), expected, atol=1e-6)
    np.testing.assert_allclose(read_images(255 - images, 28, WHOLE_SHEETS), expected, atol=1e-6)


def test_sheets_that_were_cut_to_their_ink_get_a_margin_if_the_framing_says_how_large(images):
    cut = np.full((2, 9, 9), 255, np.uint8)
    cut[:, :, 4] = 0
    framed = read_images(cut, 28, {**WHOLE_SHEETS, "cut_ink_size": 18})
    np.testing.assert_array_equal(framed, frame_images(cut, size=28, ink_size=18))
    assert read_images(cut, 28, WHOLE_SHEETS)[:, 0].any()


def test_images_of_different_sizes_make_one_framed_set(images):
    mixed = [images[0], np.pad(images[1], 5), Image.fromarray(images[2])]
    assert read_images(mixed, 28, FRAMING).shape == (3, 28, 28)


def test_a_network_without_framing_takes_floats_in_their_own_range_and_refuses_another_size(images):
    wide = images[:, :28, :28] / 16.0
    np.testing.assert_allclose(read_images(wide, 28, None), wide, atol=1e-5)
    with pytest.raises(InvalidInputError, match=r"28 x 28 pixels .* Got 31 x 31.*frame_images\(X, size=28\)"):
        read_images(images, 28, None)


@pytest.mark.parametrize("framing", [FRAMING, WHOLE_SHEETS])
def test_the_error_says_which_image_is_wrong(framing, images, tmp_path):
    (tmp_path / "bad.png").write_text("no image")
    with pytest.raises(InvalidInputError, match=r"image 1: .*bad\.png"):
        read_images([images[0], tmp_path / "bad.png"], 28, framing)
    with pytest.raises(InvalidInputError, match=r"image 0: .*Divide them"):
        read_images(images * 1.0, 28, framing)


def test_no_images_are_refused():
    with pytest.raises(InvalidInputError, match="at least one image"):
        read_images([], 28, FRAMING)
