"""How good a partition is, how honest a kernel is, and which candidate to trust."""

from abclust.evaluation.calibration_search import CalibrationRecord, CalibrationSearchConfig, calibrate
from abclust.evaluation.intervals import Interval, interval
from abclust.evaluation.kernel_scores import (
    KernelScores,
    ReliabilityCurve,
    pair_ece_interval,
    reliability_curve,
    score_kernels,
)
from abclust.evaluation.protocol import Evaluation, evaluate, trivial_rows
from abclust.evaluation.results_file import Results, read_results, write_results
from abclust.evaluation.results_table import markdown_table
from abclust.evaluation.scores import (
    Scores,
    accuracy,
    ami,
    ari,
    bcubed_f,
    k_error,
    mean_scores,
    nmi,
    pair_f,
    score_partition,
)
from abclust.evaluation.selection import Selection, select
from abclust.evaluation.trivial_baselines import trivial_partitions

__all__ = [
    "CalibrationRecord",
    "CalibrationSearchConfig",
    "Evaluation",
    "Interval",
    "KernelScores",
    "ReliabilityCurve",
    "Results",
    "Scores",
    "Selection",
    "accuracy",
    "ami",
    "ari",
    "bcubed_f",
    "calibrate",
    "evaluate",
    "interval",
    "k_error",
    "markdown_table",
    "mean_scores",
    "nmi",
    "pair_ece_interval",
    "pair_f",
    "read_results",
    "reliability_curve",
    "score_kernels",
    "score_partition",
    "select",
    "trivial_partitions",
    "trivial_rows",
    "write_results",
]
