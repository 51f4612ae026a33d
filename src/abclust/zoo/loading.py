"""`abclust.load`: a network from a path or a shipped name."""

from pathlib import Path

from abclust.foundations.errors import DataNotFoundError
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.zoo.catalogue import find_weights, shipped_names


def load(path_or_name: str | Path, *, device: str = "cpu") -> ContextKernelNetwork:
    """Load a network: the name of shipped weights, or the path of a file written by ``network.save``.

    Loading reads tensors and JSON, never pickle, and never calls the network. Shipped weights are checked
    against their sha256.

    Parameters
    ----------
    path_or_name
        A shipped name (``abclust models`` lists them) or a path.
    device
        Where the network shall live, as torch names devices.

    Raises
    ------
    DataNotFoundError
        If there is neither such a name nor such a file.
    FileFormatError
        If the file is truncated, foreign, damaged or newer than this version.
    """
    weights = find_weights(str(path_or_name))
    if weights is not None:
        return ContextKernelNetwork.from_file(weights, device)
    if not Path(path_or_name).is_file():
        names = ", ".join(shipped_names()) or "none yet"
        raise DataNotFoundError(
            f"model must be the path of a network file or a shipped name ({names}). "
            f"Got {str(path_or_name)!r}."
        )
    return ContextKernelNetwork.from_file(path_or_name, device)
