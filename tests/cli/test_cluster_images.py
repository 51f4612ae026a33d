"""`abclust cluster` on folders of images: sets, unreadable files, bombs, and the tree of clusters."""

import json
import os
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.cli.conftest import Run, draw, rows_of

from abclust.cli.cluster_tree import MARK, check_tree, growing_tree
from abclust.estimator.set_clusterer import SetClusterer
from abclust.foundations.errors import FileFormatError, InvalidInputError
from abclust.zoo.loading import load


def test_a_folder_of_images_is_one_set_and_gets_what_the_estimator_gives(
    run: Run, images: Path, image_network: Path, tmp_path: Path
) -> None:
    done = run("cluster", images, "--model", image_network)
    assert done.exit_code == 0, done.output
    rows = rows_of(tmp_path / "labels.csv")
    assert [row["item"] for row in rows] == [f"{number}.png" for number in range(7)]
    paths = sorted(images.iterdir())
    expected = SetClusterer(load(image_network), random_state=0).cluster(paths)
    assert [int(row["cluster"]) for row in rows] == expected.labels.tolist()
    assert np.allclose(
        [float(row["confidence"]) for row in rows], expected.partition.confidence, atol=1e-4
    )  # images are framed once, not twice


def test_a_folder_of_folders_is_many_sets(
    run: Run, albums: Path, image_network: Path, tmp_path: Path
) -> None:
    assert run("cluster", albums, "--model", image_network, "--no-report").exit_code == 0
    names = [(row["set"], row["item"]) for row in rows_of(tmp_path / "labels.csv")]
    assert names == [("north", f"{n}.png") for n in range(5)] + [("south", f"{n}.png") for n in range(3)]


def test_folders_may_be_known_classes_to_be_scored_against(
    run: Run, albums: Path, image_network: Path
) -> None:
    done = run("cluster", albums, "--model", image_network, "--layout", "classes", "--no-report", "--json")
    (only,) = json.loads(done.stdout)["sets"]
    assert only["n_items"] == 8
    assert only["scores"] is not None


def test_an_unreadable_image_is_left_out_and_named(
    run: Run, images: Path, image_network: Path, tmp_path: Path
) -> None:
    (images / "3.png").write_bytes(b"not an image")
    done = run("cluster", images, "--model", image_network, "--no-report")
    assert done.exit_code == 3
    assert "left out" in done.stderr
    assert "3.png" in done.stderr
    assert [row["item"] for row in rows_of(tmp_path / "labels.csv")] == [
        f"{n}.png" for n in (0, 1, 2, 4, 5, 6)
    ]
    strict = run("cluster", images, "--model", image_network, "--strict", "--force")
    assert isinstance(strict.exception, FileFormatError)


