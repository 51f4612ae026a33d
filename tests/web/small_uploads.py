"""What a client is in these tests, and the small things that it sends."""

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import requests
from PIL import Image, ImageDraw

MOST_ITEMS = 103


class Client:
    """Sends requests to one server."""

    def __init__(self, address: str) -> None:
        self.address = address

    def get(self, path: str, **options: object) -> requests.Response:
        return requests.get(self.address + path, timeout=300, **options)  # type: ignore[arg-type]

    def post(self, path: str, **options: object) -> requests.Response:
        return requests.post(self.address + path, timeout=300, **options)  # type: ignore[arg-type]

    def delete(self, path: str, **options: object) -> requests.Response:
        return requests.delete(self.address + path, timeout=300, **options)  # type: ignore[arg-type]

    def cluster(self, *files: tuple[str, bytes], **fields: str) -> requests.Response:
        return self.post("/api/cluster", files=[("files", file) for file in files], data=fields)

    def start(self, *files: tuple[str, bytes], **fields: str) -> dict[str, str]:
        """Start a job; its id and where its events are."""
        done = self.post("/api/jobs", files=[("files", file) for file in files], data=fields)
        assert done.status_code == 202, done.text
        return done.json()

    def events(self, path: str) -> list[tuple[str, dict[str, Any]]]:
        """All events of a job up to its end."""
        return list(self.following(path))

    def following(self, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events of a job as they come."""
        with self.get(path, stream=True) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            name = ""
            for line in stream.iter_lines(chunk_size=1, decode_unicode=True):
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield name, json.loads(line.removeprefix("data: "))


def picture(seed: int, side: int = 31) -> bytes:
    """A line on white paper, as a PNG file."""
    rng = np.random.default_rng(seed)
    sheet = Image.new("L", (side, side + 6), "white")
    ends = [(int(rng.integers(side)), int(rng.integers(side))) for _ in range(3)]
    ImageDraw.Draw(sheet).line(ends, fill=0, width=3)
    return png(sheet)


def png(image: Image.Image) -> bytes:
    """An image as a PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def points_csv(n_points: int, seed: int = 0, *, labels: bool = False) -> bytes:
    """Two groups of points as a table with the columns x, y and perhaps group."""
    rng = np.random.default_rng(seed)
    rows = ["x,y,group" if labels else "x,y"]
    for number in range(n_points):
        x, y = rng.normal(scale=0.05, size=2) + (number % 2)
        rows.append(f"{x:.4f},{y:.4f}" + (f",{'ab'[number % 2]}" if labels else ""))
    return "\n".join(rows).encode()


def archive(members: dict[str, bytes]) -> bytes:
    """A .zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return buffer.getvalue()
