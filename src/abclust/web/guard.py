"""Who may ask, and what a browser may do with the page: checks before every request, headers on every answer.

Written for ASGI itself, below the framework, so that nothing is answered around it.
"""

import hashlib
import hmac
import json
import logging
import secrets
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from abclust.web.api_errors import ApiError, internal, too_many, unauthorised
from abclust.web.config import WebConfig
from abclust.web.request_origin import check_host, check_origin

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OPEN_PATHS = frozenset({"/health"})
"""Answered without a token: they tell nothing of anybody's."""
WRONG_TOKENS = 20
"""Wrong tokens from one address in a minute, before it must wait."""
_ADDRESSES_KEPT = 10_000

logger = logging.getLogger(__name__)


class Guard:
    """The gate in front of an application.

    Parameters
    ----------
    application
        What is behind it.
    config
        Host, allowed names, token.
    """

    def __init__(self, application: ASGIApp, config: WebConfig) -> None:
        self._application, self._config = application, config
        self._token = config.token
        self._tries = _Tries()
        # Not the token itself, and of no worth once the server has ended.
        key = secrets.token_bytes(32)
        self._cookie = hmac.new(key, (config.token or "").encode("ascii"), hashlib.sha256).hexdigest()
        self._cookie_name = f"abclust_{config.port}"  # cookies do not know ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on, and put the headers on whatever is answered."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._application(scope, receive, send)
            return

        has_begun = False

        async def guarded_send(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        try:
            check_host(headers.get("host", ""), self._config)
            check_origin(headers)
            location = self._admit(scope, headers)
        except ApiError as error:
            await _respond(guarded_send, error.status, error.to_dict())
            return
        if location is not None:
            await self._redirect(guarded_send, location)
            return
        try:
            await self._application(scope, receive, guarded_send)
        except Exception:
            logger.exception("a request failed")
            if has_begun:
                raise  # the connection is closed: half an answer must not look like a whole one
            await _respond(guarded_send, 500, internal().to_dict())

    def _admit(self, scope: Scope, headers: Headers) -> str | None:
        """None lets the request pass; an address is where a browser goes on, with its cookie."""
        if self._token is None or scope["path"] in OPEN_PATHS:
            return None
        client = (scope.get("client") or ("", 0))[0]
        if hmac.compare_digest(self._given_cookie(headers), self._cookie):
            return None
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        bearer = headers.get("authorization", "")
        in_query = next((value for name, value in query if name == "token"), None)
        given = bearer[7:] if bearer.lower().startswith("bearer ") else in_query
        if given is None:
            raise unauthorised(
                "a request must show the token: as 'Authorization: Bearer ...', or open the address with "
                "?token=... once in the browser."
            )
        self._tries.check(client)
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode("ascii")):
            self._tries.note(client)
            raise unauthorised("the token must be the one the server was started with. Got another.")
        if bearer or scope["method"] != "GET":
            return None
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        return scope["path"] + (f"?{rest}" if rest else "")

    def _given_cookie(self, headers: Headers) -> str:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return ""
        value = cookies[self._cookie_name].value if self._cookie_name in cookies else ""
        return value if value.isascii() else ""

    async def _redirect(self, send: Send, location: str) -> None:
        cookie = f"{self._cookie_name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"
        # One slash: "//elsewhere.org" would be another machine.
        headers = {"location": "/" + location.lstrip("/"), "set-cookie": cookie}
        await _respond(send, 303, None, headers)


class _Tries:
    """Wrong tokens of the last minute, by address."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, list[float]] = OrderedDict()

    def check(self, client: str) -> None:
        recent = [moment for moment in self._times.get(client, []) if moment > time.monotonic() - 60]
        if len(recent) >= WRONG_TOKENS:
            raise too_many(f"at most {WRONG_TOKENS} wrong tokens a minute. Got them all. Wait a minute.")

    def note(self, client: str) -> None:
        self._times[client] = [*self._times.pop(client, [])[-WRONG_TOKENS:], time.monotonic()]
        while len(self._times) > _ADDRESSES_KEPT:
            self._times.popitem(last=False)


async def _respond(send: Send, status: int, body: object, headers: dict[str, str] | None = None) -> None:
    content = b"" if body is None else json.dumps(body).encode("utf-8")
    told = {"content-type": "application/json", "content-length": str(len(content)), **(headers or {})}
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in told.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": content})
