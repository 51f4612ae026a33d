"""The gate: names, origins, tokens, and the headers on every answer."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from tests.web.small_uploads import Client

from abclust.web.config import WebConfig
from abclust.web.guard import HEADERS, WRONG_TOKENS
from abclust.web.page_routes import assets
from abclust.web.server import running_server

TOKEN = "an open secret"


@pytest.fixture
def locked() -> Iterator[Client]:
    with running_server(WebConfig(port=0, workers=1, token=TOKEN)) as address:
        yield Client(address)


@pytest.mark.parametrize("path", ["/", "/health", "/no-such", "/openapi.json", "/api/answers/x"])
def test_every_answer_has_the_strict_headers(server: Client, path: str) -> None:
    done = server.get(path)
    for name, value in HEADERS.items():
        assert done.headers[name] == value
    assert "unsafe" not in done.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[", "10.0.0.1"]
)
def test_a_request_for_another_name_is_refused(server: Client, host: str) -> None:
    done = server.get("/health", headers={"Host": host})
    assert done.status_code == 400
    assert done.json()["error"]["code"] == "wrong_host"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8765"])
def test_a_request_for_this_machine_is_answered(server: Client, host: str) -> None:
    assert server.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
    ],
)
def test_what_a_page_from_elsewhere_sends_is_refused(server: Client, headers: dict[str, str]) -> None:
    done = server.post("/api/jobs/examples/circles", headers=headers)
    assert done.status_code == 400
    assert "another origin" in done.json()["error"]["message"]


def test_the_own_page_and_a_link_from_elsewhere_are_let_in(server: Client) -> None:
    own = {"Origin": server.address, "Sec-Fetch-Site": "same-origin"}
    assert server.get("/health", headers=own).status_code == 200
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert server.get("/health", headers=link).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/../config.py",
        "/static/%2e%2e/config.py",
        "/static/..%2fconfig.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/",
    ],
)
def test_only_the_files_of_the_page_are_served(server: Client, path: str) -> None:
    done = server.get(path)
    assert done.status_code == 404
    assert "import" not in done.text


def test_the_page_and_its_files_are_served_with_their_kinds(server: Client) -> None:
    assert server.get("/").headers["content-type"].startswith("text/html")
    for name in assets():
        done = server.get(f"/static/{name}")
        assert done.status_code == 200
        if name.endswith(".js"):
            assert "javascript" in done.headers["content-type"]


def test_without_the_token_nothing_but_the_health_is_told(locked: Client) -> None:
    assert locked.get("/health").status_code == 200
    for path in ("/", "/static/x", "/openapi.json", "/api/models", "/api/answers/x"):
        done = locked.get(path)
        assert done.status_code == 401
        assert done.json()["error"]["code"] == "unauthorised"
    assert locked.cluster(("a.csv", b"x")).status_code == 401


def test_the_token_opens_as_a_bearer_and_once_in_the_address(locked: Client) -> None:
    assert locked.get("/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    first = locked.get("/", params={"token": TOKEN, "example": "digits"}, allow_redirects=False)
    assert first.status_code == 303
    assert first.headers["location"] == "/?example=digits"  # the token is gone from the address
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert locked.get("/", cookies=first.cookies.get_dict()).status_code == 200
    name = next(iter(first.cookies.get_dict()))
    assert name == f"abclust_{urlsplit(locked.address).port}"
    for value in ("", "wrong", "ü"):
        assert (
            locked.get("/", headers={"Cookie": f"{name}={value}".encode().decode("latin-1")}).status_code
            == 401
        )


def test_the_way_on_after_the_token_stays_on_this_machine(locked: Client) -> None:
    done = locked.get("//evil.example/x", params={"token": TOKEN}, allow_redirects=False)
    assert done.status_code == 303
    assert done.headers["location"] == "/evil.example/x"


def test_who_guesses_tokens_must_wait(locked: Client) -> None:
    wrong = {"Authorization": "Bearer no"}
    assert {locked.get("/", headers=wrong).status_code for _ in range(WRONG_TOKENS)} == {401}
    done = locked.get("/", headers={"Authorization": f"Bearer {TOKEN}"})
    assert done.status_code == 429
    assert done.json()["error"]["code"] == "too_many"


def test_a_method_that_is_not_there_is_405_in_the_same_form(server: Client) -> None:
    done = server.post("/health")
    assert done.status_code == 405
    assert done.json()["error"]["code"] == "wrong_method"
