"""What ``abclust evaluate`` does: labelled sets of groups the model never saw, and scores."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from abclust.cli.outputs import check_outputs
from abclust.cli.set_input import STANDARD_INPUT, InputOptions, SetInput, opened_input
from abclust.cli.work_progress import WorkProgress
from abclust.clustering.default_method import DEFAULT_METHOD, settled_method
from abclust.datasets.labelled_set import LabelledSet
from abclust.engines.choice import build_engine
from abclust.engines.engine import ClusteringJob, SetOutcome, SetTask
from abclust.estimator.parameter_checks import check_parameters
from abclust.evaluation.protocol import Evaluation, trivial_rows
from abclust.evaluation.results_file import Results, write_results
from abclust.evaluation.scores import Scores, score_partition
from abclust.foundations.errors import InvalidInputError
from abclust.foundations.frozen_config import to_dict


@dataclass(frozen=True)
class EvaluateRequest:
    """Everything that the command line says."""

    source: str
    model: str
    output: Path | None = None
    reading: InputOptions = InputOptions(layout="classes")  # noqa: RUF009 (frozen)
    method: str = DEFAULT_METHOD
    with_known_k: bool = False
    per_set: bool = False
    engine: str = "local"
    workers: int = 1
    seed: int = 0
    device: str = "cpu"
    force: bool = False
    command: str = ""


@dataclass(frozen=True)
class EvaluateSummary:
    """The rows, and what could not be scored."""

    results: Results
    failed: list[dict[str, str]]
    skipped: list[dict[str, str]]

    def to_dict(self) -> dict[str, Any]:
        """A results file, and what was left out beside it."""
        return {**to_dict(self.results), "failed": self.failed, "skipped": self.skipped}


@dataclass(frozen=True)
class _Score:
    group: str
    scores: Scores
    seconds: float


def evaluate_sets(request: EvaluateRequest, progress: WorkProgress) -> EvaluateSummary:
    """Cluster labelled sets, the number of clusters unknown, and score them beside the trivial partitions.

    Raises
    ------
    InvalidInputError
        If a set has no labels or is of a group that the model was trained on, if an option is not possible,
        or if not one set could be scored.
    """
    check_parameters(
        {
            "n_clusters": None,
            "method": request.method,
            "scale": "auto",
            "device": request.device,
            "random_state": request.seed,
        }
    )
    if request.output is not None:
        source = None if request.source == STANDARD_INPUT else Path(request.source)
        check_outputs([request.output], force=request.force, source=source)
    engine = build_engine(request.engine, request.workers)
    failed: list[dict[str, str]] = []
    scored: dict[str, list[_Score]] = {"unknown": [], "known": []}
    truths: list[tuple[Any, Any, str]] = []
    with opened_input(request.source, request.model, request.reading, progress.image_read) as data:
        job = ClusteringJob(
            data.weights,
            method=request.method,
            seed=request.seed,
            device=request.device,
            is_framed=data.is_framed,
        )
        for outcome in engine.cluster(_tasks(data, request), job):
            each, error = outcome.task.set, outcome.answer.error
            assert isinstance(each, LabelledSet)  # the tasks are
            is_first = outcome.task.n_clusters is None
            if error:
                failed.append({"set": each.name, "error": error})
                continue
            scored["unknown" if is_first else "known"].append(_score(each, outcome))
            if is_first:
                truths.append((each.labels, each.labels, each.group))
                progress.set_done(each.n_items)
        skipped = [asdict(one) for one in data.skipped]
        calibrated = bool(data.network.metadata.get("calibration"))
        method = settled_method(request.method, data.network.metadata)
    if not truths:
        raise InvalidInputError(f"no set could be scored. The first: {failed[0]['error']}")
    rows = [
        _evaluation(request, method, k, scores, calibrated).row(per_set=request.per_set)
        for k, scores in scored.items()
        if scores
    ]
    rows += trivial_rows(truths, protocol=_protocol(request), seed=request.seed)
    return EvaluateSummary(_results(request, rows), failed, skipped)


def check_unseen(each: LabelledSet, trained_on: set[str]) -> None:
    """Refuse a set of a group that the model was trained on: such a score says nothing about new groups.

    Raises
    ------
    InvalidInputError
        If its group, or its name where it has no group, is one of `trained_on`.
    """
    group = each.group or each.name
    if group in trained_on:
        raise InvalidInputError(
            f"sets must be of groups that the model was not trained on. Got {group!r}, which it was. "
            "Leave it out, or take a model that was trained without it."
        )


def _tasks(data: SetInput, request: EvaluateRequest) -> Iterator[SetTask]:
    trained_on = set(data.network.metadata.get("groups", []))
    for each in data.sets:
        if not isinstance(each, LabelledSet):
            raise InvalidInputError(
                f"sets must be labelled. Got {each.name!r}, which is not. Name the column of the clusters "
                "with --label-column, or lay images out as set/class/image."
            )
        check_unseen(each, trained_on)
        yield SetTask(each)
        if request.with_known_k:
            yield SetTask(each, n_clusters=each.n_clusters)


def _score(each: LabelledSet, outcome: SetOutcome) -> _Score:
    partition = outcome.answer.partition
    assert partition is not None  # there was no error
    scores = score_partition(each.labels, partition.labels)
    return _Score(each.group or each.name, scores, outcome.answer.seconds)


def _evaluation(
    request: EvaluateRequest, method: str, k: str, scored: list[_Score], calibrated: bool
) -> Evaluation:
    return Evaluation(
        system=f"{Path(request.model).stem}, {method}",
        protocol=_protocol(request),
        k=k,
        scores=tuple(one.scores for one in scored),
        groups=tuple(one.group for one in scored),
        seconds_per_set=sum(one.seconds for one in scored) / len(scored),
        calibrated=calibrated,
    )


def _protocol(request: EvaluateRequest) -> str:
    return "standard input" if request.source == STANDARD_INPUT else Path(request.source).name


def _results(request: EvaluateRequest, rows: list[dict[str, Any]]) -> Results:
    if request.output is None:
        return Results(request.command, request.seed, rows)
    return write_results(request.output, rows, command=request.command, seed=request.seed)
