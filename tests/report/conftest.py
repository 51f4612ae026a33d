"""Reports written once and read by many tests."""

import numpy as np
import pytest
from tests.report.clustered_samples import HOSTILE, clustered, images, labels_of_sizes, points

from abclust.report import failed_section, set_section, write_report


@pytest.fixture(scope="session")
def image_report(tmp_path_factory):
    """One set of images with the truth, most of it right."""
    labels = labels_of_sizes(29, 5, 3, 1, 1)
    true_labels = np.where(np.arange(len(labels)) == 7, "seven", np.array(list("abcde"))[labels])
    section = set_section(clustered(labels), images(len(labels)), name="letters", true_labels=true_labels)
    path = tmp_path_factory.mktemp("report") / "images.html"
    write_report(path, [section], title="Letters", model="handmade", command="abclust cluster letters")
    return path


@pytest.fixture(scope="session")
def many_report(tmp_path_factory):
    """Sets of points and of images, and two that failed."""
    path = tmp_path_factory.mktemp("report") / "many.html"
    write_report(path, many_sections(), title="Many sets", command="abclust cluster sets")
    return path


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory):
    """Everything that a user names is named to do harm."""
    labels = labels_of_sizes(5, 3, 1, 1)
    names = [f"{HOSTILE} {number}.png" for number in range(len(labels))]
    truth = [f"{HOSTILE} {label}" for label in labels]
    kinds = [images(len(labels)), points(len(labels)), points(len(labels), 7)]
    sections = [
        set_section(clustered(labels), items, name=f"{HOSTILE} {place}", item_names=names, true_labels=truth)
        for place, items in enumerate(kinds)
    ]
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    sections.append(failed_section(HOSTILE, ValueError(HOSTILE)))
    write_report(path, sections, title=HOSTILE, command=HOSTILE, model=HOSTILE)
    return path


def many_sections():
    for place in range(7):
        if place in (2, 5):
            yield failed_section(f"set {place}", ValueError(f"items must not hold NaN. Got {place}."))
            continue
        labels = labels_of_sizes(5 + place, 3, 2)
        items = images(len(labels)) if place % 2 else points(len(labels), 2 + place)
        yield set_section(clustered(labels, seed=place), items, name=f"set {place}", true_labels=labels)
