"""Freed memory is kept inside, and given back afterwards; a process of its own measures it."""

import subprocess
import sys

import pytest

from abclust.foundations.freed_memory import freed_memory_kept

MEASURE = """
import numpy as np
from abclust.foundations.freed_memory import freed_memory_kept

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

def make_and_free():
    np.ones(32 * 2**20 // 8)
    return resident()

before = resident()
outside = make_and_free()
with freed_memory_kept() as is_kept:
    inside = make_and_free()
after = resident()
print(is_kept, *((measured - before) // 2**20 for measured in (outside, inside, after)))
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs Linux: another C library has no mallopt"
)
def test_what_is_freed_stays_inside_and_goes_back_afterwards():
    found = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    is_kept, outside, inside, after = found.stdout.split()
    if is_kept == "False":
        pytest.skip("needs glibc: another C library has no mallopt")
    assert int(outside) < 8
    assert int(inside) >= 30
    assert int(after) < 8


def test_an_error_inside_comes_out_as_it_is():
    with pytest.raises(ZeroDivisionError), freed_memory_kept():
        1 / 0  # noqa: B018
