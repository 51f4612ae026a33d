"""Serving: in the foreground until Ctrl-C, or beside a test for as long as it lasts."""

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import uvicorn

from abclust.foundations.errors import InvalidInputError
from abclust.web.application import build_application
from abclust.web.config import WebConfig

_GRACE_SECONDS = 5
_IDLE_SECONDS = 15
_MOST_CONNECTIONS = 1_024


class _Server(uvicorn.Server):
    """Calls when it listens, and closes the queue before it waits for open streams, which then end."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], Any]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.config.app.state.services.queue.close()  # type: ignore[union-attr]
        await super().shutdown(sockets)


def serve(config: WebConfig, started: Callable[[str], Any]) -> None:
    """Serve until the process gets SIGINT or SIGTERM.

    Parameters
    ----------
    config
        The settings.
    started
        Called once with the address, when requests are answered.

    Raises
    ------
    InvalidInputError
        If the host or the port cannot be had.
    """
    with _listening(config) as (listener, config):
        _server(config, lambda: started(address(config))).run(sockets=[listener])


@contextmanager
def running_server(config: WebConfig | None = None) -> Iterator[str]:
    """Serve in a thread and give the address; afterwards everything is gone.

    Parameters
    ----------
    config
        The settings; with port 0 any free port. By default loopback on a free port.
    """
    with _listening(config or WebConfig(port=0)) as (listener, config):
        started = threading.Event()
        server = _server(config, started.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            started.wait()
            yield address(config)
        finally:
            server.should_exit = True
            thread.join()


def address(config: WebConfig) -> str:
    """Where a browser on this machine finds the server.

    Examples
    --------
    >>> address(WebConfig(port=80, host="::1"))
    'http://[::1]:80'
    """
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(config.host, config.host)
    return f"http://[{host}]:{config.port}" if ":" in host else f"http://{host}:{config.port}"


@contextmanager
def _listening(config: WebConfig) -> Iterator[tuple[socket.socket, WebConfig]]:
    """A socket, and the settings with the port that it has."""
    try:
        found = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)
        listener = socket.create_server(found[0][4][:2], family=found[0][0], backlog=1_024)
    except OSError as error:
        raise InvalidInputError(
            f"host and port must be free on this machine. Got {config.host}:{config.port}: {error}. "
            "Choose another with --port."
        ) from error
    with listener:
        yield listener, replace(config, port=listener.getsockname()[1])


def _server(config: WebConfig, started: Callable[[], Any]) -> _Server:
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())
    return _Server(
        uvicorn.Config(
            build_application(config),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=_IDLE_SECONDS,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            ws="none",
            limit_concurrency=_MOST_CONNECTIONS,
        ),
        started,
    )