def bomb(path: Path, side: int) -> None:
    """A PNG of a few kilobytes that says it is huge: a header, no pixels to speak of."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checksum = zlib.crc32(kind + content).to_bytes(4, "big")
        return len(content).to_bytes(4, "big") + kind + content + checksum

    header = side.to_bytes(4, "big") * 2 + bytes([8, 0, 0, 0, 0])
    rows = zlib.compress(bytes(1000), 9)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("side", [8_009, 60_013])
def test_a_decompression_bomb_is_refused_with_a_clear_reason(
    side: int, run: Run, images: Path, image_network: Path
) -> None:
    bomb(images / "bomb.png", side)
    done = run("cluster", images, "--model", image_network, "--no-report", "--json")
    assert done.exit_code == 3
    (skipped,) = json.loads(done.stdout)["skipped"]
    assert "bomb.png" in skipped["path"]
    assert "at most 64,000,000 pixels" in skipped["reason"]


def test_if_no_image_is_readable_nothing_is_written(
    run: Run, images: Path, image_network: Path, tmp_path: Path
) -> None:
    for path in images.iterdir():
        path.write_bytes(b"")
    done = run("cluster", images, "--model", image_network, "--tree", "sorted")
    assert isinstance(done.exception, FileFormatError)
    assert [path.name for path in tmp_path.iterdir()] == ["scans"]


@pytest.mark.parametrize("link", ["copy", "symlink"])
def test_the_tree_has_one_folder_for_each_cluster(
    link: str, run: Run, albums: Path, image_network: Path, tmp_path: Path
) -> None:
    options = ("--model", image_network, "--no-report", "-k", 2, "--tree", "sorted", "--link", link)
    done = run("cluster", albums, *options)
    assert done.exit_code == 0, done.output
    for row in rows_of(tmp_path / "labels.csv"):
        image = tmp_path / "sorted" / row["set"] / f"cluster-{row['cluster']}" / row["item"]
        assert image.is_symlink() == (link == "symlink")
        assert image.read_bytes() == (albums / row["set"] / row["item"]).read_bytes()
    assert len(list((tmp_path / "sorted").glob("*/cluster-*/*.png"))) == 8


def test_images_of_one_name_do_not_replace_each_other(run: Run, image_network: Path, tmp_path: Path) -> None:
    for number, name in enumerate(["a/1.png", "b/1.png", "c/1.PNG", "c/1-2.png"]):
        draw(tmp_path / "classes" / name, number)
    options = ("--layout", "classes", "-k", 1, "--tree", "sorted", "--no-report")
    assert run("cluster", "classes", "--model", image_network, *options).exit_code == 0
    found = sorted(path.name for path in (tmp_path / "sorted" / "cluster-0").iterdir())
    assert len({name.lower() for name in found}) == 4
    contents = {path.read_bytes() for path in (tmp_path / "sorted" / "cluster-0").iterdir()}
    assert len(contents) == 4


def test_a_tree_replaces_only_a_tree_and_only_by_force(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("precious")
    with pytest.raises(InvalidInputError, match="not even --force"):
        check_tree(tmp_path / "thesis", force=True)
    draw(tmp_path / "1.png", 1)
    for name, force in (("first", False), ("second", True)):
        with growing_tree(tmp_path / "sorted", "copy", force=force) as tree:
            tree.add(name, [tmp_path / "1.png"], np.array([0]))
    assert sorted(path.name for path in (tmp_path / "sorted").iterdir()) == [MARK, "second"]
    with pytest.raises(InvalidInputError, match="add --force"):
        check_tree(tmp_path / "sorted", force=False)
    (tmp_path / "empty").mkdir()
    check_tree(tmp_path / "empty", force=False)
    os.symlink(tmp_path / "sorted", tmp_path / "elsewhere")
    with pytest.raises(InvalidInputError, match="which is neither"):
        check_tree(tmp_path / "elsewhere", force=True)


def test_a_tree_that_fails_leaves_nothing_and_the_old_one_stands(tmp_path: Path) -> None:
    draw(tmp_path / "1.png", 1)
    with growing_tree(tmp_path / "sorted", "copy", force=False) as tree:
        tree.add("", [tmp_path / "1.png"], np.array([0]))
    with (
        pytest.raises(InvalidInputError, match="can be copied or linked"),
        growing_tree(tmp_path / "sorted", "copy", force=True) as tree,
    ):
        tree.add("", [tmp_path / "1.png", tmp_path / "gone.png"], np.array([0, 1]))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.png", "sorted"]
    assert (tmp_path / "sorted" / "cluster-0" / "1.png").is_file()


def test_arrays_of_images_are_framed_by_the_network(run: Run, image_network: Path, tmp_path: Path) -> None:
    images = np.full((5, 23, 29), 255, np.uint8)
    for number, image in enumerate(images):
        image[3 : 5 + number, 4:20] = 0
    np.save(tmp_path / "images.npy", images)
    for number, image in enumerate(images):
        (tmp_path / "folder").mkdir(exist_ok=True)
        Image.fromarray(image).save(tmp_path / "folder" / f"{number}.png")
    for source in ("images.npy", "folder"):
        done = run("cluster", source, "--model", image_network, "--no-report", "--output", f"{source}.csv")
        assert done.exit_code == 0, done.output
    columns = [
        [(row["cluster"], row["confidence"]) for row in rows_of(tmp_path / f"{source}.csv")]
        for source in ("images.npy", "folder")
    ]
    assert columns[0] == columns[1]
