"""A second lesson beside the kernel: what else the generator of the sets knows of an item.

Whether two points share a circle is one bit; where the centre of a point's circle lies and how large it is
says more, and a generator knows it. A linear layer that must read it off every item in context teaches the
blocks faster than the pairs alone do (ours). The layer is for training only: it is no part of the network.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from abclust.model.context_kernel_network import ContextKernelNetwork


class TaughtNetwork(nn.Module):
    """A network and the layer that reads targets off its items in context.

    Trained in the place of `network`, whose weights it shares: when the training is over, `network` is the
    trained one, and the layer is forgotten.

    Parameters
    ----------
    network
        The network to train.
    n_targets
        t, how many numbers are known of an item.

    Examples
    --------
    >>> import torch
    >>> from abclust.model.config import ContextKernelConfig
    >>> taught = TaughtNetwork(ContextKernelNetwork(ContextKernelConfig(n_features=2, width=8)), n_targets=3)
    >>> taught(torch.zeros(1, 5, 2)).shape
    torch.Size([1, 5, 5])
    """

    def __init__(self, network: ContextKernelNetwork, n_targets: int) -> None:
        super().__init__()
        self.network = network
        self.target_head = nn.Linear(network.config.width, n_targets)

    def forward(self, batch: Tensor, mask: Bool[Tensor, "B n"] | None = None) -> Float[Tensor, "B n n"]:
        """The logits of the network."""
        return self.network(batch, mask)

    def encode(self, items: Float[Tensor, "N *item"]) -> Float[Tensor, "N h"]:
        """As the network does."""
        return self.network.encode(items)

    def relate(
        self, embeddings: Float[Tensor, "B n h"], mask: Bool[Tensor, "B n"] | None = None
    ) -> Float[Tensor, "B n n"]:
        """As the network does."""
        return self.network.relate(embeddings, mask)

    def relate_and_describe(
        self, embeddings: Float[Tensor, "B n h"], mask: Bool[Tensor, "B n"] | None = None
    ) -> tuple[Float[Tensor, "B n n"], Float[Tensor, "B n t"]]:
        """Logits, and the numbers read off every item, from one walk through the blocks."""
        contextual = self.network.contextualise(embeddings, mask)
        return self.network.compare(contextual, embeddings), self.target_head(contextual)


def target_loss(
    described: Float[Tensor, "B n t"],
    targets: Float[Tensor, "B n t"],
    mask: Bool[Tensor, "B n"] | None = None,
) -> Float[Tensor, ""]:
    """Mean absolute error over the numbers of all real items.

    Absolute, not squared: where an item's circle cannot be told, the median of what it might be is a better
    teacher than the mean of it.

    Examples
    --------
    >>> import torch
    >>> target_loss(torch.tensor([[[1.0], [5.0]]]), torch.zeros(1, 2, 1), torch.tensor([[True, False]]))
    tensor(1.)
    """
    errors = (described - targets).abs().mean(dim=-1)
    return errors.mean() if mask is None else errors[mask].mean()
