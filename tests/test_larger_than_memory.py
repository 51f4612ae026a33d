"""Data that do not fit memory: a program with a limit learns from them, and learns the same."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import abclust
from abclust.datasets.labelled_set import LabelledSet
from abclust.datasets.spooled_sets import SpooledSets
from abclust.training.config import TrainingConfig
from abclust.training.hold_out import hold_out

PROGRAM = Path(__file__).with_name("limited_memory_program.py")
NOT_ENFORCED = 77
QUICK = TrainingConfig(steps=5, sets_per_step=3, warmup_steps=2, accelerator="cpu")


def learns_within(allowed, *arguments):
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux counts a process's own memory apart from maps of files")
    process = subprocess.run(
        [sys.executable, str(PROGRAM), str(allowed), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    if process.returncode == NOT_ENFORCED:
        pytest.skip("this system does not enforce RLIMIT_DATA")
    assert process.returncode == 0, process.stderr


def write_parquet(path, n_sets, n_items=101, n_features=13):
    pyarrow = pytest.importorskip("pyarrow", reason="needs: pip install 'abclust[tables]'")
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    lots = np.repeat(np.arange(n_sets), n_items)
    features = {f"f{number}": rng.normal(size=len(lots)) for number in range(n_features)}
    table = pyarrow.table({**features, "lot": lots, "kind": rng.integers(3, size=len(lots))})
    parquet.write_table(table, path, row_group_size=200 * n_items)
    return path


def test_a_stream_of_small_sets_is_learnt_from_in_an_eighth_of_its_size():
    learns_within(16_000_000, "stream", "small", 128_000_000)


@pytest.mark.slow
def test_a_stream_of_large_sets_is_learnt_from_in_a_quarter_of_its_size():
    learns_within(64_000_000, "stream", "large", 256_000_000)


@pytest.mark.slow
def test_a_table_on_the_command_line_is_learnt_from_in_a_third_of_its_size(tmp_path):
    small = write_parquet(tmp_path / "small.parquet", n_sets=400)
    large = write_parquet(tmp_path / "large.parquet", n_sets=12_000)  # 126 MB of numbers
    learns_within(42_000_000, "table", small, large, tmp_path / "mine.safetensors")
    assert (tmp_path / "mine.safetensors").is_file()


def vectors(n_sets, n_items, n_clusters):
    rng = np.random.default_rng(7)
    for number in range(n_sets):
        labels = rng.integers(n_clusters, size=n_items)
        items = 100 * rng.normal(size=(n_clusters, 5))[labels] + rng.normal(size=(n_items, 5)) + 1000
        yield LabelledSet(items, labels, name=str(number))


def images(n_sets):
    rng = np.random.default_rng(7)
    for _ in range(n_sets):
        yield rng.integers(0, 256, size=(11, 16, 16), dtype=np.uint8), np.arange(11) % 3


@pytest.mark.parametrize(
    "stream",
    [
        lambda: vectors(n_sets=13, n_items=17, n_clusters=3),
        lambda: vectors(n_sets=2, n_items=409, n_clusters=13),
        lambda: images(n_sets=7),
    ],
    ids=["whole sets", "pools and held-out classes", "images"],
)
def test_from_the_disk_or_from_memory_the_same_network_is_learnt(stream, tmp_path):
    in_memory = abclust.train(list(stream()), config=QUICK)
    from_disk = abclust.train(stream(), config=QUICK, memory_bytes=1000, folder=tmp_path)
    for name, tensor in in_memory.state_dict().items():
        assert torch.equal(from_disk.state_dict()[name], tensor), name
    for key in ("fingerprint", "scores", "calibration", "n_sets", "scored_on"):
        assert from_disk.metadata[key] == in_memory.metadata[key]


class Strike:
    """A reporter that ends the run at its sixth step."""

    def started(self, state): ...

    def stepped(self, state, losses):
        if state.step == 6:
            raise RuntimeError("struck")

    def validated(self, state, scores): ...

    def finished(self, state): ...


def test_a_run_from_the_disk_that_fails_leaves_no_spool_and_is_resumed(tmp_path):
    config = TrainingConfig(
        steps=11, sets_per_step=3, checkpoint_every="2", report_every=1, warmup_steps=2, accelerator="cpu"
    )

    def learn(folder, **more):
        return abclust.train(vectors(13, 17, 3), config=config, folder=folder, memory_bytes=1000, **more)

    undisturbed = learn(None)
    with pytest.raises(RuntimeError, match="struck"):
        learn(tmp_path, reporter=Strike())
    kinds = {path.suffix for path in tmp_path.iterdir()}
    assert ".safetensors" in kinds
    assert kinds <= {".safetensors", ".csv", ".png"}
    resumed = learn(tmp_path, resume=True)
    for name, tensor in undisturbed.state_dict().items():
        assert torch.equal(resumed.state_dict()[name], tensor), name


@pytest.mark.parametrize(("n_sets", "n_clusters"), [(13, 3), (3, 13)])
def test_what_is_held_out_of_spooled_sets_stays_on_the_disk(n_sets, n_clusters):
    sets = list(vectors(n_sets, 53, n_clusters))
    expected = hold_out(sets)
    parts = hold_out(SpooledSets.written(sets, None))
    for part, wanted in zip(parts, expected, strict=True):
        assert isinstance(part, SpooledSets)
        assert [each.name for each in part] == [each.name for each in wanted]
        for each, other in zip(part, wanted, strict=True):
            assert np.array_equal(each.items, other.items)
            assert np.array_equal(each.labels, other.labels)
