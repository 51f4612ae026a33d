"""Files of every format version load and predict what they always predicted.

The samples are written by ``python tests/model/write_samples.py``.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from abclust.model import ContextKernelNetwork
from abclust.storage.tensor_file import FORMAT_VERSION

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.safetensors"))


def test_every_format_version_has_a_sample():
    versions = {int(path.stem.rsplit("-", 1)[1]) for path in SAMPLES}
    assert versions == set(range(1, FORMAT_VERSION + 1))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_an_old_file_predicts_what_it_always_predicted(path):
    frozen = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    kernel = ContextKernelNetwork.from_file(path).kernel(np.asarray(frozen["items"]))
    np.testing.assert_allclose(kernel, np.asarray(frozen["kernel"]), atol=2e-6)
