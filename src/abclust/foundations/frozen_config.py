"""Frozen dataclasses to and from plain dictionaries; an unknown key is an error, never ignored."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from abclust.foundations.errors import InvalidInputError

Config = TypeVar("Config")


def to_dict(config: Any) -> dict[str, Any]:
    """The fields of a frozen dataclass as JSON-ready values (tuples become lists, nested configs dicts)."""
    return {field.name: _plain(getattr(config, field.name)) for field in dataclasses.fields(config)}


def from_dict(kind: type[Config], values: Mapping[str, Any]) -> Config:
    """Build `kind` from a dictionary made by :func:`to_dict`; fields not given keep their default.

    Raises
    ------
    InvalidInputError
        If a key is not a field of `kind`.
    """
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    unknown = sorted(set(values) - set(names))
    if unknown:
        raise InvalidInputError(
            f"{kind.__name__} has no field {', '.join(map(repr, unknown))}. "
            f"Its fields are: {', '.join(names)}."
        )
    return kind(**{name: _typed(hints[name], value) for name, value in values.items()})


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return to_dict(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _typed(hint: Any, value: Any) -> Any:
    """Give back what JSON cannot hold: tuples and nested configurations."""
    if isinstance(value, Mapping):
        nested = [kind for kind in _alternatives(hint) if dataclasses.is_dataclass(kind)]
        return from_dict(nested[0], value) if nested else dict(value)  # type: ignore[type-var]
    tuples = [kind for kind in _alternatives(hint) if typing.get_origin(kind) is tuple]
    if isinstance(value, list) and tuples:
        inner = typing.get_args(tuples[0])
        hints = inner[:1] * len(value) if inner[1:] == (Ellipsis,) else inner
        return tuple(_typed(hint, item) for hint, item in zip(hints, value, strict=True))
    return value


def _alternatives(hint: Any) -> tuple[Any, ...]:
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if is_union else (hint,)
