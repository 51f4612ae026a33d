"""Pictures of the page for the README and the documentation, taken from the real page by a real browser.

Command
    ``python -m abclust.web.screenshots docs/images``
Cost
    About a minute.
Needs
    ``pip install 'abclust[web,browser]'`` and a Chromium: ``apt-get install chromium``.

Every picture is written in light and in dark, with a palette of 256 colours: small, and the same to the eye.
"""

import argparse
import logging
import os
import shutil
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from abclust.foundations.errors import InvalidInputError
from abclust.storage.atomic_file import replacing
from abclust.web.config import WebConfig
from abclust.web.server import running_server

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WINDOW, PHONE = (1280, 900), (390, 800)
SCHEMES = ("light", "dark")
_PATIENCE_MILLISECONDS = 120_000
_N_SAMPLE_ROUNDS = 4
_logger = logging.getLogger(__name__)

Scene = Callable[[Any], None]
"""What is done on a page before its picture is taken."""


def _start(page: Any) -> None:
    page.wait_for_selector("#drop")


def _answer(page: Any) -> None:
    """Digits, one pair chosen, another item pointed at."""
    page.click("[data-example=digits]")
    page.wait_for_selector(".answer .item")
    page.click(".cluster:nth-child(1) .item:nth-child(4)")
    page.click(".cluster:nth-child(2) .item:nth-child(5)")
    page.hover(".cluster:nth-child(1) .item:nth-child(6)")


def _plane(page: Any) -> None:
    page.click("[data-example=circles]")
    page.wait_for_selector(".answer .item")


def _drawing(page: Any) -> None:
    """Samples, and the beginning of one more drawing."""
    page.click("text=Draw")
    for number in range(1, _N_SAMPLE_ROUNDS + 1):
        page.click("text=Draw a few for me")
        page.wait_for_selector(f"text={4 * number} images in")
    box = page.locator("canvas.pad").bounding_box()
    stroke = [
        (0.3, 0.2),
        (0.3, 0.5),
        (0.3, 0.8),
        (0.3, 0.5),
        (0.5, 0.42),
        (0.68, 0.5),
        (0.7, 0.65),
        (0.68, 0.8),
    ]
    page.mouse.move(box["x"] + stroke[0][0] * box["width"], box["y"] + stroke[0][1] * box["height"])
    page.mouse.down()
    for x, y in stroke:
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=5)
    page.mouse.up()


def _circles(page: Any) -> None:
    page.click("text=Circles")
    page.wait_for_selector(".system:nth-child(3)")


SCENES: dict[str, tuple[Scene, tuple[int, int]]] = {
    "web-start": (_start, WINDOW),
    "web-answer": (_answer, WINDOW),
    "web-plane": (_plane, WINDOW),
    "web-draw": (_drawing, WINDOW),
    "web-circles": (_circles, WINDOW),
    "web-phone": (_answer, PHONE),
}
"""The pictures' names, without the scheme, what they show, and the size of the window."""


def take_screenshots(folder: str | Path, names: Sequence[str] = tuple(SCENES)) -> list[Path]:
    """Serve the page, visit it with a browser, write its pictures.

    Parameters
    ----------
    folder
        Where ``NAME-light.png`` and ``NAME-dark.png`` are written; made if need be.
    names
        Which pictures: keys of :data:`SCENES`.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InvalidInputError
        If a name is unknown, or if there is no browser.
    """
    unknown = sorted(set(names) - set(SCENES))
    if unknown:
        raise InvalidInputError(f"names must be among {', '.join(SCENES)}. Got {', '.join(unknown)}.")
    playwright, executable = _browser()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Chromium refuses its sandbox to the user root, as whom containers run.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    written = []
    with running_server(WebConfig(port=0)) as address, playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=arguments)
        for name in names:
            for scheme in SCHEMES:
                path = folder / f"{name}-{scheme}.png"
                _write_small(_picture(browser, address, name, scheme), path)
                _logger.info("%s: %d kB", path, path.stat().st_size // 1000)
                written.append(path)
        browser.close()
    return written


def _browser() -> tuple[Any, str]:
    needs = "Install them: pip install playwright; apt-get install chromium."
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise InvalidInputError(f"screenshots must be taken by playwright and a Chromium. {needs}") from error
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        raise InvalidInputError(f"a browser must be on the path. Got none of {', '.join(BROWSERS)}. {needs}")
    return sync_playwright, executable


def _picture(browser: Any, address: str, name: str, scheme: str) -> bytes:
    """One page of its own, without motion: a picture must not catch something on its way."""
    scene, (width, height) = SCENES[name]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(_PATIENCE_MILLISECONDS)
    page = context.new_page()
    page.goto(address)
    scene(page)
    picture = page.screenshot()
    context.close()
    return picture


def _write_small(picture: bytes, path: Path) -> None:
    image = Image.open(BytesIO(picture)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    with replacing(path) as beside:
        image.save(beside, format="PNG", optimize=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.web.screenshots", description="Pictures of the page."
    )
    parser.add_argument("folder", type=Path, help="Where the pictures are written.")
    parser.add_argument(
        "names", nargs="*", default=list(SCENES), help=f"Among {', '.join(SCENES)}; all by default."
    )
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    take_screenshots(given.folder, given.names)


if __name__ == "__main__":
    main()
