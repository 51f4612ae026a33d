"""What a kernel is to everything downstream: one method."""

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Kernel(Protocol):
    """A set of items in, the probability that any two of them belong together out.

    The matrix is symmetric, lies in [0, 1] and moves with the items: reordering the set reorders its rows
    and columns. A fixed kernel looks at two items alone; a learned one may let the whole set decide. It is
    not positive semi-definite in general.

    Examples
    --------
    >>> from abclust.kernel.fixed_kernels import RBFKernel
    >>> isinstance(RBFKernel(), Kernel)
    True
    """

    def kernel(self, X: Any) -> np.ndarray:
        """Give the kernel (n, n) of a set of n items."""
        ...
