"""Ten thousand vectors in one call: the memory a fresh process needs beyond the result."""

import json
import subprocess
import sys

import pytest

N_ITEMS = 10_000
ALLOWED_BYTES = 2_500_000_000

SCRIPT = """
import json, resource, sys
from pathlib import Path
import numpy as np, torch
from abclust import ContextKernelConfig, ContextKernelNetwork

def peak() -> int:
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss of a child starts at the peak of the process that started it
        return 1024 * int(status.read_text().split("VmHWM:")[1].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

torch.manual_seed(0)
network = ContextKernelNetwork(ContextKernelConfig(n_features=17))
X = np.random.default_rng(0).normal(size=(int(sys.argv[1]), 17))
network.kernel(X[:7])  # what torch loads at its first call is not the set's
before = peak()
kernel = network.kernel(X)
print(json.dumps({
    "beyond_the_result": peak() - before - kernel.nbytes,
    "result": kernel.nbytes,
    "symmetric": all(
        np.array_equal(kernel[i:i + 1000, j:j + 1000], kernel[j:j + 1000, i:i + 1000].T)
        for i in range(0, len(X), 1000) for j in range(i, len(X), 1000)
    ),
    "within": [float(kernel.min()), float(kernel.max())],
}))
"""


@pytest.mark.slow
def test_ten_thousand_vectors_stay_under_two_and_a_half_gigabytes_beyond_the_result():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(N_ITEMS)], capture_output=True, text=True, check=True
    )
    measured = json.loads(done.stdout)
    assert measured["result"] == N_ITEMS**2 * 4
    assert measured["beyond_the_result"] < ALLOWED_BYTES
    assert measured["symmetric"]
    assert 0 <= measured["within"][0] <= measured["within"][1] <= 1
