"""Many sets as a stream: read one after the other, solved some at a time, given back in order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float

from abclust.datasets.labelled_set import LabelledSet, UnlabelledSet
from abclust.estimator.clustered_set import SetFailure
from abclust.foundations.errors import InvalidInputError

# Pairs of items that are in memory at a time: 400 sets of 100 items, or one large set; 32 MB of kernels.
PAIRS_IN_A_WINDOW = 2**22
SETS_IN_A_WINDOW = 4096

Given = TypeVar("Given")
Found = TypeVar("Found")
Kernel = Float[np.ndarray, "_ _"]


@dataclass(frozen=True, eq=False)
class Job:
    """A prepared set and what is asked of it."""

    index: int
    name: str
    prepared: Float[np.ndarray, "n ..."]
    n_clusters: Any
    must_link: Any
    cannot_link: Any

    def failed(self, error: InvalidInputError) -> SetFailure:
        return SetFailure(self.index, self.name, error)


@dataclass(frozen=True, eq=False)
class Solved:
    """A set, its calibrated kernel, and what the back end made of it: labels, or a whole partition."""

    job: Job
    kernel: Float[np.ndarray, "n n"]
    result: Any


def read_jobs(
    sets: Iterable[Any],
    prepare: Callable[[Any], Float[np.ndarray, "n ..."]],
    constraints: Sequence[Any] | None,
    n_clusters: Any,
) -> Iterator[Job | SetFailure]:
    """Prepare one set after the other; a set that cannot be prepared is a failure.

    Parameters
    ----------
    sets
        Anything that `prepare` takes, alone or inside a LabelledSet or UnlabelledSet.
    prepare
        From a caller's set to what the network sees.
    constraints
        For each set None, a pair (must_link, cannot_link) or a mapping with these names; or None.
    n_clusters
        A list of one value for each set, or one value for all.
    """
    for index, each in enumerate(sets):
        is_named = isinstance(each, LabelledSet | UnlabelledSet)
        name = each.name if is_named else ""
        try:
            must_link, cannot_link = _links(_entry(constraints, index, "constraints"))
            is_list = isinstance(n_clusters, list | np.ndarray)
            number = _entry(n_clusters, index, "n_clusters") if is_list else n_clusters
            yield Job(index, name, prepare(each.items if is_named else each), number, must_link, cannot_link)
        except (InvalidInputError, TypeError) as error:  # scikit-learn's checks raise either
            is_ours = isinstance(error, InvalidInputError)
            yield SetFailure(index, name, error if is_ours else InvalidInputError(str(error)))


def windows(jobs: Iterable[Job | SetFailure]) -> Iterator[list[Job | SetFailure]]:
    """As many sets at a time as shall be in memory."""
    window: list[Job | SetFailure] = []
    n_pairs = 0
    for job in jobs:
        window.append(job)
        n_pairs += len(job.prepared) ** 2 if isinstance(job, Job) else 0
        if n_pairs >= PAIRS_IN_A_WINDOW or len(window) >= SETS_IN_A_WINDOW:
            yield window
            window, n_pairs = [], 0
    if window:
        yield window


def solve_window(
    window: Sequence[Job | SetFailure],
    kernels: Callable[[list[np.ndarray]], list[Kernel]],
    solve: Callable[[list[Job], list[Kernel]], list[Any]],
) -> list[Solved | SetFailure]:
    """The network and the back end run once for all sets of a window; failures keep their places.

    Parameters
    ----------
    window
        From :func:`windows`.
    kernels
        Prepared sets to calibrated kernels.
    solve
        Jobs and their kernels to one result each.
    """
    jobs = [job for job in window if isinstance(job, Job)]
    made = together_or_alone(lambda some: kernels([job.prepared for job in some]), jobs)
    ready = [(job, kernel) for job, kernel in zip(jobs, made) if not isinstance(kernel, InvalidInputError)]
    results = together_or_alone(lambda some: solve(*map(list, zip(*some))) if some else [], ready)
    found: dict[int, Solved | SetFailure] = {
        job.index: job.failed(error) for job, error in zip(jobs, made) if isinstance(error, InvalidInputError)
    }
    for (job, kernel), result in zip(ready, results):
        is_error = isinstance(result, InvalidInputError)
        found[job.index] = job.failed(result) if is_error else Solved(job, kernel, result)
    return [found[each.index] if isinstance(each, Job) else each for each in window]


def together_or_alone(
    run: Callable[[list[Given]], list[Found]], given: list[Given]
) -> list[Found | InvalidInputError]:
    """All at once; if something is wrong with one, one by one, so that only that one fails.

    Examples
    --------
    >>> def halve(numbers):
    ...     if any(number % 2 for number in numbers):
    ...         raise InvalidInputError("numbers must be even.")
    ...     return [number // 2 for number in numbers]
    >>> together_or_alone(halve, [2, 3, 4])
    [1, InvalidInputError('numbers must be even.'), 2]
    """
    try:
        return list(run(given))
    except InvalidInputError as error:
        if len(given) == 1:
            return [error]
    return [together_or_alone(run, [one])[0] for one in given]


def _entry(values: Any, index: int, name: str) -> Any:
    if values is None:
        return None
    if index >= len(values):
        raise InvalidInputError(f"{name} must have one entry for each set. Got {len(values)}.")
    return values[index]


def _links(rule: Any) -> tuple[Any, Any]:
    if rule is None:
        return None, None
    if isinstance(rule, Mapping):
        unknown = sorted(map(str, rule.keys() - {"must_link", "cannot_link"}))
        if not unknown:
            return rule.get("must_link"), rule.get("cannot_link")
        raise InvalidInputError(f"constraints must name must_link and cannot_link. Got {', '.join(unknown)}.")
    if isinstance(rule, tuple | list) and len(rule) == 2:
        return rule[0], rule[1]
    raise InvalidInputError(
        "constraints must be None, a pair (must_link, cannot_link) or a mapping for each set. "
        f"Got {rule!r:.200}."
    )
