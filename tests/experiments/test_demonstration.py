"""What `abclust demo` tells and draws."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from abclust.experiments.demonstration import N_SETS, TRAINING, demonstrate, digit_sets

SYSTEMS = ("abclust", "k-means", "spectral clustering")


def test_images_that_are_clustered_are_not_among_those_learnt_from() -> None:
    learnt, unseen = digit_sets(seed=0)
    seen = {image.tobytes() for each in learnt for image in np.asarray(each.items)}
    assert len(unseen) == N_SETS
    assert not any(image.tobytes() in seen for each in unseen for image in np.asarray(each.items))


def test_the_story_names_every_system_twice_and_the_pictures_are_there(tmp_path: Path) -> None:
    lines: list[str] = []
    brief = replace(TRAINING, steps=2, sets_per_step=2, validate_every=2)
    files = demonstrate(tmp_path, seed=0, say=lines.append, training=brief)
    story = "\n".join(lines)
    assert all(story.count(f"   {system} ") == 2 for system in SYSTEMS)
    assert "found by itself" in story
    assert [file.read_bytes()[:4] for file in files] == [b"\x89PNG"] * 2


@pytest.mark.slow
def test_both_networks_beat_k_means_although_they_are_not_told_the_number(tmp_path: Path) -> None:
    lines: list[str] = []
    demonstrate(tmp_path, seed=0, say=lines.append)
    scores = {
        name: [float(line.split()[-2]) for line in lines if line.startswith(f"   {name} ")]
        for name in SYSTEMS
    }
    assert len(scores["abclust"]) == 2
    for ours, k_means in zip(scores["abclust"], scores["k-means"], strict=True):
        assert ours > k_means + 0.1
        assert ours > 0.75
