"""Everything a training run can be told; the help of a field is also the help of its command-line option."""

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

from abclust.foundations.errors import InvalidInputError
from abclust.foundations.options import check_choice

PAIR_WEIGHTINGS = ("uniform", "ratio", "balanced")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)")
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def _setting(default: Any, help_text: str) -> Any:
    """A field with its help."""
    return dataclasses.field(default=default, metadata={"help": help_text})


@dataclass(frozen=True)
class TrainingConfig:
    """How to train. Every field has its help in its metadata; :func:`help_of` reads it."""

    steps: int = _setting(2000, "Steps in total, over all resumed parts of the run.")
    minutes: float | None = _setting(
        None,
        "Time budget that takes the place of steps: measured while warming up, turned into steps, then kept.",
    )
    sets_per_step: int = _setting(16, "Sets in a step of one process.")
    optimizer: str = _setting("adamw", "adam (paper), adamw, or muon for matrices with adamw for the rest.")
    learning_rate: float = _setting(1e-3, "Peak learning rate (paper: 1e-3).")
    weight_decay: float = _setting(1e-2, "Decoupled weight decay of adamw and muon.")
    warmup_steps: int = _setting(100, "Steps over which the learning rate rises from 0.")
    schedule: str = _setting("cosine", "After the warm-up: cosine to 0, or constant (paper).")
    clip_norm: float | None = _setting(1.0, "Largest norm of the gradient; none to leave it alone.")
    ema_decay: float = _setting(0.998, "Decay of the moving average of the weights that is kept; 0 for none.")
    pair_weight: float = _setting(1.0, "Weight of the pair loss.")
    pair_weighting: str = _setting(
        "uniform", "Weights of pairs: uniform (paper), ratio (authors' code) or balanced."
    )
    pos_weight: float = _setting(1.0, "A further factor on pairs of one cluster.")
    diagonal: bool = _setting(True, "Count the pairs of an item with itself, as the paper does.")
    contrastive_weight: float = _setting(0.0, "Weight of the supervised contrastive loss on the encoder.")
    contrastive_temperature: float = _setting(0.1, "Temperature of the contrastive loss.")
    target_weight: float = _setting(
        0.0, "Weight of the loss on what else is known of an item, where its source knows more than clusters."
    )
    encoder_steps: int = _setting(
        0, "First stage: steps that train the encoder alone, by the contrastive loss."
    )
    relation_steps: int = _setting(0, "Second stage: steps on cached embeddings, with the encoder frozen.")
    validate_every: int = _setting(250, "Steps between validations.")
    monitor: str = _setting("nmi_k_unknown", "The validation score, higher is better, that picks and stops.")
    patience: int | None = _setting(
        None,
        "Validations without a better score before the run stops; the best weights are then the ones kept.",
    )
    checkpoint_every: str = _setting("5m", "Steps (500) or time (30s, 5m, 1h) between checkpoints.")
    keep_checkpoints: int = _setting(3, "How many of the last checkpoints stay.")
    report_every: int = _setting(20, "Steps between rows of the curve.")
    seed: int = _setting(0, "Seed of the weights, the batches and everything else that is drawn.")
    precision: str = _setting(
        "32-true",
        "Number format, by Lightning Fabric's names: 32-true, bf16-mixed, 16-mixed; or auto, which is "
        "bf16-mixed where the processor multiplies such numbers itself and 32-true elsewhere.",
    )
    accelerator: str = _setting("auto", "cpu, cuda, mps or auto.")
    devices: int = _setting(1, "Processes on this machine, one a device.")
    strategy: str = _setting("auto", "Fabric's strategy: auto, ddp, ddp_spawn (in notebooks), ...")
    num_nodes: int = _setting(1, "Machines that train together.")

    def __post_init__(self) -> None:
        check_choice("optimizer", self.optimizer, ("adam", "adamw", "muon"))
        check_choice("schedule", self.schedule, ("cosine", "constant"))
        check_choice("pair_weighting", self.pair_weighting, PAIR_WEIGHTINGS)
        positive = ("steps", "sets_per_step", "validate_every", "keep_checkpoints", "report_every", "devices")
        for name in (*positive, "learning_rate", "pos_weight", "contrastive_temperature", "num_nodes"):
            if not getattr(self, name) > 0:
                raise InvalidInputError(f"{name} must be positive. Got {getattr(self, name)!r}.")
        counts = ("warmup_steps", "encoder_steps", "relation_steps", "seed")
        for name in (*counts, "pair_weight", "contrastive_weight", "target_weight", "weight_decay"):
            if getattr(self, name) < 0:
                raise InvalidInputError(f"{name} must not be negative. Got {getattr(self, name)!r}.")
        for name in ("minutes", "clip_norm", "patience"):
            if getattr(self, name) is not None and not getattr(self, name) > 0:
                raise InvalidInputError(f"{name} must be positive or None. Got {getattr(self, name)!r}.")
        if not 0 <= self.ema_decay < 1:
            raise InvalidInputError(f"ema_decay must be in [0, 1). Got {self.ema_decay!r}.")
        parse_interval(self.checkpoint_every)

    @property
    def is_staged(self) -> bool:
        """Whether the run has an encoder or a relation stage before it trains both."""
        return self.encoder_steps > 0 or self.relation_steps > 0


@dataclass(frozen=True)
class Interval:
    """How often something happens: every so many steps, or every so many seconds."""

    steps: int | None = None
    seconds: float | None = None

    def is_due(self, step: int, seconds_since: float) -> bool:
        """Whether it is time again after `step` steps, `seconds_since` the last time."""
        if self.steps is not None:
            return step % self.steps == 0
        return self.seconds is not None and seconds_since >= self.seconds


def parse_interval(text: str | int) -> Interval:
    """Read ``"500"`` (steps) or ``"30s"``, ``"5m"``, ``"1h"`` (time).

    Raises
    ------
    InvalidInputError
        If it is neither.

    Examples
    --------
    >>> parse_interval("5m")
    Interval(steps=None, seconds=300.0)
    """
    text = str(text).strip()
    if text.isdecimal() and int(text) > 0:
        return Interval(steps=int(text))
    match = _DURATION.fullmatch(text)
    if match and float(match[1]) > 0:
        return Interval(seconds=float(match[1]) * _SECONDS[match[2]])
    raise InvalidInputError(
        f"checkpoint_every must be a number of steps or a time such as 30s, 5m or 1h. Got {text!r}."
    )


def help_of(name: str) -> str:
    """The help of one field of :class:`TrainingConfig`."""
    return {field.name: field.metadata["help"] for field in dataclasses.fields(TrainingConfig)}[name]
