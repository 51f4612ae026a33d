"""One self-contained HTML file about clustered sets: to read, to print, to show around.

``set_section`` turns one clustered set into a section, ``failed_section`` names one that failed, and
``write_report`` writes them into one file that loads nothing from anywhere.
"""

from abclust.report.document import report_page, write_report
from abclust.report.limits import ReportLimits
from abclust.report.section import FailedSection, SetSection, failed_section, set_section

__all__ = [
    "FailedSection",
    "ReportLimits",
    "SetSection",
    "failed_section",
    "report_page",
    "set_section",
    "write_report",
]
