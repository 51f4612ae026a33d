"""25 alphabets to learn from, five to choose by, and twenty that nothing here can reach."""

import ast
from pathlib import Path

import pytest

import abclust.experiments
from abclust.datasets.archive_lookup import find_archive
from abclust.datasets.omniglot_archive import SPLITS, omniglot
from abclust.experiments.omniglot_split import (
    EVALUATION_ALPHABETS,
    HELD_OUT,
    background_images,
    check_no_evaluation_alphabet,
)
from abclust.foundations.errors import DataNotFoundError, InvalidInputError

EXPERIMENTS = Path(abclust.experiments.__path__[0])
TRAINS_OR_CHOOSES = ("omniglot_training", "omniglot_scoring")


def archive(split: str) -> Path:
    name = f"{SPLITS[split].folder}.zip"
    return find_archive(name, "omniglot", data=None, url="", checksum="", download=False)


def has_archives() -> bool:
    try:
        return all(archive(split).is_file() for split in SPLITS)
    except DataNotFoundError:
        return False


needs_omniglot = pytest.mark.skipif(
    not has_archives(),
    reason="the Omniglot archives are in none of the usual places: set ABCLUST_DATA to their folder",
)


def experiment_imports(module: str) -> set[str]:
    """The modules of this room that `module` imports, directly or through others."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for node in ast.walk(ast.parse((EXPERIMENTS / f"{name}.py").read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("abclust.experiments."):
                waiting.append((node.module or "").rsplit(".", 1)[1])
    return found


@pytest.mark.parametrize("module", TRAINS_OR_CHOOSES)
def test_what_trains_or_chooses_imports_no_module_that_opens_the_evaluation_archive(module: str) -> None:
    opening = {
        name
        for name in experiment_imports(module)
        if "omniglot_archive" in (EXPERIMENTS / f"{name}.py").read_text()
    }
    assert opening == {"omniglot_split"}
    calls = [
        node
        for node in ast.walk(ast.parse((EXPERIMENTS / "omniglot_split.py").read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "omniglot"
    ]
    splits = [call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)]
    assert splits == ["background"]


def test_an_evaluation_alphabet_is_refused_by_name() -> None:
    with pytest.raises(InvalidInputError, match=r"they choose nothing. Got Keble, ULOG"):
        check_no_evaluation_alphabet(["Greek", "ULOG", "Keble"])
    check_no_evaluation_alphabet(HELD_OUT)


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="part must be one of"):
        background_images("evaluation")


@needs_omniglot
def test_parts_are_25_and_five_alphabets_and_all_of_them() -> None:
    training, held_out, final = (
        set(background_images(part, data=archive("background").parent).group_names)
        for part in ("training", "held-out", "final")
    )
    assert (len(training), len(held_out), len(final)) == (25, 5, 30)
    assert training | held_out == final
    assert held_out == set(HELD_OUT)


@needs_omniglot
def test_the_names_refused_are_those_of_the_evaluation_archive() -> None:
    published = omniglot("evaluation", data=archive("evaluation").parent)
    assert published.group_names == EVALUATION_ALPHABETS


@needs_omniglot
def test_the_background_archive_alone_is_enough_and_necessary(tmp_path: Path) -> None:
    (tmp_path / archive("background").name).symlink_to(archive("background").resolve())
    assert len(background_images("held-out", data=tmp_path)) == 20 * 164
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / archive("evaluation").name).symlink_to(archive("evaluation").resolve())
    with pytest.raises(DataNotFoundError, match=r"images_background\.zip"):
        background_images("held-out", data=tmp_path / "other")
