"""Which method turns the kernel of a network into clusters if the caller names none."""

from collections.abc import Mapping
from typing import Any

from abclust.clustering.methods import METHODS
from abclust.foundations.errors import FileFormatError

DEFAULT_METHOD = "auto"
"""The method that the network's header names, else :data:`PLAIN_METHOD`."""
PLAIN_METHOD = "expected-rand"
"""For networks that name none: their probabilities are calibrated, which this method rests on.
``results/log.md`` tells where it gains and where it loses."""
CANDIDATES = (PLAIN_METHOD, "size-prior")
"""Those of which the better one on the sets held out of a training becomes the network's own."""
HEADER = "method"
"""Where the header of weights may name the method that did best on the sets held out of their training."""


def settled_method(method: Any, header: Mapping[str, Any]) -> Any:
    """The method itself, or for ``"auto"`` the one that a network's header names.

    Raises
    ------
    FileFormatError
        If the header names a method that there is not.

    Examples
    --------
    >>> settled_method("auto", {"method": "size-prior"}), settled_method("auto", {})
    ('size-prior', 'expected-rand')
    """
    if not (isinstance(method, str) and method == DEFAULT_METHOD):
        return method
    named = header.get(HEADER, PLAIN_METHOD)
    if named not in METHODS:
        raise FileFormatError(
            f"the method in the header of weights must be one of {', '.join(map(repr, METHODS))}. "
            f"Got {named!r}. The file may come from a later version of abclust."
        )
    return named
