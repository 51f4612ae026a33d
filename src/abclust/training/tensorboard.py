"""Curves for TensorBoard, an extra."""

from collections.abc import Mapping
from pathlib import Path

from abclust.foundations.errors import MissingExtraError
from abclust.training.state import TrainingState


class TensorBoardReporter:
    """Writes losses and validation scores as TensorBoard events.

    Parameters
    ----------
    folder
        Where the event files go; ``tensorboard --logdir FOLDER`` shows them.
    every
        Steps between two points of a loss.

    Raises
    ------
    MissingExtraError
        If TensorBoard is not installed.
    """

    def __init__(self, folder: str | Path, every: int = 20) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise MissingExtraError("tensorboard", "tensorboard", "Writing TensorBoard curves") from error
        self._writer = SummaryWriter(str(folder))
        self.every = every

    def started(self, state: TrainingState) -> None:
        """Nothing to say yet."""

    def stepped(self, state: TrainingState, losses: Mapping[str, float]) -> None:
        """A point of each loss, now and then."""
        if state.step % self.every == 0:
            for name, value in losses.items():
                self._writer.add_scalar(f"loss/{name}", value, state.step)

    def validated(self, state: TrainingState, scores: Mapping[str, float]) -> None:
        """A point of each score."""
        for name, value in scores.items():
            self._writer.add_scalar(f"validation/{name}", value, state.step)

    def finished(self, state: TrainingState) -> None:
        """Everything to disk."""
        self._writer.close()
