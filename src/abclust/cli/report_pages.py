"""The report of ``abclust cluster`` while it grows: some sets in detail, all others as a line of a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from abclust.cli.cluster_summary import SetSummary
from abclust.estimator.clustered_set import ClusteredSet
from abclust.evaluation.scores import Scores
from abclust.report import FailedSection, SetSection, failed_section, set_section, write_report


class ReportPages:
    """Sections in the order of the sets; none of them holds a kernel."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sections: list[SetSection | FailedSection] = []

    def add(
        self,
        summary: SetSummary,
        scores: Scores | None,
        clustered: ClusteredSet | None,
        items: Any,
        item_names: Sequence[str],
        true_labels: Any,
    ) -> None:
        """One more set: in detail if `clustered` is there, else by its numbers."""
        if clustered is not None:
            section = set_section(
                clustered, items, name=summary.set, item_names=item_names, true_labels=true_labels
            )
        else:
            section = SetSection(
                summary.set,
                summary.n_items,
                summary.n_clusters,
                summary.n_clusters_interval,
                summary.confidence,
                scores,
                Markup(""),
            )
        self._sections.append(section)

    def fail(self, name: str, error: str) -> None:
        """A set that could not be clustered."""
        self._sections.append(failed_section(name, error))

    def write(self, title: str, command: str, model: str) -> None:
        """Write the report, whole or not at all."""
        write_report(self._path, self._sections, title=title, command=command, model=model)
