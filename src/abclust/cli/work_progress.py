"""A progress bar on standard error where a person watches; nothing at all where none does."""

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn


class WorkProgress:
    """Counts images read and sets done. How many there will be is not known: they come as a stream.

    The stages of a large set have a bar of their own, since their steps are known
    (:class:`abclust.scale.progress.ScaleProgress`).

    Parameters
    ----------
    verb
        What is done with a set, such as "clustered".
    console
        Where the bar is drawn, if that is a terminal; standard error by default.
    """

    def __init__(self, verb: str, console: Console | None = None) -> None:
        self._verb = verb
        self._n_images = self._n_sets = self._n_items = 0
        console = console or Console(stderr=True)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            refresh_per_second=4,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("reading", total=None)
        self._stage: TaskID | None = None

    def __enter__(self) -> "WorkProgress":
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def image_read(self) -> None:
        """One more image."""
        self._n_images += 1
        self._show()

    def set_done(self, n_items: int) -> None:
        """One more set."""
        self._n_sets += 1
        self._n_items += n_items
        self._show()

        if self._stage is not None:
            self._bar.remove_task(self._stage)
            self._stage = None

    def stage(self, name: str, total: int, done: int = 0) -> None:
        """A stage of a large set begins: a bar of its own, in place of the last stage's."""
        if self._stage is not None:
            self._bar.remove_task(self._stage)
        self._stage = self._bar.add_task(name, total=total, completed=done)

    def advance(self, done: int) -> None:
        """So many steps of the stage are done."""
        if self._stage is not None:
            self._bar.update(self._stage, completed=done)

    @property
    def description(self) -> str:
        """What the bar says."""
        read = f"read {self._n_images:,} images, " if self._n_images else ""
        return f"{read}{self._verb} {self._n_sets:,} sets, {self._n_items:,} items"

    def _show(self) -> None:
        self._bar.update(self._task, description=self.description)
