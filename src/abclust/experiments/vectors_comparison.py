"""Beyond the paper: one network for any table beside scikit-learn's clusterers, k unknown and known.

Command
    ``abclust reproduce vectors``
Cost
    About twenty minutes on two cores, most of it the silhouettes of k-means; ``--quick`` takes two.
    ``--train`` adds under three hours.
Expected
    With k unknown, a mean adjusted Rand score above that of every system that is not told k, and at least
    that of k-means with the true k, on generated and on real sets; one cluster recognised in at least nine of
    ten such sets; a calibration error of pairs of at most .05 on every kind of held-out sets.

Generated sets are of the held-out settings of :mod:`abclust.experiments.vector_held_out`, drawn anew: other
sets than those that the training was watched on. Real sets (:mod:`abclust.experiments.vector_real_sets`) have
chosen nothing. Writes ``vectors.json``, the tables ``vectors.md``, the classic shapes under every system
``vectors-shapes.png`` and samples of the family ``vectors-family.png``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from abclust.datasets.labelled_set import LabelledSet
from abclust.evaluation.results_file import read_results, write_results
from abclust.experiments.registry import ReproduceOptions
from abclust.experiments.vector_held_out import held_out_settings
from abclust.experiments.vector_honesty import honesty_rows
from abclust.experiments.vector_networks import obtain_networks
from abclust.experiments.vector_real_sets import real_sets
from abclust.experiments.vector_rows import Row, generated_rows, real_rows
from abclust.experiments.vector_samples import draw_family
from abclust.experiments.vector_shapes import classic_shapes, draw_shapes, shape_rows
from abclust.experiments.vector_systems import LARGEST_NUMBER, our_systems, rival_systems
from abclust.experiments.vectors_markdown import vectors_markdown
from abclust.model.context_kernel_network import ContextKernelNetwork
from abclust.storage.atomic_file import write_text

NAME = NETWORK = "vectors"
COMPARISON_SEED = 1_100_3010  # neither the validation's sets nor the calibration's nor the training's


@dataclass(frozen=True)
class Extent:
    """How much is compared."""

    generated_sets: int = 100
    """Sets of each held-out setting that are clustered."""
    honesty_sets: int = 1_000
    """Sets of each whose pairs are asked how honest they are; with those of one cluster a third more."""
    n_halves: int = 10
    """Random halves of each real set."""
    largest_number: int = LARGEST_NUMBER
    """The largest number of clusters that the silhouette is asked for."""
    shape_points: int = 500
    """Points of each classic shape."""


FULL = Extent()
QUICK = Extent(generated_sets=8, honesty_sets=16, n_halves=2, largest_number=6, shape_points=150)


def run(options: ReproduceOptions) -> list[Path]:
    """Compare, write the rows, render tables and pictures. Gives the four files."""
    stored, table = options.output / f"{NAME}.json", options.output / f"{NAME}.md"
    shapes, family = options.output / f"{NAME}-shapes.png", options.output / f"{NAME}-family.png"
    if not options.render:
        network = obtain_networks([NETWORK], options)[NETWORK]
        rows = comparison_rows(network, real_sets(), QUICK if options.quick else FULL, options.seed)
        write_results(stored, rows, command=options.command(NAME), seed=options.seed)
    found = read_results(stored).rows
    write_text(table, vectors_markdown(found))
    draw_shapes(found, shapes)
    draw_family(family, options.seed)
    return [stored, table, shapes, family]


def comparison_rows(
    network: ContextKernelNetwork, real: Sequence[LabelledSet], extent: Extent, seed: int
) -> list[Row]:
    """All rows: every system on generated sets, on real ones and on the classic shapes."""
    systems = (*our_systems(network, seed), *rival_systems(seed, extent.largest_number))
    settings, of_pairs = (
        held_out_settings(n_sets, COMPARISON_SEED + seed)
        for n_sets in (extent.generated_sets, extent.honesty_sets)
    )
    return [
        *generated_rows(systems, settings),
        *honesty_rows(network, of_pairs),
        *real_rows(systems, real, extent.n_halves, seed),
        *shape_rows(systems, classic_shapes(extent.shape_points)),
    ]
