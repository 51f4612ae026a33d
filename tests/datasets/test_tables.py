"""Tables of every kind as sets: the same rows give the same sets, and errors name the place."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abclust.datasets import LabelledSet, UnlabelledSet, read_sets
from abclust.datasets.tables import TableChunk, sets_from_chunks
from abclust.foundations.errors import (
    DataNotFoundError,
    FileFormatError,
    InvalidInputError,
    MissingExtraError,
)

ROWS = "set,x,y,label\na,0.5,1,low\nb,2,3,high\na,4,5e1,high\nb,-6,7,high\n"


@pytest.fixture
def write(tmp_path):
    def to_file(text, name="table.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_text(text, encoding=encoding)
        return path

    return to_file


def plain(sets):
    return [(each.name, each.items.tolist(), each.labels.tolist(), each.item_names) for each in sets]


EXPECTED = [
    ("a", [[0.5, 1.0], [4.0, 50.0]], [0, 1], ("0", "2")),
    ("b", [[2.0, 3.0], [-6.0, 7.0]], [0, 0], ("1", "3")),
]


def test_a_csv_file_gives_its_sets_although_their_rows_are_mixed(write):
    assert plain(read_sets(write(ROWS), set_column="set", label_column="label")) == EXPECTED


def test_a_data_frame_and_its_parquet_file_give_the_same_sets_as_the_csv(write, tmp_path):
    pandas = pytest.importorskip("pandas", reason="needs: pip install 'abclust[tables]'")
    frame = pandas.read_csv(write(ROWS))
    frame.to_parquet(tmp_path / "table.parquet")
    for source in (frame, tmp_path / "table.parquet"):
        assert plain(read_sets(source, set_column="set", label_column="label")) == EXPECTED


def test_arrays_in_a_file_give_the_same_sets(tmp_path):
    X = np.array([[0.5, 1], [2, 3], [4, 50], [-6, 7]])
    sets, y = np.array(list("abab")), np.array(["low", "high", "high", "high"])
    np.savez(tmp_path / "table.npz", X=X, sets=sets, y=y)
    assert plain(read_sets(tmp_path / "table.npz")) == EXPECTED
    np.savez(tmp_path / "other.npz", features=X, who=sets, what=y)
    assert plain(read_sets(tmp_path / "other.npz", set_column="who", label_column="what")) == EXPECTED
    np.save(tmp_path / "table.npy", np.column_stack([[3, 5, 3, 5], X, [0, 1, 1, 1]]))
    numbered = plain(read_sets(tmp_path / "table.npy", set_column="0", label_column="3"))
    assert [each[1:] for each in numbered] == [each[1:] for each in EXPECTED]


def test_without_a_set_column_a_table_is_one_set_named_after_its_file(write):
    (only,) = read_sets(write("x,y\n1,2\n3,4\n", name="points.csv"))
    assert isinstance(only, UnlabelledSet)
    assert (only.name, only.items.tolist()) == ("points", [[1.0, 2.0], [3.0, 4.0]])
    (only,) = read_sets(write("x,c\n1,2\n3,4\n"), label_column="c")
    assert isinstance(only, LabelledSet)


def test_a_csv_without_a_header_has_numbered_columns(write):
    (only,) = read_sets(write("1,2,7\n3,4,8\n"), label_column="2")
    assert (only.items.tolist(), only.labels.tolist()) == ([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    (only,) = read_sets(write("0,1\n3,4\n"))  # numbers as pandas writes them above an array: a header
    assert only.items.tolist() == [[3.0, 4.0]]


def test_byte_order_marks_blank_lines_and_quotes_do_not_disturb(write):
    text = '"x","y, in mm"\n\n"1",2\n\n3,"4"\n'
    (only,) = read_sets(write(text, encoding="utf-8-sig"))
    assert only.items.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_columns_can_be_ignored(write):
    (only,) = read_sets(write("id,x\nfirst,1\nsecond,2\n"), ignore_columns=("id",))
    assert only.items.tolist() == [[1.0], [2.0]]


def test_a_long_csv_crosses_chunks(write):
    text = "s,x\n" + "".join(f"{row // 3001},{row}\n" for row in range(9003))
    sets = list(read_sets(write(text), set_column="s"))
    assert [each.n_items for each in sets] == [3001] * 3
    assert np.concatenate([each.items for each in sets]).ravel().tolist() == list(range(9003))
    assert sets[2].item_names[-1] == "9002"


def test_images_and_tables_in_npy_stay_on_the_disk(tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (7, 5, 5), dtype=np.uint8)
    np.save(tmp_path / "images.npy", images)
    (only,) = read_sets(tmp_path / "images.npy")
    assert isinstance(only.items, np.memmap)
    assert (only.items == images).all()


def chunked(sets, sizes):
    chunks, row = [], 0
    for size in sizes:
        values = np.array(sets[row : row + size])
        chunks.append(TableChunk(np.arange(row, row + len(values), dtype=float)[:, None], values, None, row))
        row += len(values)
    return chunks


@given(
    st.lists(st.integers(1, 7), min_size=1, max_size=9), st.lists(st.integers(1, 5), min_size=1, max_size=20)
)
def test_streaming_and_gathering_agree_wherever_chunks_are_cut(runs, cuts):
    sets = [f"s{place}" for place, length in enumerate(runs) for _ in range(length)]
    cuts = [*cuts, len(sets)]
    streamed = list(sets_from_chunks(chunked(sets, cuts), "", gather=False))
    gathered = list(sets_from_chunks(chunked(sets, cuts), "", gather=True))
    assert [each.n_items for each in streamed] == runs
    for one, other in zip(streamed, gathered, strict=True):
        assert (one.name, one.items.tolist(), one.item_names) == (
            other.name,
            other.items.tolist(),
            other.item_names,
        )


def test_streaming_yields_a_set_before_the_table_is_read_to_its_end():
    def endless():
        row = 0
        while True:
            yield TableChunk(np.zeros((2, 1)), np.array([str(row // 3)] * 2), None, row * 2)
            row += 1

    stream = sets_from_chunks(endless(), "", gather=False)
    assert [next(stream).n_items for _ in range(3)] == [6, 6, 6]


def test_a_table_too_large_to_gather_must_have_its_sets_together(write):
    with pytest.raises(InvalidInputError, match=r"'a' again in row 2\. Sort"):
        list(read_sets(write(ROWS), set_column="set", label_column="label", memory_bytes=10))


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("", {}, "empty file"),
        ("x,y\n", {}, "at least one row"),
        ("x,y\n1,2\n3\n", {}, "2 cells like the first. Got 1 in line 3"),
        ("x,y\n1,2\n\n3,4,5\n", {}, "Got 3 in line 4"),
        ("x,y\n1,2\n3,four\n", {}, "Got 'four' in line 3, column 'y'"),
        ("x,y\n1,\n", {}, "Got '' in line 2, column 'y'"),
        ("x,y\n1,nan\n", {}, "Got 'nan' in line 2, column 'y'"),
        ("x,y\n1,2\n", {"label_column": "z"}, "label_column must be one of 'x', 'y'. Got 'z'"),
        ("x,y\n1,2\n", {"set_column": "z"}, "set_column must be one of"),
        ("x,y\n1,2\n", {"ignore_columns": ("z",)}, "ignore_columns"),
        ("x,y\n1,\n", {"label_column": "y"}, "column 'y' must not be empty. Got nothing in line 2"),
        ("x,y\n1,2\n", {"set_column": "x", "label_column": "y"}, "at least one feature column"),
        ("x,x\n1,2\n", {}, "must differ. Got 'x' more than once"),
    ],
)
def test_errors_of_a_csv_name_the_line_and_the_column(write, text, columns, message):
    with pytest.raises(InvalidInputError, match=message.replace("(", r"\(")):
        list(read_sets(write(text), **columns))


BAD_CELLS = "set,x,y\na,1,2\nb,3,four\na,5,6\nc,7,inf\nd,,8\ne,9,10\n"


def test_a_set_with_a_wrong_cell_is_left_out_and_named_if_asked_for(write, tmp_path):
    source = read_sets(write(BAD_CELLS), set_column="set", skip_bad_sets=True)
    assert [(each.name, each.n_items) for each in source] == [("a", 2), ("e", 1)]
    assert [each.path for each in source.skipped] == ["set 'b'", "set 'c'", "set 'd'"]
    assert "Got 'four' in line 3, column 'y'" in source.skipped[0].reason
    numbers = np.array([[1, 2], [3, np.nan], [5, np.inf], [7, 8]], dtype=np.float64)
    np.savez(tmp_path / "bad.npz", X=numbers, sets=["a", "b", "c", "d"])
    from_array = read_sets(tmp_path / "bad.npz", skip_bad_sets=True)
    assert [each.name for each in from_array] == ["a", "d"]
    assert "row 2, column '1'" in from_array.skipped[1].reason


def test_a_wrong_cell_is_an_error_unless_bad_sets_may_be_left_out(write):
    with pytest.raises(InvalidInputError, match="Got 'four' in line 3"):
        list(read_sets(write(BAD_CELLS), set_column="set"))


def test_a_table_without_any_whole_set_is_an_error(write):
    with pytest.raises(InvalidInputError, match=r"Got none of 1. features must be .* Got 'four' in line 2"):
        list(read_sets(write("x,y\n1,four\n"), skip_bad_sets=True))


@pytest.mark.parametrize("missing", ["", "nan", "NA", " "])
def test_missing_cells_pass_as_nan_where_they_are_allowed(write, missing):
    (table,) = read_sets(write(f"x,y\n1,{missing}\n2,3\n"), allow_missing=True)
    assert np.array_equal(table.items, [[1, np.nan], [2, 3]], equal_nan=True)
    with pytest.raises(InvalidInputError, match="Got 'inf' in line 3"):
        list(read_sets(write(f"x,y\n1,{missing}\n2,inf\n"), allow_missing=True))


def test_missing_values_of_parquet_and_arrays_pass_where_they_are_allowed(tmp_path):
    pandas = pytest.importorskip("pandas", reason="needs: pip install 'abclust[tables]'")
    pandas.DataFrame({"x": [1.0, None], "y": [2.0, 3.0]}).to_parquet(tmp_path / "gaps.parquet")
    np.save(tmp_path / "gaps.npy", [[1.0, 2.0], [np.nan, 3.0]])
    for name in ("gaps.parquet", "gaps.npy"):
        (table,) = read_sets(tmp_path / name, allow_missing=True)
        assert np.array_equal(table.items, [[1, 2], [np.nan, 3]], equal_nan=True)
        with pytest.raises(InvalidInputError, match="Got nan in row 1"):
            list(read_sets(tmp_path / name))


def test_a_csv_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "table.csv").write_bytes(b"x,y\n\xff\xfe\x00,1\n")
    with pytest.raises(FileFormatError, match="UTF-8"):
        list(read_sets(tmp_path / "table.csv"))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [1.0, None], "y": [1, 2]}, "row 1, column 'x'"),
        ({"x": [1.0, 2.0], "y": ["a", "b"]}, "column 'y'"),
        ({"x": [1.0, 2.0], "label": ["a", None]}, "'label' must not have missing values"),
    ],
)
def test_errors_of_parquet_and_data_frames_name_the_column(tmp_path, columns, message):
    pandas = pytest.importorskip("pandas", reason="needs: pip install 'abclust[tables]'")
    frame = pandas.DataFrame(columns)
    frame.to_parquet(tmp_path / "table.parquet")
    label = "label" if "label" in columns else None
    for source in (frame, tmp_path / "table.parquet"):
        with pytest.raises(InvalidInputError, match=message):
            list(read_sets(source, label_column=label))


def test_parquet_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "table.parquet").write_bytes(b"")
    with pytest.raises(MissingExtraError, match=r"abclust\[tables\]"):
        list(read_sets(tmp_path / "table.parquet"))


@pytest.mark.parametrize("name", ["table.parquet", "table.npy", "table.npz"])
@pytest.mark.parametrize("content", [b"", b"something else entirely, and long enough to have a header"])
def test_files_that_are_not_what_their_name_says_are_refused(tmp_path, name, content):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="needs: pip install 'abclust[tables]'")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileFormatError, match=name):
        list(read_sets(tmp_path / name))


def test_pickled_arrays_are_never_loaded(tmp_path):
    objects = np.array([{"a": 1}, None], dtype=object)
    np.save(tmp_path / "objects.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "objects.npz", X=objects)
    for name in ("objects.npy", "objects.npz"):
        with pytest.raises(FileFormatError, match=name):
            list(read_sets(tmp_path / name))


def test_a_truncated_npy_is_refused(tmp_path):
    np.save(tmp_path / "cut.npy", np.ones((100, 3)))
    (tmp_path / "cut.npy").write_bytes((tmp_path / "cut.npy").read_bytes()[:-8])
    with pytest.raises(FileFormatError, match=r"cut\.npy"):
        list(read_sets(tmp_path / "cut.npy"))


def test_a_bomb_in_a_npz_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("abclust.datasets.array_files.LARGEST_MEMBER", 10_000)
    np.savez_compressed(tmp_path / "bomb.npz", X=np.zeros((1000, 1000)))
    with pytest.raises(FileFormatError, match="at most 10000 bytes"):
        list(read_sets(tmp_path / "bomb.npz"))


@pytest.mark.parametrize(
    ("arrays", "columns", "message"),
    [
        ({"a": np.ones((3, 2)), "b": np.ones((3, 2))}, {}, "must be called one of"),
        ({"X": np.ones((3, 2)), "y": np.ones(2)}, {}, "one entry for each of 3 items"),
        ({"X": np.ones(3)}, {}, "shape"),
        ({"X": np.array([["a"]])}, {}, "numbers"),
        ({"X": np.array([[1.0, np.inf]])}, {}, "row 0, column '1'"),
        ({"X": np.ones((3, 2))}, {"label_column": "y"}, "label_column must be one of the arrays X"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, arrays, columns, message):
    np.savez(tmp_path / "table.npz", **arrays)
    with pytest.raises(InvalidInputError, match=message):
        list(read_sets(tmp_path / "table.npz", **columns))


def test_columns_of_images_are_refused(tmp_path):
    np.save(tmp_path / "images.npy", np.zeros((3, 5, 5)))
    with pytest.raises(InvalidInputError, match=r"array \(n, d\)"):
        list(read_sets(tmp_path / "images.npy", label_column="0"))


def test_unknown_sources_are_refused(tmp_path, write):
    with pytest.raises(InvalidInputError, match=r"\.csv, \.npy, \.npz, \.parquet"):
        read_sets(write("x", name="table.xlsx"))
    with pytest.raises(InvalidInputError, match="Got int"):
        read_sets(3)
    with pytest.raises(DataNotFoundError):
        read_sets(tmp_path / "none.csv")
