"""What several tests of data need: a cache that is not the user's, and tiny archives."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image


@pytest.fixture
def own_cache(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("ABCLUST_CACHE", str(folder))
    return folder


def png(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


def sheet(number: int) -> np.ndarray:
    """A white sheet of Omniglot's size with a black square whose place tells the number."""
    pixels = np.full((105, 105), 255, dtype=np.uint8)
    pixels[number : number + 15, 30:45] = 0
    return pixels


@pytest.fixture
def tiny_archive(tmp_path):
    """Writes an archive of 2 alphabets, 3 and 2 characters by 20 writers; more can be slipped in."""

    def write(extra: dict[str, bytes] | None = None, name: str = "images_background.zip") -> Path:
        members = {}
        for alphabet, n_characters in (("Beta", 2), ("Alpha", 3)):
            for character in range(1, n_characters + 1):
                for writer in range(20, 0, -1):
                    path = f"images_background/{alphabet}/character{character:02d}/0001_{writer:02d}.png"
                    members[path] = png(sheet(10 * character + writer))
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in (members | (extra or {})).items():
                archive.writestr(member, content)
        return path

    return write
