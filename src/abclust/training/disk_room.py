"""A full disk or an unwritable folder is found before hours are spent."""

import shutil
from pathlib import Path

from torch import nn

from abclust.foundations.errors import InvalidInputError
from abclust.storage.atomic_file import check_writable_folder, replacing

_CHUNK = 1 << 20
# The weights, Adam's two moments, the average and the best so far.
_COPIES_OF_THE_WEIGHTS = 5


def check_room(folder: str | Path, network: nn.Module, n_checkpoints: int) -> None:
    """Fail now if `n_checkpoints` checkpoints of `network` will not fit into `folder`.

    Asks the file system for room for all of them and one being written, and writes and removes a file of
    the size of one, which also meets quotas.

    Raises
    ------
    InvalidInputError
        If the folder cannot be made or written, or there is too little room.
    """
    check_writable_folder(folder)
    weights = sum(tensor.numel() * tensor.element_size() for tensor in network.state_dict().values())
    one = _COPIES_OF_THE_WEIGHTS * weights + _CHUNK
    wanted = (n_checkpoints + 1) * one
    free = shutil.disk_usage(folder).free
    if free < wanted:
        raise InvalidInputError(
            f"folder of checkpoints must have {wanted / 1e6:.0f} MB of room. Got {free / 1e6:.0f} MB free in "
            f"{str(folder)!r}. Free some, or lower keep_checkpoints."
        )
    probe = Path(folder) / ".room"
    try:
        with replacing(probe, durable=False) as beside, beside.open("wb") as handle:
            for _ in range(one // _CHUNK + 1):
                handle.write(bytes(_CHUNK))
    except OSError as error:
        raise InvalidInputError(
            f"folder of checkpoints must take a file of {one / 1e6:.0f} MB. "
            f"Got {str(folder)!r}: {error.strerror}."
        ) from error
    finally:
        probe.unlink(missing_ok=True)
