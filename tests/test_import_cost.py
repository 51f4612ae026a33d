"""`import abclust` costs nothing that is not asked for."""

import subprocess
import sys

HEAVY = ["torch", "pandas", "lightning_fabric", "matplotlib", "scipy", "sklearn", "networkx", "numpy"]


def loaded_after(statement: str) -> list[str]:
    script = f"import sys\n{statement}\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()


def test_the_bare_import_brings_nothing_heavy():
    assert loaded_after("import abclust; abclust.__version__; dir(abclust)") == []


def test_a_network_brings_torch_and_not_the_training_loop_or_the_pictures():
    loaded = loaded_after("import abclust; abclust.ContextKernelNetwork")
    assert "torch" in loaded
    assert not {"pandas", "lightning_fabric", "matplotlib", "sklearn", "networkx"} & set(loaded)
