"""What ``abclust cluster`` does: sets in; labels, report and tree out; a bad set reported."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING

from abclust.cli.cluster_request import ClusterRequest
from abclust.cli.cluster_summary import ClusterSummary, SetSummary
from abclust.cli.cluster_tree import ClusterTree, growing_tree
from abclust.cli.labels_file import AnyPartition, WriteSet, labels_writer
from abclust.cli.link_files import LinkFile
from abclust.cli.set_input import STANDARD_INPUT, SetInput, opened_input
from abclust.cli.work_progress import WorkProgress
from abclust.clustering.default_method import settled_method
from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.set_source import AnySet
from abclust.engines.choice import build_engine
from abclust.engines.engine import ClusteringJob, SetOutcome, SetTask
from abclust.evaluation.scores import score_partition
from abclust.foundations.errors import InvalidInputError

if TYPE_CHECKING:
    from abclust.cli.report_pages import ReportPages


def cluster_sets(request: ClusterRequest, progress: WorkProgress) -> ClusterSummary:
    """Cluster all sets of the input and write what was asked for, each file whole or not at all.

    Raises
    ------
    InvalidInputError
        If an option, the input or an output is wrong, or if not one set could be clustered.
    """
    request.check()
    with opened_input(request.source, request.model, request.reading, progress.image_read) as data:
        run = _Run(request, data, progress)
        with labels_writer(request.output, names_sets=data.names_sets) as write, _tree(request) as tree:
            run.go(write, tree)
        run.write_report()
    return run.summary()


def _tree(request: ClusterRequest) -> AbstractContextManager[ClusterTree | None]:
    if request.tree is None:
        return nullcontext()
    return growing_tree(request.tree, request.link, force=request.force)


class _Run:
    """One pass over the sets, and what it gathers: a few numbers a set and the sections of the report."""

    def __init__(self, request: ClusterRequest, data: SetInput, progress: WorkProgress) -> None:
        self._request, self._data, self._progress = request, data, progress
        self._must, self._cannot = LinkFile.read(request.must_link), LinkFile.read(request.cannot_link)
        self._pages = _pages(request)
        self._n_tasks = 0
        self._sets: list[SetSummary] = []
        self._failed: list[dict[str, str]] = []

    def go(self, write: WriteSet, tree: ClusterTree | None) -> None:
        """Cluster every set and hand it to those who write.

        Raises
        ------
        InvalidInputError
            If not one set could be clustered.
        """
        request, data = self._request, self._data
        job = ClusteringJob(
            data.weights,
            request.n_clusters,
            request.method,
            request.seed,
            request.device,
            request.scale,
            data.is_framed,
        )
        engine = build_engine(request.engine, request.workers, self._progress)
        for outcome in engine.cluster(self._tasks(), job):
            each, partition = outcome.task.set, outcome.answer.partition
            self._progress.set_done(each.n_items)
            if partition is None:
                self._fail(each.name, outcome.answer.error)
                continue
            write(each.name, _item_names(each), partition)
            if tree is not None:
                tree.add(each.name if data.names_sets else "", data.files(each) or [], partition.labels)
            self._keep(outcome, partition)
        for name in sorted(self._must.unused | self._cannot.unused):
            self._fail(name, "links must be for sets of the input. Got no such set.")
        if not self._sets:
            raise InvalidInputError(f"no set could be clustered. The first: {self._failed[0]['error']}")

    def write_report(self) -> None:
        """Write the report, if one was asked for."""
        source = self._request.source
        if self._pages is not None:
            title = f"Clusters of {'standard input' if source == STANDARD_INPUT else source}"
            self._pages.write(title, self._request.command, self._request.model)

    def summary(self) -> ClusterSummary:
        """What was done."""
        request = self._request
        return ClusterSummary(
            model=request.model,
            method=settled_method(request.method, self._data.network.metadata),
            sets=self._sets,
            failed=self._failed,
            skipped=[asdict(each) for each in self._data.skipped],
            output=None if request.output is None else str(request.output),
            report=None if request.report is None else str(request.report),
            tree=None if request.tree is None else str(request.tree),
        )

    def _tasks(self) -> Iterator[SetTask]:
        for each in self._data.sets:
            try:
                must, cannot = self._must.numbers(each), self._cannot.numbers(each)
            except InvalidInputError as error:
                self._fail(each.name, str(error))
                continue
            in_detail = self._n_tasks < self._request.report_sets
            self._n_tasks += 1
            yield SetTask(each, must_link=must, cannot_link=cannot, in_detail=in_detail)

    def _fail(self, name: str, error: str) -> None:
        self._failed.append({"set": name, "error": error})
        if self._pages is not None:
            self._pages.fail(name, error)

    def _keep(self, outcome: SetOutcome, partition: AnyPartition) -> None:
        each = outcome.task.set
        truth = each.labels if isinstance(each, LabelledSet) else None
        scores = None if truth is None else score_partition(truth, partition.labels)
        summary = SetSummary.of(each, partition, scores)
        self._sets.append(summary)
        if self._pages is not None:
            shown = self._data.files(each) or each.items  # originals make better pictures than framed images
            self._pages.add(summary, scores, outcome.answer.clustered, shown, _item_names(each), truth)


def _pages(request: ClusterRequest) -> "ReportPages | None":
    if request.report is None:
        return None
    from abclust.cli.report_pages import ReportPages  # brings matplotlib, a second of waiting

    return ReportPages(request.report)


def _item_names(each: AnySet) -> tuple[str, ...]:
    return each.item_names or tuple(map(str, range(each.n_items)))
