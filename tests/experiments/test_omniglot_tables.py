"""Tables 2 and 4 are rendered from rows, with the paper's numbers beside ours."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.experiments.tiny_alphabets import TINY_NETWORK, tiny_alphabets

from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments import omniglot_tables, table_2, table_4
from abclust.experiments.omniglot_networks import training_command
from abclust.experiments.omniglot_paper_numbers import COMPATIBILITIES, PRINTED_ALPHABETS, TASKS, printed_nmi
from abclust.experiments.omniglot_protocol import PAPER_PROTOCOL, WHOLE_PROTOCOL
from abclust.experiments.omniglot_split import EVALUATION_ALPHABETS
from abclust.experiments.omniglot_tables import SYSTEMS
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.shipped_or_trained import check_shipped
from abclust.foundations.errors import DataNotFoundError, FileFormatError, InvalidInputError
from abclust.model.context_kernel_network import ContextKernelNetwork


def row(protocol: str, task: str, nmi: float, **more: Any) -> dict[str, Any]:
    names = {"system": "ABC mul", "network": "omniglot-paper-mul", "method": "spectral", "calibrated": False}
    return {**names, "protocol": protocol, "task": task, "nmi": nmi, **more}


MEAN_ROWS = [
    *(row(PAPER_PROTOCOL, task, nmi) for task, nmi in zip(TASKS, (0.111, 0.222, 0.333))),
    *(row(WHOLE_PROTOCOL, task, nmi) for task, nmi in zip(TASKS, (0.444, 0.555))),
    row(PAPER_PROTOCOL, TASKS[0], 0.721, system="all singletons", network=None, method=None),
]
ALPHABET_ROWS = [
    row(PAPER_PROTOCOL, task, nmi, group=group)
    for task, nmi in zip(TASKS, (0.125, 0.25, 0.5))
    for group in ("Keble", "Oriya")
]


@pytest.mark.parametrize("compatibility", COMPATIBILITIES)
@pytest.mark.parametrize("task", TASKS)
def test_the_printed_means_are_the_means_of_the_printed_lines(compatibility: str, task: str) -> None:
    lines = [printed_nmi(compatibility, task, alphabet) for alphabet in PRINTED_ALPHABETS]
    # The paper rounds each line to four digits before it prints the mean.
    assert np.mean(lines) == pytest.approx(printed_nmi(compatibility, task), abs=1e-4)


def test_the_printed_alphabets_are_those_of_the_archive() -> None:
    assert PRINTED_ALPHABETS == EVALUATION_ALPHABETS
    with pytest.raises(InvalidInputError, match="Table 4"):
        printed_nmi("multiplicative", "k unknown", "Greek")


def test_table_2_shows_ours_under_what_was_printed(tmp_path: Path) -> None:
    write_results(tmp_path / "table-2.json", MEAN_ROWS, command="abclust reproduce table-2", seed=0)
    _, table = table_2.run(ReproduceOptions(output=tmp_path, render=True))
    text = table.read_text()
    assert "| ABC mul, as printed | spectral | no | .874 | .893 | .884 |" in text
    assert "| ABC add, as printed | spectral | no | .816 | .873 | .860 |" in text
    assert "| ABC mul | spectral | no | .111 | .222 | .333 |" in text
    assert "| DTC-Pi, as printed | trains on the set | - | .945 | .949 |" in text
    assert "| ABC mul | spectral | no | .444 | .555 |" in text
    assert "all singletons" in text


def test_table_4_has_a_line_for_each_alphabet_and_the_mean_last(tmp_path: Path) -> None:
    write_results(tmp_path / "table-4.json", ALPHABET_ROWS, command="abclust reproduce table-4", seed=0)
    _, table = table_4.run(ReproduceOptions(output=tmp_path, render=True))
    lines = table.read_text().splitlines()
    assert lines[0] == "## ABC mul, spectral, raw"
    assert "| Keble | .1250 (.8671) | .2500 (.8921) | .5000 (.9042) |" in lines
    assert lines[-1] == "| **mean** | .1250 (.8742) | .2500 (.8927) | .5000 (.8840) |"


def test_a_network_is_scored_once_and_again_when_its_weights_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(3)
    networks = {name: ContextKernelNetwork(TINY_NETWORK).eval() for name in SYSTEMS}
    shown: list[int] = []

    def evaluation(options: ReproduceOptions, network: ContextKernelNetwork) -> Any:
        shown.append([*networks.values()].index(network))
        return tiny_alphabets("one", "two")

    monkeypatch.setattr(omniglot_tables, "obtain_networks", lambda names, options: networks)
    monkeypatch.setattr(omniglot_tables, "evaluation_images", evaluation)
    monkeypatch.setattr(omniglot_tables, "QUICK_INSTANCES", 2)
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    options = ReproduceOptions(output=tmp_path, quick=True)

    omniglot_tables.compute_tables(options)
    first = {name: read_results(tmp_path / f"{name}.json").rows for name in ("table-2", "table-4")}
    omniglot_tables.compute_tables(options)
    assert shown == [0, 1, 2]

    next(networks["omniglot-paper-add"].parameters()).data.mul_(1.5)
    omniglot_tables.compute_tables(options)
    assert shown == [0, 1, 2, 1]
    for name, rows in first.items():
        found = read_results(tmp_path / f"{name}.json").rows
        assert [row["network"] for row in found] == [row["network"] for row in rows]
        assert [row for row in found if row["network"] != "omniglot-paper-add"] == [
            row for row in rows if row["network"] != "omniglot-paper-add"
        ]
        changed = {row["weights"] for row in (*found, *rows) if row["network"] == "omniglot-paper-add"}
        assert len(changed) == 2


@pytest.mark.parametrize(("module", "name"), [(table_2, "table-2"), (table_4, "table-4")])
def test_rows_of_another_experiment_are_refused(module: Any, name: str, tmp_path: Path) -> None:
    write_results(tmp_path / f"{name}.json", [{"nmi": 0.5}], command="another", seed=0)
    with pytest.raises(FileFormatError, match="must hold rows with system"):
        module.run(ReproduceOptions(output=tmp_path, render=True))


def test_without_weights_the_error_names_the_command_that_trains_them() -> None:
    with pytest.raises(DataNotFoundError, match=r"omniglot_training omniglot-paper-mul --output"):
        check_shipped(["omniglot-paper-mul"], ["omniglot"], training_command)
