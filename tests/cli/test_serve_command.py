"""`abclust serve` as a real process: it says where it is, bears many clients at once, and ends when told."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from typer.testing import CliRunner

from abclust.cli.app import app

COMMAND = [sys.executable, "-c", "from abclust.cli.app import main; main()", "serve"]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
N_CLIENTS = 200


@contextmanager
def serving(*options: str, folder: Path | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and its address, as it prints it."""
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", "--no-browser", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        cwd=folder,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, (line, process.stderr and process.stderr.read())
        yield process, found.group()
    finally:
        process.kill()
        process.communicate()


def family(pid: int) -> set[int]:
    """A process and all that came of it."""
    table = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout
    parents = {int(line.split()[0]): int(line.split()[1]) for line in table.splitlines()}
    found, size = {pid}, 0
    while len(found) != size:
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2] if Path("/proc").is_dir() else True


def table_of(client: int) -> bytes:
    """Nobody else's table: its length and its labels tell whose it is."""
    rows = [f"{0.01 * row},{client / N_CLIENTS},{client}-{row}" for row in range(2 + client % 5)]
    return ("x,y,owner\n" + "\n".join(rows)).encode()


def test_two_hundred_clients_at_once_each_get_their_own_answer_and_ctrl_c_ends_everything(
    tmp_path: Path,
) -> None:
    with serving("--workers", "2", folder=tmp_path) as (process, address):

        def ask(client: int) -> tuple[int, requests.Response]:
            files = {"files": ("p.csv", table_of(client) if client % 10 else b"\xff not a table")}
            data = {"model": "circles", "label_column": "owner"}
            return client, requests.post(f"{address}/api/cluster", files=files, data=data, timeout=600)

        with ThreadPoolExecutor(N_CLIENTS) as threads:
            answers = list(threads.map(ask, range(N_CLIENTS)))
        for client, answer in answers:
            if client % 10 == 0:
                assert answer.status_code == 422, answer.text
            else:
                assert answer.status_code == 200, answer.text
                owners = answer.json()["true_labels"]
                assert owners == [f"{client}-{row}" for row in range(2 + client % 5)]
        assert len({answer.json()["id"] for _, answer in answers if answer.status_code == 200}) == 180
        queue = requests.get(f"{address}/health", timeout=60).json()["queue"]
        assert (queue["waiting"], queue["running"]) == (0, 0)

        members = family(process.pid)
        assert len(members) >= 3  # the server and its workers
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
        assert process.returncode == 0
        assert told == "abclust has ended.\n"
        assert not [pid for pid in members if is_there(pid)]
        assert list(tmp_path.iterdir()) == []


def test_sigterm_ends_it_too_even_with_a_stream_open() -> None:
    with serving("--workers", "1") as (process, address):
        job = requests.post(f"{address}/api/jobs/examples/digits", timeout=60).json()
        with requests.get(address + job["events"], stream=True, timeout=60) as stream:
            next(stream.iter_lines())
            process.terminate()
            _, told = process.communicate(timeout=120)
        assert process.returncode == 143
        assert "Traceback" not in told


def test_a_server_for_others_needs_a_token() -> None:
    done = subprocess.run(
        [*COMMAND, "--host", "0.0.0.0", "--port", "0", "--no-browser"],
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in ENVIRONMENT.items() if name != "ABCLUST_TOKEN"},
    )
    assert done.returncode == 2
    assert done.stderr.startswith("abclust: error: host must be loopback")
    assert "--token" in done.stderr


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['fastapi'] = None\n"
        "from abclust.cli.app import main\n"
        "sys.argv = ['abclust', 'serve']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'abclust[web]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "statement", ["import abclust", "import abclust.cli.app", "import abclust.web.tasks"]
)
def test_nobody_pays_for_the_page_who_does_not_serve_it(statement: str) -> None:
    script = f"import sys; {statement}; print('fastapi' in sys.modules, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_server_itself_starts_without_torch() -> None:
    script = "import sys, abclust.web.server; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_help_tells_the_limits() -> None:
    shown = CliRunner().invoke(app, ["serve", "--help"]).output
    for word in ("--port", "--host", "--no-browser", "--token", "--job-seconds", "Examples"):
        assert word in shown
