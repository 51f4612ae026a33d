"""Shapes in signatures are checked in every test run: jaxtyping and beartype wrap the whole package."""

import os

from jaxtyping import install_import_hook

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

install_import_hook("abclust", "beartype.beartype")

import pytest  # noqa: E402
import torch  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

torch.set_num_threads(1)
# A deadline would fail tests for the sake of a busy machine; derandomize keeps runs repeatable.
settings.register_profile(
    "abclust", deadline=None, derandomize=True, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("abclust")


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(20_201_001)
