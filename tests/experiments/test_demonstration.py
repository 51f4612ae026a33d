"""What `abclust demo` tells and draws."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from abclust.experiments.demonstration import N_SETS, TRAINING, demonstrate, digit_sets


def test_images_that_are_clustered_are_not_among_those_learnt_from() -> None:
    learnt, unseen = digit_sets(seed=0)
    seen = {image.tobytes() for each in learnt for image in np.asarray(each.items)}
    assert len(unseen) == N_SETS
    assert not any(image.tobytes() in seen for each in unseen for image in np.asarray(each.items))


def test_the_story_names_every_system_and_the_picture_is_there(tmp_path: Path) -> None:
    lines: list[str] = []
    brief = replace(TRAINING, steps=2, sets_per_step=2, validate_every=2)
    files = demonstrate(tmp_path, seed=0, say=lines.append, training=brief)
    story = "\n".join(lines)
    assert all(system in story for system in ("abclust", "k-means", "spectral clustering"))
    assert "found by itself" in story
    assert [file.read_bytes()[:4] for file in files] == [b"\x89PNG"]


@pytest.mark.slow
def test_the_network_beats_k_means_although_it_is_not_told_the_number(tmp_path: Path) -> None:
    lines: list[str] = []
    demonstrate(tmp_path, seed=0, say=lines.append)
    scores = {
        line.split()[0]: float(line.split()[-3]) for line in lines if line.startswith("  ") and "0." in line
    }
    assert scores["abclust"] > scores["k-means"] + 0.1
    assert scores["abclust"] > 0.75
