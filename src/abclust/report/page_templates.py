"""The templates of the page: what comes from outside is escaped, and nothing is loaded from outside."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


@cache
def environment() -> Environment:
    """The Jinja environment: escapes always, and a name that does not exist is an error."""
    made = Environment(
        loader=PackageLoader("abclust.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["decimal"] = decimal
    made.filters["count"] = count
    made.filters["probability"] = probability
    made.filters["span"] = span
    return made


def render(template: str, **values: object) -> Markup:
    """Fill a template of this room; the result is markup and is not escaped again."""
    return Markup(environment().get_template(template).render(**values))


@cache
def page_asset(name: str) -> Markup:
    """The style or the script of the page, which stands inside it."""
    return Markup(files("abclust.report").joinpath("templates", name).read_text(encoding="utf-8"))


def content_security_policy() -> str:
    """What the page may do: its own style, its own script, pictures inside it, and nothing else.

    A browser that honours the policy makes no request at all and runs no script but ours, even if a way
    around the escaping were found.
    """
    style, script = (_hash(page_asset(name)) for name in ("report.css", "report.js"))
    return (
        f"default-src 'none'; img-src data:; style-src {style}; script-src {script}; "
        "base-uri 'none'; form-action 'none'"
    )


def decimal(value: float | None, digits: int = 2) -> str:
    """A number for the eye; a dash where there is none.

    Examples
    --------
    >>> decimal(0.456), decimal(-0.001), decimal(None)
    ('0.46', '0.00', '–')
    """
    if value is None:
        return "–"
    return f"{value:.{digits}f}".replace(f"{-0.0:.{digits}f}", f"{0.0:.{digits}f}")


def probability(value: float | None) -> str:
    """A probability for the eye; what is neither 0 nor 1 is never rounded to it.

    Examples
    --------
    >>> probability(0.0001), probability(0.5), probability(0.9999), probability(1.0)
    ('< 0.01', '0.50', '> 0.99', '1.00')
    """
    if value is not None and 0 < value < 0.005:
        return "< 0.01"
    return "> 0.99" if value is not None and 0.995 <= value < 1 else decimal(value)


def count(number: int, noun: str) -> str:
    """A number and its noun.

    Examples
    --------
    >>> count(1, "item"), count(1234, "item")
    ('1 item', '1,234 items')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def span(ends: tuple[int, int]) -> str:
    """The whole numbers from one to another.

    Examples
    --------
    >>> span((3, 5)), span((4, 4))
    ('3–5', '4')
    """
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
