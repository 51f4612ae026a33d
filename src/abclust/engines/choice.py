"""Engines by the names that the command line knows."""

from collections.abc import Callable

from abclust.engines.engine import Engine
from abclust.engines.local import LocalEngine
from abclust.engines.ray_cluster import RayEngine
from abclust.foundations.options import resolve
from abclust.scale.progress import ScaleProgress

ENGINES: dict[str, Callable[[int, ScaleProgress | None], Engine]] = {
    "local": LocalEngine,
    # The stages of a large set are told by its worker, on whatever machine that is: to its log.
    "ray": lambda workers, _: RayEngine(workers),
}
"""Name, and what makes such an engine for a number of workers and one who hears of large sets."""


def build_engine(name: str, workers: int = 1, progress: ScaleProgress | None = None) -> Engine:
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
    return resolve("engine", name, ENGINES)(workers, progress)
