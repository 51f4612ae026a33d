import numpy as np
import pytest
import torch
from torch import nn

from abclust.datasets.labelled_set import LabelledSet
from abclust.training.standardisation import Standardisation


def test_units_are_those_of_all_items_together():
    rng = np.random.default_rng(0)
    sets = [LabelledSet(rng.normal(size=(n, 3)) * [1, 100, 1e-3] + [5, 0, 7], np.zeros(n)) for n in (11, 13)]
    units = Standardisation.of(sets)
    items = np.concatenate([units.apply(each).items for each in sets])
    np.testing.assert_allclose(items.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(items.std(0), 1, rtol=1e-5)


@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_units_do_not_depend_on_the_chunks_they_are_computed_in(n_features, monkeypatch):
    rng = np.random.default_rng(3)
    sets = [LabelledSet(rng.normal(size=(n, n_features)) + 1e6, np.zeros(n)) for n in (2, 3, 211, 1, 17)]
    items = np.concatenate([each.items for each in sets])
    whole = Standardisation.of(sets)
    assert np.array_equal(whole.mean, items.mean(axis=0))
    assert np.array_equal(whole.deviation, items.std(axis=0))
    monkeypatch.setattr("abclust.training.standardisation._CHUNK_NUMBERS", 13)
    chunked = Standardisation.of(sets)
    np.testing.assert_allclose(chunked.mean, whole.mean, rtol=1e-14)
    np.testing.assert_allclose(chunked.deviation, whole.deviation, rtol=1e-10)


def test_a_constant_feature_stays_finite():
    units = Standardisation.of([LabelledSet(np.full((3, 2), 5.0), [0, 0, 1])])
    assert np.isfinite(units.apply(LabelledSet(np.full((3, 2), 5.0), [0, 0, 1])).items).all()


def test_folding_gives_the_same_outputs_on_raw_features():
    rng = np.random.default_rng(0)
    raw = LabelledSet(rng.normal(size=(17, 3)) * [1, 100, 0.01] + [5, 1000, 7], np.zeros(17))
    units, layer = Standardisation.of([raw]), nn.Linear(3, 5)
    expected = layer(torch.from_numpy(units.apply(raw).items))
    units.fold_into(layer)
    torch.testing.assert_close(
        layer(torch.from_numpy(raw.items.astype(np.float32))), expected, rtol=1e-3, atol=1e-3
    )
