"""Engines by the names that the command line knows."""

from collections.abc import Callable

from abclust.engines.engine import Engine
from abclust.engines.local import LocalEngine
from abclust.engines.ray_cluster import RayEngine
from abclust.foundations.options import resolve

ENGINES: dict[str, Callable[[int], Engine]] = {"local": LocalEngine, "ray": RayEngine}
"""Name, and what makes such an engine for a number of workers."""


def build_engine(name: str, workers: int = 1) -> Engine:
    """The engine called `name`.

    Raises
    ------
    InvalidInputError
        If there is none; the message lists the names.

    Examples
    --------
    >>> type(build_engine("local", workers=2)).__name__
    'LocalEngine'
    """
    return resolve("engine", name, ENGINES)(workers)
