"""The report itself: sections in, one HTML file out that needs nothing but a browser."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from markupsafe import Markup

from abclust.evaluation.provenance import package_versions
from abclust.evaluation.scores import Scores, mean_scores
from abclust.foundations.errors import InvalidInputError
from abclust.report.heat_map import PALETTE_TEXT
from abclust.report.limits import ReportLimits
from abclust.report.page_templates import content_security_policy, page_asset, render
from abclust.report.section import FailedSection, SetSection
from abclust.storage.atomic_file import write_text


@dataclass(frozen=True)
class _Overview:
    """What the head of the report says of all sets."""

    n_sets: int
    n_items: int
    n_clusters: int
    n_failed: int
    n_without_detail: int
    scores: Scores | None
    n_scored: int


def write_report(
    path: str | Path,
    sections: Iterable[SetSection | FailedSection],
    *,
    title: str,
    command: str | None = None,
    model: str | None = None,
    limits: ReportLimits | None = None,
) -> None:
    """Write one self-contained HTML file: no network, no other files; equal sections give equal bytes.

    Parameters
    ----------
    path
        Where the file shall stand; an older one is replaced, whole or not at all.
    sections
        From :func:`~abclust.report.section.set_section` and
        :func:`~abclust.report.section.failed_section`, in the order of the report. A generator will do.
    title
        The heading and the title of the page.
    command
        The command line that made the report, as one would type it.
    model
        The name or a short description of the network.
    limits
        `detail_characters` is the length from which on sets stand in the table only.

    Raises
    ------
    InvalidInputError
        If there is no section at all, or the folder cannot be made.

    Examples
    --------
    >>> from abclust.report import failed_section
    >>> write_report("report.html", [failed_section("letters", "no items")], title="Nothing to see")
    >>> Path("report.html").read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    write_text(path, report_page(sections, title=title, command=command, model=model, limits=limits))


def report_page(
    sections: Iterable[SetSection | FailedSection],
    *,
    title: str,
    command: str | None = None,
    model: str | None = None,
    limits: ReportLimits | None = None,
) -> str:
    """The text of the file that :func:`write_report` writes, for whoever has no file to write.

    Raises
    ------
    InvalidInputError
        If there is no section at all.
    """
    limits = limits or ReportLimits()
    rows = _within(sections, limits.detail_characters)
    if not rows:
        raise InvalidInputError("sections must hold at least one set. Got none.")
    page = render(
        "report.html",
        title=title,
        command=command,
        model=model,
        versions=package_versions(),
        rows=rows,
        failures=[row for row in rows if isinstance(row, FailedSection)],
        overview=_overview(rows),
        policy=content_security_policy(),
        style=page_asset("report.css"),
        script=page_asset("report.js"),
        palette=PALETTE_TEXT,
    )
    # A file name may hold bytes that are no text; a lone surrogate must not cost the whole report.
    return page.encode("utf-8", "replace").decode("utf-8")


def _within(
    sections: Iterable[SetSection | FailedSection], characters: int
) -> list[SetSection | FailedSection]:
    """All sections; the first one keeps its detail, later ones as long as the page does not grow too long."""
    rows: list[SetSection | FailedSection] = []
    length = 0
    for section in sections:
        if isinstance(section, SetSection):
            length += len(section.body)
            if length > characters and any(isinstance(row, SetSection) for row in rows):
                section = replace(section, body=Markup(""))
        rows.append(section)
    return rows


def _overview(rows: list[SetSection | FailedSection]) -> _Overview:
    done = [row for row in rows if isinstance(row, SetSection)]
    scored = [row.scores for row in done if row.scores is not None]
    return _Overview(
        n_sets=len(rows),
        n_items=sum(row.n_items for row in done),
        n_clusters=sum(row.n_clusters for row in done),
        n_failed=len(rows) - len(done),
        n_without_detail=sum(not row.body for row in done),
        scores=mean_scores(scored) if scored else None,
        n_scored=len(scored),
    )
