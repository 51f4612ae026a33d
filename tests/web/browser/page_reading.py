"""What the page shows, read off it; and small files to give to it."""

import base64
import io
from typing import Any

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits


def digit_files(n_files: int, start: int = 0) -> list[tuple[str, bytes]]:
    """Handwritten digits, dark on white paper, as PNG files."""
    images = load_digits().images[start : start + n_files]
    return [(f"digit-{number}.png", _png(image)) for number, image in enumerate(images, start)]


def _png(image: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    sheet = Image.fromarray(np.round(255 - 255 * image / 16).astype(np.uint8))
    sheet.resize((32, 32)).save(buffer, format="PNG")
    return buffer.getvalue()


def drop(page: Any, files: list[tuple[str, bytes]]) -> None:
    """Drop files onto the page, as a person does with the mouse."""
    contents = [[name, base64.b64encode(content).decode()] for name, content in files]
    transfer = page.evaluate_handle(
        """(files) => {
          const transfer = new DataTransfer();
          for (const [name, text] of files) {
            transfer.items.add(new File([Uint8Array.from(atob(text), (each) => each.charCodeAt(0))], name));
          }
          return transfer;
        }""",
        contents,
    )
    page.dispatch_event("#drop", "dragover", {"dataTransfer": transfer})
    page.dispatch_event("#drop", "drop", {"dataTransfer": transfer})


def grouping(labels: list[int]) -> set[frozenset[int]]:
    """A partition as sets of items."""
    return {
        frozenset(item for item, label in enumerate(labels) if label == each)
        for each in dict.fromkeys(labels)
    }


def shown_grouping(page: Any) -> set[frozenset[int]]:
    """The partition that the cards show, unfolded."""
    for button in page.locator(".cluster > .quiet").all():
        button.click()
    return {frozenset(card) for card in cards(page)}


def cards(page: Any) -> list[list[int]]:
    """The items of each card, in the order in which they are shown."""
    return page.locator(".cluster").evaluate_all("""(cards) => cards.map(
      (card) => [...card.querySelectorAll(".item")].map((item) => Number(item.dataset.item)),
    )""")


def cut(answer: dict[str, Any], n_clusters: int) -> set[frozenset[int]]:
    """The partition of the answer's tree at a number of clusters, merge by merge."""
    groups = {item: frozenset([item]) for item in range(answer["n_items"])}
    for number, (left, right) in enumerate(answer["merge_tree"]["merges"][: answer["n_items"] - n_clusters]):
        groups[answer["n_items"] + number] = groups.pop(left) | groups.pop(right)
    return set(groups.values())


def kernel_of(answer: dict[str, Any]) -> np.ndarray:
    """The kernel as it was sent: bytes from 0 to 255."""
    n_items = answer["n_items"]
    return np.frombuffer(base64.b64decode(answer["kernel"]), np.uint8).reshape(n_items, n_items)


def together(groups: set[frozenset[int]], first: int, second: int) -> bool:
    """Whether two items are in one cluster."""
    return any({first, second} <= group for group in groups)
