"""Sentences on six topics, and the embeddings that ship beside them."""

import importlib.util
from collections import Counter

import numpy as np
import pytest

from abclust.experiments.short_texts import EMBEDDINGS, TEXTS, WORDS, embed, embedded_texts, read_texts
from abclust.foundations.errors import DataNotFoundError
from abclust.storage.tensor_file import read_header

IS_INSTALLED = importlib.util.find_spec("wordllama") is not None


def test_every_topic_has_as_many_different_sentences():
    texts, topics = read_texts()
    assert set(Counter(topics).values()) == {25}
    assert len(set(texts)) == len(texts) == 150


def test_no_sentence_says_its_topic():
    assert not [text for text, topic in zip(*read_texts()) if topic in text.lower()]


def test_every_sentence_has_a_vector_of_unit_length():
    found = embedded_texts()
    assert found.items.shape == (150, 256)
    np.testing.assert_allclose(np.linalg.norm(found.items, axis=1), 1.0, atol=1e-3)
    assert len(np.unique(found.items, axis=0)) == 150


def test_the_vectors_know_something_of_the_topics():
    found = embedded_texts()
    cosines = found.items @ found.items.T
    is_same = found.true_kernel.astype(bool) & ~np.eye(150, dtype=bool)
    assert cosines[is_same].mean() > cosines[found.true_kernel == 0].mean() + 0.05


def test_the_header_says_who_made_the_vectors():
    assert read_header(EMBEDDINGS)["package"] == "wordllama"


@pytest.mark.skipif(not IS_INSTALLED, reason="needs the package wordllama: pip install wordllama")
@pytest.mark.parametrize("table", [TEXTS, WORDS])
def test_the_package_gives_the_vectors_that_ship(table):
    np.testing.assert_allclose(embed(read_texts(table)[0]), embedded_texts(table).items, atol=2e-3)


@pytest.mark.skipif(IS_INSTALLED, reason="wordllama is installed")
def test_without_the_package_the_error_says_what_to_install():
    with pytest.raises(DataNotFoundError, match="pip install wordllama"):
        embed(["a sentence"])
