"""A browser that visits the real server; afterwards nothing may have gone wrong behind the page's back."""

import os
import shutil

import pytest
from tests.web.browser.page_reading import digit_files

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
NEEDS = "needs a browser: apt-get install chromium (and pip install playwright)"


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason=NEEDS)
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(NEEDS)
    playwright.expect.set_options(timeout=60_000)
    # Chromium refuses its sandbox to the user root, as whom containers run.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=arguments)
        yield opened
        opened.close()


class Visitor:
    """Opens pages and notes what they complain about."""

    def __init__(self, browser, address: str) -> None:
        self.browser, self.address = browser, address
        self.contexts: list = []
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.expects_refusals = False

    def __call__(self, place: str = "", width: int = 1280, scheme: str = "light", **options):
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, **options
        )
        context.set_default_timeout(60_000)
        self.contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        page.goto(f"{self.address}/{place}")
        return page

    def unexpected(self) -> list[str]:
        """Complaints; the browser's own line about a refused request is none where a refusal is the point."""
        is_refusal = "Failed to load resource: the server responded with a status of 4"
        return [
            each for each in self.complaints if not (self.expects_refusals and each.startswith(is_refusal))
        ]


@pytest.fixture
def visit(browser, server):
    """Open the page; afterwards: no script failed, no policy was violated, nothing was asked of others."""
    visitor = Visitor(browser, server.address)
    yield visitor
    for context in visitor.contexts:
        context.close()
    own = (server.address, "data:", "blob:")
    assert [url for url in visitor.asked if not url.startswith(own)] == []
    assert visitor.unexpected() == []


@pytest.fixture(scope="session")
def answer_of(server):
    """Cluster files by the API, once for many tests, and give the answer."""
    known = {}

    def cluster(name: str, fresh: bool = False) -> dict:
        if fresh or name not in known:
            if name == "digits":
                response = server.cluster(*digit_files(41))
            else:
                response = server.cluster(
                    ("points.csv", circles_csv()), model="circles", label_column="circle"
                )
            assert response.status_code == 200, response.text
            known[name] = response.json()
        return known[name]

    return cluster


def circles_csv() -> bytes:
    """Points on four circles as a table, with the circle of each."""
    from abclust.datasets import circles

    (each,) = circles(1, n_points=47, seed=3)
    rows = [f"{x:.4f},{y:.4f},{label}" for (x, y), label in zip(each.items, each.labels)]
    return "\n".join(["x,y,circle", *rows]).encode()
