"""Both sides of a statement, and how far they are apart.

A statement of the paper is run, not assumed: one side comes out of the attention, the other out of the
formula. The classes here hold the two sides and leave the judgement, that is the tolerance, to the reader.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, eq=False)
class Equality:
    """left = right.

    Attributes
    ----------
    left
        What the dynamical system gave.
    right
        What the formula says.

    Examples
    --------
    >>> Equality(np.array([2.0, 4.0]), np.array([2.0, 4.5])).error
    0.1111111111111111
    """

    left: Float[np.ndarray, "*shape"]
    right: Float[np.ndarray, "*shape"]

    @property
    def error(self) -> float:
        """Largest |left - right| as a share of the largest number on either side; 0 if there is none."""
        sides = np.abs(np.stack([self.left, self.right]))
        largest = sides.max(initial=0.0)
        return 0.0 if largest == 0 else float(np.abs(self.left - self.right).max() / largest)


@dataclass(frozen=True)
class Inequality:
    """left <= right.

    Examples
    --------
    >>> Inequality(1.0, 4.0).slack
    3.0
    """

    left: float
    right: float

    @property
    def slack(self) -> float:
        """right - left: negative where the statement fails."""
        return self.right - self.left
