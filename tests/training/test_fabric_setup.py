"""The number format that is settled on where none is asked for."""

from pathlib import Path

import pytest

from abclust.training.fabric_setup import settled_precision

PROCESSOR = Path("/proc/cpuinfo")


def test_a_format_that_is_asked_for_stays() -> None:
    assert settled_precision("64-true") == "64-true"


@pytest.mark.skipif(not PROCESSOR.exists(), reason="needs Linux, whose /proc/cpuinfo lists the instructions")
def test_the_automatic_format_is_half_as_long_where_the_processor_multiplies_such_numbers() -> None:
    flags = set(PROCESSOR.read_text().split())
    has_instructions = bool(flags & {"avx512_bf16", "amx_bf16", "bf16"})
    assert settled_precision("auto") == ("bf16-mixed" if has_instructions else "32-true")
