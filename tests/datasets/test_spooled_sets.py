import gc
import resource
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.set_reading import read_sets
from abclust.datasets.spooled_sets import SpooledSets, spool_sets
from abclust.foundations.errors import InvalidInputError

TYPES = st.sampled_from([np.uint8, np.bool_, np.int16, np.float16, np.float32, np.float64])
MAPS = Path("/proc/self/maps")
SIZES = arrays.array_shapes(min_dims=2, max_dims=3, max_side=5)


def stream(count=7, n_items=5, n_features=3):
    for number in range(count):
        items = np.arange(n_items * n_features).reshape(n_items, n_features) + 1000 * number
        yield LabelledSet(items, list("abaca"), f"set {number}", f"group {number % 2}", tuple("vwxyz"))


@given(st.lists(TYPES.flatmap(lambda kind: arrays.arrays(kind, SIZES)), min_size=1, max_size=5))
def test_what_is_spooled_comes_back_to_the_last_bit(many):
    sets = [LabelledSet(items, np.arange(len(items)) % 2) for items in many]
    spooled = SpooledSets.written(sets, None)
    assert len(spooled) == len(sets)
    for each, wanted in zip(spooled, sets, strict=True):
        assert each.items.dtype == wanted.items.dtype
        assert each.items.shape == wanted.items.shape
        assert each.items.tobytes() == wanted.items.tobytes()
        assert each.labels.tolist() == wanted.labels.tolist()


def test_few_sets_are_held_in_memory_and_many_are_not():
    weight = 7 * 5 * 3 * 8
    assert isinstance(spool_sets(stream(), memory_bytes=weight), list)
    assert isinstance(spool_sets(stream(), memory_bytes=weight - 1), SpooledSets)


@pytest.mark.parametrize("memory_bytes", [10, 300, 10**6])
def test_sets_keep_order_names_and_groups_wherever_they_are(memory_bytes):
    found = spool_sets(stream(), memory_bytes=memory_bytes)
    assert [(each.name, each.group) for each in found] == [(f"set {n}", f"group {n % 2}") for n in range(7)]
    assert [int(each.items[0, 0]) for each in found] == [1000 * number for number in range(7)]
    assert all(each.labels.tolist() == [0, 1, 0, 2, 0] for each in found)


def test_names_of_single_items_are_let_go():
    assert all(each.item_names == () for each in spool_sets(stream()))


def test_what_the_caller_holds_anyway_is_not_written_again():
    sets = list(stream())
    assert all(each is mine for each, mine in zip(spool_sets(sets, memory_bytes=1), sets, strict=True))
    spooled = spool_sets(stream(), memory_bytes=1)
    assert spool_sets(spooled) is spooled


def test_items_are_views_of_the_file():
    first = spool_sets(stream(), memory_bytes=1)[0]
    assert not first.items.flags.owndata
    assert not first.items.flags.writeable


def test_some_of_the_sets_share_the_file_with_all():
    spooled = SpooledSets.written(stream(), None)
    assert [each.name for each in spooled.at([5, 2])] == ["set 5", "set 2"]
    assert [each.name for each in spooled[1:6:2]] == ["set 1", "set 3", "set 5"]
    assert spooled[-1].name == "set 6"
    assert np.shares_memory(spooled.at([3])[0].items, spooled[3].items)
    with pytest.raises(IndexError):
        spooled[7]


def test_the_file_has_no_name_and_its_room_comes_back(tmp_path):
    def n_maps():
        gc.collect()
        return MAPS.read_text().count(str(tmp_path))

    spooled = spool_sets(stream(), memory_bytes=1, folder=tmp_path / "run")
    assert list((tmp_path / "run").iterdir()) == []
    if MAPS.is_file():  # Linux tells
        assert n_maps() == 1
        del spooled
        assert n_maps() == 0


def test_after_an_error_of_the_stream_nothing_is_left(tmp_path):
    def broken():
        yield from stream()
        raise InvalidInputError("line 8 must be whole")

    with pytest.raises(InvalidInputError, match="line 8"):
        spool_sets(broken(), memory_bytes=1, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_too_little_room_is_named_with_the_folder(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # A quota, as far as a process can give itself one.
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, before[1]))
    try:
        with pytest.raises(InvalidInputError, match="must have room") as caught:
            spool_sets(stream(), memory_bytes=1, folder=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert str(tmp_path) in str(caught.value)


def test_python_objects_are_refused():
    sets = (LabelledSet(np.array([[object()]]), [0]) for _ in range(2))
    with pytest.raises(InvalidInputError, match="items must be numbers"):
        spool_sets(sets, memory_bytes=1)


def test_sets_without_labels_are_refused(tmp_path):
    (tmp_path / "points.csv").write_text("x,y\n1,2\n3,4\n")
    with pytest.raises(InvalidInputError, match="must be a LabelledSet"):
        spool_sets(read_sets(tmp_path / "points.csv"))
