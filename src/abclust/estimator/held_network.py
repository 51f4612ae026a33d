"""A fitted estimator's network: held by reference, so that a pickle holds no module."""

from typing import Any

from sklearn.base import BaseEstimator

from abclust.estimator.network_source import NetworkBytes, WeightsReference
from abclust.model.context_kernel_network import ContextKernelNetwork

_IS_MODEL = "model"


class HeldNetwork(BaseEstimator):
    """An estimator with a parameter `model` and, once fitted, a network.

    Shipped weights and files are pickled as a name or path with a sha256, and read again when they are first
    needed; a network that the caller handed in is pickled as the content of its safetensors file. Nothing of
    torch is pickled either way.
    """

    model: Any
    device: Any

    def _hold(self, network: ContextKernelNetwork, reference: WeightsReference | None) -> None:
        self._network = network
        self._reference = reference

    @property
    def network_(self) -> ContextKernelNetwork:
        """The network that `fit` used; read again from its file or name after unpickling.

        Raises
        ------
        DataNotFoundError, FileFormatError
            If the file is gone, or is another one.
        """
        if "_network" not in vars(self):
            reference = vars(self).get("_reference")
            if reference is None:
                raise AttributeError(f"{type(self).__name__} has no network_ before fit.")
            self._network = reference.load(self.device)
        return self._network

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {**super().__getstate__()}  # type: ignore[dict-item]
        network = state.pop("_network", None)
        if network is not None and self._reference is None:
            state["_stored"] = _IS_MODEL if network is self.model else NetworkBytes.of(network)
        if isinstance(self.model, ContextKernelNetwork):
            state["model"] = NetworkBytes.of(self.model)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        stored = state.pop("_stored", None)
        if isinstance(state["model"], NetworkBytes):
            state["model"] = state["model"].network()
        if stored is not None:
            state["_network"] = state["model"] if stored == _IS_MODEL else stored.network()
        super().__setstate__(state)
