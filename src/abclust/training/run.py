"""One process's part of a training run: the loop and everything that may happen after a step."""

import logging
import math
import time
from pathlib import Path

import torch
from lightning_fabric import Fabric
from torch import Tensor, nn

from abclust.foundations.errors import TrainingError
from abclust.foundations.random_state import stream
from abclust.training.batch_source import BatchSource, TrainingBatch
from abclust.training.checkpoint import last_good, save_checkpoint
from abclust.training.config import TrainingConfig, parse_interval
from abclust.training.fabric_setup import build_optimizer
from abclust.training.loss_meter import LossMeter
from abclust.training.objective import Stage, TrainingObjective
from abclust.training.reporter import Reporter
from abclust.training.schedule import UNMEASURED_STEPS, learning_rate, measured_steps, stage_of, steps_within
from abclust.training.selection import Validation, is_out_of_patience, run_validation
from abclust.training.signals import StopRequest
from abclust.training.state import TrainingState
from abclust.training.weight_average import WeightAverage

_log = logging.getLogger(__name__)
_OUT_OF_PATIENCE = 1  # below the number of every signal that is watched
_STEP_SEEDS = 2**31 + 1  # a branch of the tree of random streams that no source uses
_ENCODE_AT_ONCE = 512


def fresh_state(
    network: nn.Module, config: TrainingConfig, optimizer: torch.optim.Optimizer | None = None
) -> TrainingState:
    """The state of a run before its first step."""
    return TrainingState(
        network,
        optimizer or build_optimizer(network, config),
        WeightAverage(network, config.ema_decay) if config.ema_decay else None,
        total_steps=None if config.minutes is not None else config.steps,
    )


