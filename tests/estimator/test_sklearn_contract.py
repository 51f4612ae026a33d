"""scikit-learn's own battery of checks, and what it does not look at.

None of its checks is excepted for the default estimator, and one, with its reason, for a network handed in.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_clusterer
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from tests.estimator.handmade_networks import blobs, table_network_by_hand

from abclust.estimator.attention_clustering import AttentionClustering

EXCEPTED = {
    "check_estimators_overwrite_params": "joblib gives two equal torch modules different hashes; that fit "
    "leaves a network as it came is tested by itself",
}
WITH_A_NETWORK = [
    (estimator, check)
    for estimator, check in estimator_checks_generator(AttentionClustering(table_network_by_hand()))
    if check.func.__name__ not in EXCEPTED
]


@parametrize_with_checks([AttentionClustering()])
def test_the_default_estimator_passes(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("estimator", "check"), WITH_A_NETWORK, ids=[check.func.__name__ for _, check in WITH_A_NETWORK]
)
def test_an_estimator_with_a_network_passes(estimator, check):
    check(estimator)


def test_it_is_a_clusterer_that_knows_which_weights_take_missing_values(table_network, circle_network):
    assert is_clusterer(AttentionClustering())
    assert get_tags(AttentionClustering(table_network)).input_tags.allow_nan
    assert not get_tags(AttentionClustering(circle_network)).input_tags.allow_nan
    assert not get_tags(AttentionClustering("no such weights")).input_tags.allow_nan
    assert not get_tags(AttentionClustering(3)).input_tags.allow_nan


def test_it_works_at_the_end_of_a_pipeline_with_constraints(table_network):
    table, labels = blobs(np.random.default_rng(1), 23, 3)
    pipeline = make_pipeline(StandardScaler(), AttentionClustering(table_network))
    np.testing.assert_array_equal(pipeline.fit_predict(table), labels)
    pipeline.fit(table, attentionclustering__must_link=[(0, 1)])
    assert pipeline[-1].labels_[0] == pipeline[-1].labels_[1]
    assert pipeline.predict(table[:5]).tolist() == pipeline[-1].labels_[:5].tolist()


def test_parameters_can_be_read_set_and_cloned():
    grid = {"model": ["circles"], "n_clusters": [None, 3, (2, 5)], "method": ["log-odds", "spectral"]}
    for parameters in ParameterGrid(grid):
        copied = clone(AttentionClustering().set_params(**parameters))
        assert parameters.items() <= copied.get_params().items()


def test_names_of_columns_are_remembered_and_compared(table_network):
    frame = pd.DataFrame(blobs(np.random.default_rng(1), 23, 3)[0], columns=["a", "b", "c"])
    fitted = AttentionClustering(table_network).fit(frame)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    assert fitted.n_features_in_ == 3
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[["c", "b", "a"]])


def test_transform_comes_as_a_data_frame_if_asked_for(table_network):
    frame = pd.DataFrame(blobs(np.random.default_rng(1), 23, 3)[0], index=range(100, 123))
    frame.columns = ["a", "b", "c"]
    fitted = AttentionClustering(table_network).set_output(transform="pandas").fit(frame)
    drawn = fitted.transform(frame)
    assert drawn.columns.tolist() == [f"attentionclustering{cluster}" for cluster in range(3)]
    assert drawn.index.tolist() == list(range(100, 123))
    assert drawn.to_numpy().argmax(axis=1).tolist() == fitted.labels_.tolist()
