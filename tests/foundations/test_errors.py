"""The tree of errors: what a caller can catch."""

import pytest

from abclust.foundations import errors


@pytest.mark.parametrize(
    ("kind", "also"),
    [
        (errors.InvalidInputError, ValueError),
        (errors.FileFormatError, errors.InvalidInputError),
        (errors.DataNotFoundError, errors.InvalidInputError),
        (errors.DataNotFoundError, FileNotFoundError),
        (errors.MissingExtraError, ImportError),
        (errors.TrainingError, RuntimeError),
    ],
)
def test_every_error_is_ours_and_python_s(kind, also):
    assert issubclass(kind, errors.AbclustError)
    assert issubclass(kind, also)


def test_a_missing_package_says_how_to_install_it():
    error = errors.MissingExtraError("pandas", "tables", "Reading Parquet")
    assert str(error) == (
        "Reading Parquet needs the package 'pandas', which is not installed. "
        "Install it with: pip install 'abclust[tables]'"
    )
    assert (error.package, error.extra) == ("pandas", "tables")
