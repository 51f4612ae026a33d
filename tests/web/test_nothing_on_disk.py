"""What a client sends never meets the disk, by name or by content."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.web.small_uploads import Client, archive, picture, points_csv

from abclust.storage.memory_file import MemoryFile
from abclust.web.config import MEGABYTE, WebConfig
from abclust.web.server import running_server
from abclust.web.tasks import ClusterTask, FoundClusters, ReadLimits, ReportTask
from abclust.web.worker_tasks import do_task

NAME = "a-name-to-look-for"
_SEEN: list[str] | None = None
_LOCK = threading.Lock()


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: Python tells it of every file that is opened or made."""
    if _SEEN is None or event not in (
        "open",
        "os.mkdir",
        "os.rename",
        "tempfile.mkstemp",
        "tempfile.mkdtemp",
    ):
        return
    path, mode = str(arguments[0]), str(arguments[1] if event == "open" else "w")
    is_write = event != "open" or any(letter in mode for letter in "wax+")
    if (is_write and path != "/dev/null") or NAME in path:
        _SEEN.append(f"{event} {path} {mode}")


sys.addaudithook(_watch)  # cannot be taken off, only told to look away


@contextmanager
def seen() -> Iterator[list[str]]:
    global _SEEN
    with _LOCK:
        _SEEN = found = []
        try:
            yield found
        finally:
            _SEEN = None


def test_the_watch_sees_what_it_should(tmp_path: Any) -> None:
    with seen() as found:
        (tmp_path / "x").write_text("x")
    assert len(found) == 1


def test_an_upload_of_megabytes_stays_in_the_servers_memory() -> None:
    padding = b"#" * (3 * MEGABYTE)  # far beyond what a form parser keeps in memory by itself
    with running_server(WebConfig(port=0, workers=1)) as address:
        client = Client(address)
        client.get("/api/models")
        with seen() as found:
            done = client.cluster((f"../{NAME}.png", picture(1) + padding), (f"{NAME}.png", picture(2)))
            assert done.status_code == 200
            place = f"/api/answers/{done.json()['id']}"
            for file in ("labels.csv", "report.html", "clusters.zip"):
                assert client.get(f"{place}/{file}").status_code == 200
            client.get(f"/static/{NAME}")
            client.cluster((f"{NAME}.csv", points_csv(3)), model=f"./{NAME}")
    assert found == []


def test_what_a_worker_does_stays_in_memory() -> None:
    limits = ReadLimits(most_items=11, most_columns=3, unpacked_bytes=MEGABYTE)
    packed = MemoryFile(f"{NAME}.zip", archive({f"../{NAME}.png": picture(1), f"/{NAME}": b"?"}))
    images = ClusterTask((packed,), "omniglot", None, None, limits)
    table = ClusterTask((MemoryFile(f"{NAME}.csv", points_csv(5)),), "vectors", None, None, limits)
    for task in (images, table):
        do_task(task, lambda progress: None)  # modules and weights are loaded
        with seen() as found:
            answer = do_task(task, lambda progress: None)
            assert isinstance(answer, FoundClusters)
            assert do_task(ReportTask(answer), lambda progress: None).startswith("<!doctype html>")
        assert found == []
