"""Nothing is overwritten unasked, and what cannot be written is found out before the work, not after it."""

from collections.abc import Sequence
from pathlib import Path

from abclust.foundations.errors import InvalidInputError
from abclust.storage.atomic_file import check_writable_folder


def check_outputs(outputs: Sequence[Path], *, force: bool, source: Path | None = None) -> None:
    """Make sure that every output can be written, replaces nothing unasked and is not the input.

    Raises
    ------
    InvalidInputError
        For the first output that is already there, is a folder, stands twice, is the input, or whose folder
        cannot be written.
    """
    for place, path in enumerate(outputs):
        if source is not None and path.resolve() == source.resolve():
            raise InvalidInputError(f"an output must not replace the input. Got {str(path)!r} for both.")
        if path.resolve() in [other.resolve() for other in outputs[:place]]:
            raise InvalidInputError(f"outputs must be different files. Got {str(path)!r} twice.")
        if path.is_dir():
            raise InvalidInputError(f"an output must be a file. Got the folder {str(path)!r}.")
        if path.exists() and not force:
            raise InvalidInputError(
                f"an output must not be there already. Got {str(path)!r}. Name another one, or add --force."
            )
        check_writable_folder(path.parent)
