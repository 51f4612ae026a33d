"""Names that came from a client."""

from hypothesis import given
from hypothesis import strategies as st

from abclust.web.file_names import LONGEST_NAME, printable_name, safe_name, unique_path


@given(st.text())
def test_a_safe_name_is_one_harmless_part_of_a_path(name: str) -> None:
    safe = safe_name(name)
    assert safe not in ("", ".", "..")
    assert not set(safe) & set('/\\:*?"<>|\0\n')
    assert len(safe) <= 120
    assert safe_name(safe) == safe


@given(st.text())
def test_a_printable_name_is_short_and_can_be_written(name: str) -> None:
    shown = printable_name(name)
    assert 0 < len(shown) <= LONGEST_NAME
    assert shown.isprintable()
    shown.encode("utf-8")


@given(st.lists(st.sampled_from(["a.png", "A.png", "a (2).png", "b", ".png"]), max_size=11))
def test_paths_differ_even_where_capitals_do_not_count(names: list[str]) -> None:
    taken: set[str] = set()
    paths = [unique_path("f/", name, taken) for name in names]
    assert len({path.lower() for path in paths}) == len(names)
