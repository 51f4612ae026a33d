"""How fast kernels become clusters, as ratios to scikit-learn within one run.

Command
    ``python benchmarks/bench_clustering.py [--quick] [--render] [--threads T]``

Three questions:

- many: 1,000 kernels of 100 items with 5 to 47 clusters, k unknown, against a loop of the eigengap and
  scikit-learn's ``SpectralClustering``. Wanted: log-odds with its local search at least 10 times as fast, at
  an equal or better NMI.
- large: one kernel of 5,000 items, k unknown, against ``SpectralClustering`` with k given. Wanted: a third of
  its time.
- cost: seconds for one kernel of 50 to 5,000 items, as a figure.

The kernels are synthetic and of the kind a trained network gives: items lie around centres of which some are
close to each other, log-odds are a steep function of their cosine, and every pair has noise of its own.
Contestants take turns on the same kernels, so that a busy machine is equally busy to all; both wall-clock and
processor seconds are written, and ratios are of processor seconds, which other load hardly moves.

Takes about two minutes (``--quick``: a quarter of one). Writes ``results/bench_clustering.json`` and draws
``docs/figures/clustering_cost.png`` and the table of ``docs/clustering.md`` from it; ``--render`` only draws.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SEED = 20_201_001
N_ITEMS = 100
N_CLUSTERS = (5, 47)  # as the paper's evaluation
TURN = 100  # kernels a contestant gets before the next one's turn
COST_SIZES = (50, 100, 200, 500, 1_000, 2_000, 5_000)
LARGE = 5_000

MARKERS = ("<!-- table of bench_clustering.py -->", "<!-- end of table -->")

Kernels = list[np.ndarray]
Contestant = Callable[[Kernels, Sequence[int]], list[np.ndarray]]


def sample_kernel(rng: np.random.Generator, n_items: int, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and a kernel: log-odds 16 (cosine - 0.7) plus unit noise, items around centres in 8-D."""
    labels = np.concatenate([np.arange(n_clusters), rng.integers(n_clusters, size=n_items - n_clusters)])
    centres = rng.normal(size=(n_clusters, 8))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    items = centres[labels] + 0.4 * rng.normal(size=(n_items, 8)) / np.sqrt(8)
    items /= np.linalg.norm(items, axis=1, keepdims=True)
    noise = np.triu(rng.normal(size=(n_items, n_items)), 1)
    return labels, 1 / (1 + np.exp(-(16 * (items @ items.T - 0.7) + noise + noise.T)))


def scikit_learn_unknown(kernels: Kernels, n_clusters: Sequence[int]) -> list[np.ndarray]:
    """What a user of scikit-learn writes: the eigengap, then SpectralClustering, one kernel at a time."""
    numbers = []
    for kernel in kernels:
        scale = 1 / np.sqrt(kernel.sum(axis=0))
        values = np.linalg.eigvalsh(kernel * scale * scale[:, None])[::-1]
        numbers.append(int(np.argmax(values[:-1] - values[1:])) + 1)
    return scikit_learn_known(kernels, numbers)


def scikit_learn_known(kernels: Kernels, n_clusters: Sequence[int]) -> list[np.ndarray]:
    from sklearn.cluster import SpectralClustering

    return [
        SpectralClustering(number, affinity="precomputed", random_state=0).fit_predict(kernel)
        for kernel, number in zip(kernels, n_clusters)
    ]


def ours(method: str, *, k_known: bool = False) -> Contestant:
    from abclust.clustering.backends import cluster_kernel

    def cluster(kernels: Kernels, n_clusters: Sequence[int]) -> list[np.ndarray]:
        return cluster_kernel(kernels, list(n_clusters) if k_known else None, method)  # type: ignore[return-value]

    return cluster


CONTESTANTS: dict[str, tuple[bool, Contestant]] = {
    "scikit-learn, eigengap + SpectralClustering": (False, scikit_learn_unknown),
    "scikit-learn, SpectralClustering": (True, scikit_learn_known),
}


def contestants() -> dict[str, tuple[bool, Contestant]]:
    """Name, whether it is told the number of clusters, and what it does."""
    return CONTESTANTS | {
        "abclust, log-odds": (False, ours("log-odds")),
        "abclust, agglomerative": (False, ours("agglomerative")),
        "abclust, eigengap + spectral": (False, ours("spectral")),
        "abclust, spectral": (True, ours("spectral", k_known=True)),
    }


def race(
    sets: list[tuple[np.ndarray, np.ndarray]], names: Sequence[str], protocol: str
) -> list[dict[str, Any]]:
    """Let contestants take turns on the same sets; one row each."""
    known = contestants()
    found: dict[str, list[np.ndarray]] = {name: [] for name in names}
    wall, processor = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for start in range(0, len(sets), TURN):
        turn = sets[start : start + TURN]
        kernels, numbers = [kernel for _, kernel in turn], [int(labels.max()) + 1 for labels, _ in turn]
        for name in names:
            before = time.perf_counter(), time.process_time()
            found[name] += known[name][1](kernels, numbers)
            wall[name] += time.perf_counter() - before[0]
            processor[name] += time.process_time() - before[1]
    truth = [labels for labels, _ in sets]
    return [
        {
            "system": name,
            "protocol": protocol,
            "k": "known" if known[name][0] else "unknown",
            "n": len(truth[0]),
            "n_sets": len(sets),
            **scores(truth, found[name]),
            "seconds_per_set": wall[name] / len(sets),
            "processor_seconds_per_set": processor[name] / len(sets),
            "times_as_fast": processor[names[0]] / processor[name],
        }
        for name in names
    ]


