"""The learning rate of a step, the stage it belongs to, and how minutes become steps.

All of it counts steps, never seconds: a run that was interrupted, or is on a slower machine, walks the
same way.
"""

import math

from abclust.training.config import TrainingConfig
from abclust.training.objective import Stage

# The first steps of a run pay for lazy set-up (threads, kernels, caches) that the rest do not.
UNMEASURED_STEPS = 5


def learning_rate(step: int, total_steps: int | None, config: TrainingConfig) -> float:
    r"""Linear warm-up, then a half cosine to 0 (Loshchilov & Hutter 2017) or a constant.

    .. math::
        \eta_t = \eta \min(1, (t + 1) / w) \cdot \tfrac12 (1 + \cos \pi (t - w) / (T - w))_{t \ge w}

    Parameters
    ----------
    step
        t, counted from 0.
    total_steps
        T; None while a time budget is being measured, which counts as warming up.
    config
        Peak, length of the warm-up and shape.

    References
    ----------
    .. [1] I. Loshchilov, F. Hutter (2017). SGDR: Stochastic Gradient Descent with Warm Restarts. ICLR.
       https://doi.org/10.48550/arXiv.1608.03983

    Examples
    --------
    >>> config = TrainingConfig(learning_rate=1.0, warmup_steps=10)
    >>> [round(learning_rate(step, 110, config), 3) for step in (0, 9, 60, 109)]
    [0.1, 1.0, 0.5, 0.0]
    """
    warmup = config.warmup_steps
    if step < warmup:
        return config.learning_rate * (step + 1) / warmup
    if config.schedule == "constant" or total_steps is None:
        return config.learning_rate
    progress = min((step - warmup) / max(total_steps - warmup, 1), 1.0)
    return config.learning_rate * 0.5 * (1.0 + math.cos(math.pi * progress))


def stage_of(step: int, config: TrainingConfig) -> Stage:
    """Which parts `step` trains: the encoder alone, the relation on cached embeddings, or both."""
    if step < config.encoder_steps:
        return "encoder"
    if step < config.encoder_steps + config.relation_steps:
        return "relation"
    return "both"


def measured_steps(config: TrainingConfig) -> int:
    """After how many steps minutes are turned into steps: the warm-up, with room for a stable measure."""
    return max(config.warmup_steps, 4 * UNMEASURED_STEPS)


def steps_within(
    minutes: float,
    *,
    step: int,
    spent: float,
    seconds_a_step: float,
    seconds_a_validation: float,
    validate_every: int,
) -> int:
    """Steps in total that a budget of `minutes` allows, validations paid for.

    Parameters
    ----------
    minutes
        The whole budget.
    step, spent
        Steps done and seconds gone so far.
    seconds_a_step, seconds_a_validation, validate_every
        What the rest will cost.

    Examples
    --------
    >>> costs = {"seconds_a_step": 0.5, "seconds_a_validation": 0.0, "validate_every": 100}
    >>> steps_within(1.0, step=10, spent=10.0, **costs)
    110
    """
    each = seconds_a_step + seconds_a_validation / validate_every
    return step + max(int((60.0 * minutes - spent) / each), 1)
