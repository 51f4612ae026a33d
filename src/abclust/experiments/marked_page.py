"""The part of a page that is rendered from results stands between two marks, and only that is replaced."""

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