class TrainingRun:
    """A network on its device, its optimizer, and the loop over steps.

    Parameters
    ----------
    fabric
        Launched: this process's device, rank and precision.
    network, source, config, validate
        What is trained, on what, how, and how it is judged.
    reporter, folder
        Who hears of it and where checkpoints go; both None in all processes but the first.
    """

    def __init__(
        self,
        fabric: Fabric,
        network: nn.Module,
        source: BatchSource,
        config: TrainingConfig,
        *,
        validate: Validation | None = None,
        reporter: Reporter | None = None,
        folder: Path | None = None,
    ) -> None:
        self.fabric, self.source, self.config = fabric, source, config
        self.validate, self.reporter, self.folder = validate, reporter, folder
        network.to(fabric.device)
        optimizer = build_optimizer(network, config)
        self._objective, self._stepper = fabric.setup(TrainingObjective(network, config), optimizer)
        # After the set-up, which may have changed the number format that the average must share.
        self.state = fresh_state(network, config, optimizer)
        self._meter = LossMeter()
        self._cached: BatchSource | None = None
        self._checkpoint_interval = parse_interval(config.checkpoint_every)

    def loop(self, request: StopRequest) -> int:
        """Walk to the last step; 0 if it was reached, else why not: 1 (patience) or a signal's number."""
        state = self.state
        self._clock = self._last_checkpoint = time.perf_counter()
        self._measured_from = (state.step + UNMEASURED_STEPS, state.seconds)
        if self.reporter:
            self.reporter.started(state)
        self.state.network.train()
        reason = 0
        while not reason and (state.total_steps is None or state.step < state.total_steps):
            self._report(self.take_step())
            self._validate_if_due()
            self._budget_if_due()
            reason = self._reason_to_stop(request)
            self._checkpoint_if_due(is_last=bool(reason) or state.step == state.total_steps)
        if self.reporter:
            self.reporter.finished(state)
        return reason

    def take_step(self) -> dict[str, float]:
        """One batch, one update; the losses by name."""
        state, config = self.state, self.config
        stage = stage_of(state.step, config)
        _seed_step(config.seed, state.step, self.fabric)
        batch = self._batch(stage)
        rate = learning_rate(state.step, state.total_steps, config)
        for group in state.optimizer.param_groups:
            group["lr"] = rate
        losses = self._objective(
            batch.items,
            batch.labels,
            batch.sets,
            batch.mask,
            batch.pools,
            encoded=batch.encoded,
            targets=batch.targets,
            stage=stage,
        )
        self.fabric.backward(losses["loss"])
        norm = self.fabric.clip_gradients(
            self._objective,
            self._stepper,
            max_norm=config.clip_norm or math.inf,
            error_if_nonfinite=False,
        )
        values = self._mean_over_processes(losses)
        self._check_finite(values["loss"], norm)
        self._stepper.step()
        self._stepper.zero_grad()
        if state.average is not None:
            state.average.update()
        state.step += 1
        state.n_items += batch.n_items * self.fabric.world_size
        self._meter.add(values, batch.n_items * self.fabric.world_size)
        return values

    def _batch(self, stage: Stage) -> TrainingBatch:
        source = self.source
        if stage == "relation":
            self._cached = source = self._cached or self._cached_source()
        batch = source.batch(self.state.step, self.fabric.global_rank, self.fabric.world_size)
        return batch.to(self.fabric.device)

    def _cached_source(self) -> BatchSource:
        """Embeddings of the encoder as its own stage left it; it does not change while they serve."""
        network, device = self.state.network, self.fabric.device

        def encode(items: Tensor) -> Tensor:
            with torch.no_grad():
                parts = [network.encode(part.to(device)).cpu() for part in items.split(_ENCODE_AT_ONCE)]  # type: ignore[operator]
            return torch.cat(parts)

        network.eval()
        try:
            return self.source.cached(encode)  # type: ignore[attr-defined]
        finally:
            network.train()

    def _mean_over_processes(self, losses: dict[str, Tensor]) -> dict[str, float]:
        stacked = torch.stack([loss.detach() for loss in losses.values()])
        if self.fabric.world_size > 1:
            stacked = self.fabric.all_reduce(stacked, reduce_op="mean")
        return dict(zip(losses, stacked.tolist()))  # type: ignore[union-attr]

    def _check_finite(self, loss: float, norm: Tensor | None) -> None:
        # A scaler of half precision meets infinite gradients now and then and skips those steps itself.
        is_scaled = self.config.precision.startswith("16")
        if math.isfinite(loss) and (is_scaled or norm is None or bool(torch.isfinite(norm))):
            return
        raise TrainingError(
            f"loss and gradient must stay finite. Got a loss of {loss} and a gradient of norm {norm} "
            f"at step {self.state.step}. {last_good(self.folder)} "
            "Lower learning_rate, or look for items that are not numbers."
        )

    def _report(self, values: dict[str, float]) -> None:
        state = self.state
        self._tick()
        if state.step % self.config.report_every == 0:
            rate = state.optimizer.param_groups[0]["lr"]
            state.history.append(
                {
                    "step": float(state.step),
                    "seconds": state.seconds,
                    **self._meter.row(),
                    "learning_rate": rate,
                }
            )
        if self.reporter:
            self.reporter.stepped(state, values)

    def _validate_if_due(self) -> None:
        is_last = self.state.step == self.state.total_steps
        if is_last or self.state.step % self.config.validate_every == 0:
            self._validate()

    def _validate(self) -> float:
        """Validate in the first process; seconds it took."""
        if self.validate is None or not self.fabric.is_global_zero:
            return 0.0
        before = self.state.seconds
        scores = run_validation(self.state, self.validate, self.config)
        self._tick()
        if self.reporter:
            self.reporter.validated(self.state, scores)
        return self.state.seconds - before

    def _budget_if_due(self) -> None:
        """Turn minutes into steps, once, as soon as enough steps were measured."""
        state, config = self.state, self.config
        if config.minutes is None or state.total_steps is not None:
            return
        first, seconds = self._measured_from
        if state.step == first:
            self._measured_from = (first, state.seconds)
        if state.step < max(measured_steps(config), first + UNMEASURED_STEPS):
            return
        each = (state.seconds - seconds) / (state.step - first)
        total = steps_within(
            config.minutes,
            step=state.step,
            spent=state.seconds,
            seconds_a_step=each,
            seconds_a_validation=self._validate(),
            validate_every=config.validate_every,
        )
        state.total_steps = self.fabric.broadcast(total)
        _log.info(
            "a budget of %g minutes is %d steps at %.3f s a step", config.minutes, state.total_steps, each
        )

    def _reason_to_stop(self, request: StopRequest) -> int:
        reason = request.signal_number or (
            _OUT_OF_PATIENCE if is_out_of_patience(self.state, self.config) else 0
        )
        if self.fabric.world_size == 1:
            return reason
        # All processes must leave after the same step: one that stays would wait for the others for ever.
        return int(self.fabric.all_reduce(torch.tensor(reason), reduce_op="max"))  # type: ignore[arg-type]

    def _checkpoint_if_due(self, *, is_last: bool) -> None:
        since = time.perf_counter() - self._last_checkpoint
        if self.folder is None or not (is_last or self._checkpoint_interval.is_due(self.state.step, since)):
            return
        save_checkpoint(self.folder, self.state, self.config, self.fabric.strategy.precision.state_dict())
        self._last_checkpoint = time.perf_counter()
        self._tick()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.state.seconds += now - self._clock
        self._clock = now


def _seed_step(seed: int, step: int, fabric: Fabric) -> None:
    """Dropout and whatever else a module draws is known from (seed, step, rank) alone.

    Straight to the generators: ``torch.manual_seed`` formats a stack trace, which costs as much as a layer.
    """
    number = int(stream(seed, _STEP_SEEDS, step, fabric.global_rank).integers(2**63 - 1))
    torch.default_generator.manual_seed(number)
    if fabric.device.type == "cuda":
        torch.cuda.manual_seed(number)
