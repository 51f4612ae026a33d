"""``abclust serve``: the page, on this machine."""

import importlib.util
import logging
import webbrowser
from contextlib import suppress
from typing import Annotated
from urllib.parse import urlencode

import typer

from abclust.foundations.errors import MissingExtraError

_PACKAGES = {"fastapi": "fastapi", "uvicorn": "uvicorn", "python_multipart": "python-multipart"}

EPILOG = """Examples:

abclust serve

abclust serve --port 9000 --no-browser --model mine.safetensors

ABCLUST_TOKEN=... abclust serve --host 0.0.0.0 --no-browser

curl -F files=@scans.zip -F model=omniglot http://127.0.0.1:8765/api/cluster

Ctrl-C ends it. What clients send stays in memory and is forgotten with the server."""


def serve(
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="0 takes any free port.")
    ] = 8765,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; other than loopback needs a token.")
    ] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser.")] = False,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="ABCLUST_TOKEN",
            help="What clients must show: as a Bearer token, or as ?token= once in the browser.",
            show_default=False,
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", help="Name of this machine in the address bar; may be repeated."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", help="Network file to offer besides the shipped weights; may be repeated."
        ),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", "-w", min=1, help="Processes that compute.")] = 2,
    job_seconds: Annotated[
        float, typer.Option("--job-seconds", min=0.1, help="Computing time of one job; then it is stopped.")
    ] = 120.0,
    most_items: Annotated[
        int, typer.Option("--most-items", min=1, help="Images, or rows of a table, of one set.")
    ] = 2_000,
    request_megabytes: Annotated[
        int, typer.Option("--request-megabytes", min=1, help="Size of one request.")
    ] = 64,
    queue_capacity: Annotated[
        int, typer.Option("--queue-capacity", min=1, help="Jobs that wait or run at a time.")
    ] = 256,
    answer_seconds: Annotated[
        float, typer.Option("--answer-seconds", min=1, help="How long an answer is kept after its last use.")
    ] = 3_600.0,
) -> None:
    """Open the page: drop pictures or a table in, see the clusters, correct them, take them away.

    A JSON interface is behind it; /openapi.json describes it. Only this machine can reach it unless --host
    says otherwise.
    """
    for module, package in _PACKAGES.items():
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(package, "web", "abclust serve")
    from abclust.web.config import WebConfig
    from abclust.web.server import serve as serve_until_ended

    config = WebConfig(
        host=host,
        port=port,
        token=token,
        allowed_hosts=tuple(allow_host or ()),
        models=tuple(model or ()),
        workers=workers,
        job_seconds=job_seconds,
        most_items=most_items,
        request_megabytes=request_megabytes,
        queue_capacity=queue_capacity,
        answer_seconds=answer_seconds,
    )
    logging.basicConfig(level=logging.WARNING, format="abclust: %(message)s")

    def started(address: str) -> None:
        typer.echo(f"abclust is at {address}  (Ctrl-C ends it)")
        if token is not None:
            typer.echo("Once in each browser the address must end in /?token= and the token.")
        if not no_browser:
            webbrowser.open(address + ("" if token is None else f"/?{urlencode({'token': token})}"))

    with suppress(KeyboardInterrupt):  # the usual end of a server
        serve_until_ended(config, started)
    typer.echo("abclust has ended.", err=True)
