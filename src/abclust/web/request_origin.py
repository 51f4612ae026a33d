"""Whether a request was meant for this server, and made by its own page."""

import ipaddress
import socket
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from abclust.web.api_errors import ApiError, malformed
from abclust.web.config import WebConfig, is_loopback


def check_host(host: str, config: WebConfig) -> None:
    """Refuse a request that was made for another machine's name.

    A page from elsewhere can let its own name point at this machine (DNS rebinding) and would then share an
    origin with the server; its requests still carry that name.

    Raises
    ------
    ApiError
        400 if the name is not one of this server.
    """
    name = _host_name(host)
    is_ours = is_loopback(name) or name in {config.host.lower(), *map(str.lower, config.allowed_hosts)}
    if not is_ours and not config.is_loopback:
        # An address cannot be rebound, only a name can.
        is_ours = _is_address(name) or name == socket.gethostname().lower()
    if not is_ours:
        raise ApiError(
            400,
            "wrong_host",
            f"the Host of a request must be this server. Got {host[:100]!r}. "
            "Name it with --allow-host if it is.",
        )


def check_origin(headers: Headers) -> None:
    """Refuse what a page from elsewhere sends in the name of the person who looks at it.

    Raises
    ------
    ApiError
        400 if the request says that it comes from another origin.
    """
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    is_foreign = origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    is_navigation = headers.get("sec-fetch-mode") == "navigate" and origin is None
    if is_foreign or (site in ("cross-site", "same-site") and not is_navigation):
        raise malformed("a request must come from the page of this server. Got one from another origin.")


def _host_name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
