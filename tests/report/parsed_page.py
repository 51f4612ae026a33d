"""An HTML page read by the standard library's parser: its elements in order, attributes and text."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "img", "link", "meta"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    parent: "Element | None"
    contents: list["str | Element"] = field(default_factory=list)

    @property
    def children(self) -> list["Element"]:
        return [each for each in self.contents if isinstance(each, Element)]

    @property
    def text(self) -> str:
        """The element's own text, without that of the elements inside it."""
        return "".join(each for each in self.contents if not isinstance(each, Element))

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    @property
    def whole_text(self) -> str:
        """The text of the element and of all inside it, spaces as a reader sees them."""
        pieces = (each.whole_text if isinstance(each, Element) else each for each in self.contents)
        return " ".join(" ".join(pieces).split())


class ParsedPage(HTMLParser):
    """All elements of a page; raises AssertionError where tags do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(text)
        self.close()
        assert not self._open, f"never closed: {[element.tag for element in self._open]}"

    def handle_starttag(self, tag, attrs):
        element = Element(tag, dict(attrs), self._open[-1] if self._open else None)
        if element.parent is not None:
            element.parent.contents.append(element)
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag):
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data):
        if self._open:
            self._open[-1].contents.append(data)

    def all(self, tag, *classes):
        return [
            element
            for element in self.elements
            if element.tag == tag and all(name in element.classes for name in classes)
        ]

    def one(self, tag, *classes):
        (found,) = self.all(tag, *classes)
        return found
