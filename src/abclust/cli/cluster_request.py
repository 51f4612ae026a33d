"""Everything that the command line of ``abclust cluster`` says, checked before any work."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abclust.cli.cluster_tree import check_tree
from abclust.cli.labels_file import check_labels_path
from abclust.cli.outputs import check_outputs
from abclust.cli.set_input import STANDARD_INPUT, InputOptions
from abclust.clustering.default_method import DEFAULT_METHOD
from abclust.engines.choice import build_engine
from abclust.estimator.parameter_checks import check_parameters
from abclust.foundations.errors import InvalidInputError


@dataclass(frozen=True)
class ClusterRequest:
    """The options of the command."""

    source: str
    model: str
    output: Path | None
    """None is standard output."""
    report: Path | None
    tree: Path | None = None
    link: str = "copy"
    reading: InputOptions = InputOptions()  # noqa: RUF009 (frozen)
    n_clusters: Any = None
    method: str = DEFAULT_METHOD
    must_link: Path | None = None
    cannot_link: Path | None = None
    engine: str = "local"
    workers: int = 1
    seed: int = 0
    device: str = "cpu"
    scale: str = "auto"
    report_sets: int = 24
    force: bool = False
    command: str = ""

    def check(self) -> None:
        """Find out before any work what would only fail after it.

        Raises
        ------
        InvalidInputError
            For an option that is not possible, or an output that cannot be written.
        """
        build_engine(self.engine, self.workers)
        check_parameters(
            {
                "n_clusters": self.n_clusters,
                "method": self.method,
                "scale": self.scale,
                "device": self.device,
                "random_state": self.seed,
            }
        )
        check_labels_path(self.output)
        outputs = [path for path in (self.output, self.report) if path is not None]
        source = None if self.source == STANDARD_INPUT else Path(self.source)
        check_outputs(outputs, force=self.force, source=source)
        if self.tree is not None:
            check_tree(self.tree, force=self.force)
            if source is None or not source.is_dir():
                raise InvalidInputError(f"tree must be for a folder of images. Got {self.source!r}.")
