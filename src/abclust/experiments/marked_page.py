"""The part of a page that is rendered from results stands between two marks, and only that is replaced."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from abclust.foundations.errors import FileFormatError

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def with_results(page: str, table: str) -> str:
    """The page with `table` between its marks, headings one level deeper.

    Raises
    ------
    FileFormatError
        If the page does not have both marks, in order.

    Examples
    --------
    >>> print(with_results(f"above {BEGIN} old {END} below", "## new"))
    above <!-- results: begin -->
    <BLANKLINE>
    ### new
    <BLANKLINE>
    <!-- results: end --> below
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise FileFormatError(f"the page must hold the marks {BEGIN} and {END}, in this order. Got others.")
    deeper = table.replace("## ", "### ").strip()
    return f"{before}{BEGIN}\n\n{deeper}\n\n{END}{after}"


def page_command(
    module: str,
    page: str,
    write_page: Callable[[Path, Path], Sequence[Path]],
    arguments: Sequence[str] | None = None,
) -> None:
    """The command of a module that writes results into a page.

    Parameters
    ----------
    module
        Its name, which ``python -m`` takes.
    page
        The page it writes into unless ``--page`` names another.
    write_page
        Takes the folder of results files and the page, gives the files written.
    arguments
        Of the command line; None takes the program's own.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}", description=f"Put the numbers of stored results into {page}."
    )
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of results files")
    parser.add_argument("--page", type=Path, default=Path(page), help="page with the two marks")
    given = parser.parse_args(arguments)
    for path in write_page(given.results, given.page):
        print(path)
