"""The network: each item encoded alone, then in the context of its set, then every pair compared."""

from abclust.model.config import PAPER_CIRCLES, PAPER_OMNIGLOT, ContextKernelConfig
from abclust.model.context_kernel_network import ContextKernelNetwork

__all__ = ["PAPER_CIRCLES", "PAPER_OMNIGLOT", "ContextKernelConfig", "ContextKernelNetwork"]