def scores(truth: list[np.ndarray], found: list[np.ndarray]) -> dict[str, float]:
    from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score, normalized_mutual_info_score

    pairs = list(zip(truth, found))
    return {
        "nmi": float(np.mean([normalized_mutual_info_score(*pair) for pair in pairs])),
        "ami": float(np.mean([adjusted_mutual_info_score(*pair) for pair in pairs])),
        "ari": float(np.mean([adjusted_rand_score(*pair) for pair in pairs])),
        "k_error": float(np.mean([abs(len(np.unique(one)) - len(np.unique(other))) for one, other in pairs])),
    }


def measure(quick: bool) -> list[dict[str, Any]]:
    rng = np.random.default_rng(SEED)
    everyone = list(contestants())
    draw = [int(rng.integers(N_CLUSTERS[0], N_CLUSTERS[1] + 1)) for _ in range(60 if quick else 1_000)]
    race([sample_kernel(rng, N_ITEMS, 10)], everyone, "warm-up")
    rows = race([sample_kernel(rng, N_ITEMS, k) for k in draw], everyone, "many")
    large = 1_000 if quick else LARGE
    told, log_odds = everyone[1], "abclust, log-odds"
    rows += race([sample_kernel(rng, large, 50)], [told, log_odds, "abclust, agglomerative"], "large")
    for n_items in COST_SIZES:
        if n_items > large:
            continue
        repeats = max(1, min(20, 500 // n_items))
        sets = [sample_kernel(rng, n_items, min(50, n_items // 5)) for _ in range(repeats)]
        rows += race(sets, [told, log_odds, "abclust, agglomerative", "abclust, spectral"], "cost")
    return rows


def draw_cost(rows: list[dict[str, Any]], path: Path) -> None:
    from abclust.figures.style import house_style, new_figure, save_figure

    with house_style():
        figure, axes = new_figure(5.2, 3.6)
        cost = [row for row in rows if row["protocol"] == "cost"]
        for name in dict.fromkeys(row["system"] for row in cost):
            own = [row for row in cost if row["system"] == name]
            label = f"{name} (k {own[0]['k']})"
            axes.plot(
                [row["n"] for row in own],
                [row["processor_seconds_per_set"] for row in own],
                marker="o",
                label=label,
            )
        axes.set(
            xscale="log", yscale="log", xlabel="items in the set", ylabel="processor seconds for one kernel"
        )
        sizes = sorted({row["n"] for row in cost})
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.minorticks_off()
        axes.set_title("From a kernel to labels")
        axes.legend()
        save_figure(figure, path)


def write_table(rows: list[dict[str, Any]], page: Path) -> None:
    """Put the rows of the first two questions between the markers on the page."""
    questions = {"many": "1,000 sets of 100", "large": "one set of 5,000"}
    lines = ["| task | system | k | NMI | ms a set | times as fast |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {questions[row['protocol']]} | {row['system']} | {row['k']} | {row['nmi']:.3f} "
        f"| {1e3 * row['processor_seconds_per_set']:,.1f} | {row['times_as_fast']:.1f} |"
        for row in rows
        if row["protocol"] in questions
    ]
    before, rest = page.read_text(encoding="utf-8").split(MARKERS[0])
    _, after = rest.split(MARKERS[1])
    table = "\n".join(lines)
    page.write_text(f"{before}{MARKERS[0]}\n{table}\n{MARKERS[1]}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="60 kernels and up to 1,000 items")
    parser.add_argument("--render", action="store_true", help="only draw what is stored")
    parser.add_argument(
        "--threads", type=int, default=1, help="threads for linear algebra; 1 keeps ratios honest"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "bench_clustering.json")
    parser.add_argument("--figure", type=Path, default=ROOT / "docs" / "figures" / "clustering_cost.png")
    options = parser.parse_args()

    from threadpoolctl import threadpool_limits

    from abclust.evaluation import read_results, write_results

    if not options.render:
        with threadpool_limits(options.threads):
            rows = measure(options.quick)
        command = "python benchmarks/bench_clustering.py" + " --quick" * options.quick
        write_results(options.output, rows, command=command, seed=SEED)
        for row in rows:
            print(
                f"{row['protocol']:8}{row['system']:46}n {row['n']:5}  NMI {row['nmi']:.3f}  "
                f"{1e3 * row['processor_seconds_per_set']:10.2f} ms  {row['times_as_fast']:6.1f} x"
            )
    rows = read_results(options.output).rows
    draw_cost(rows, options.figure)
    if not options.quick:
        write_table(rows, ROOT / "docs" / "clustering.md")


if __name__ == "__main__":
    main()
