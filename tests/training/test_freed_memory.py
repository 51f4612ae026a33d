"""Freed memory is kept: counted by the pages that the system hands to a process of its own."""

import subprocess
import sys

import pytest

from abclust.training.freed_memory import keep_freed_memory

COUNT_PAGES = """
import resource
import sys
import torch
from abclust.training.freed_memory import keep_freed_memory

if sys.argv[1] == "kept":
    assert keep_freed_memory()
for _ in range(10):  # until the heap has its size
    torch.ones(2**24)  # 64 MB
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    torch.ones(2**24)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def pages(mode: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", COUNT_PAGES, mode], check=True, capture_output=True, text=True
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only the C library of Linux takes this setting")
def test_a_tensor_that_is_made_again_gets_the_pages_it_had():
    assert pages("kept") < 100
    assert pages("given back") > 1_000


def test_where_the_system_is_another_nothing_happens(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert keep_freed_memory() is False
