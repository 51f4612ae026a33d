"""Strings are resolved once, at the edge, and the error lists the valid names."""

from collections.abc import Collection, Mapping
from typing import TypeVar

from abclust.foundations.errors import InvalidInputError

T = TypeVar("T")


def check_choice(name: str, value: object, valid: Collection[str]) -> str:
    """Return `value` if it is one of the `valid` names.

    Raises
    ------
    InvalidInputError
        If it is not; the message lists the valid names.

    Examples
    --------
    >>> check_choice("compatibility", "additive", ["additive", "multiplicative"])
    'additive'
    """
    if not isinstance(value, str) or value not in valid:
        raise InvalidInputError(
            f"{name} must be one of {', '.join(map(repr, sorted(valid)))}. Got {value!r}."
        )
    return value


def resolve(name: str, value: str, table: Mapping[str, T]) -> T:
    """Look `value` up in `table`, or say which names there are."""
    return table[check_choice(name, value, table)]
