"""Descriptions made inside a worker process: the networks that are offered, and the report of a set."""

import base64
from io import BytesIO
from typing import Any

from PIL import Image

from abclust.clustering.merge_tree import MergeTree
from abclust.clustering.partition import Partition
from abclust.estimator.clustered_set import ClusteredSet
from abclust.report import report_page, set_section
from abclust.report.page_templates import count
from abclust.storage.tensor_file import read_header
from abclust.web.tasks import FoundClusters, FoundPartition, ModelsTask, ReportTask
from abclust.zoo.catalogue import find_weights
from abclust.zoo.model_card import ModelCard, model_card


def describe_models(task: ModelsTask) -> list[dict[str, Any]]:
    """The cards of the networks that are offered, plain values for JSON."""
    return [_described(name, source) for name, source in task.offered]


def write_report_page(task: ReportTask) -> str:
    """The report of a clustered set as one self-contained page; nothing is written anywhere."""
    found = task.found
    clustered = ClusteredSet(found.kernel, as_partition(found.partition), found.prepared)
    section = set_section(
        clustered, _shown_items(found), item_names=found.names, true_labels=found.true_labels
    )
    title = f"{count(found.n_items, 'item')} in {count(found.partition.n_clusters, 'cluster')}"
    return report_page([section], title=title, command="abclust serve", model=found.model)


def as_partition(found: FoundPartition) -> Partition:
    """The partition that the arrays describe."""
    tree = MergeTree(found.linkage, found.mean_log_odds)
    return Partition(found.labels, found.n_clusters, found.confidence, tree, found.n_clusters_samples)


def _shown_items(found: FoundClusters) -> Any:
    """Images as their thumbnails, points as they stand, wider vectors as the network saw them."""
    if found.thumbnails is not None:
        return [_decoded(picture) for picture in found.thumbnails]
    return found.positions if found.kind == "points" else found.prepared


def _decoded(data_url: str) -> Image.Image:
    return Image.open(BytesIO(base64.b64decode(data_url.partition(",")[2])))


def _described(name: str, source: str) -> dict[str, Any]:
    card: ModelCard = model_card(source)
    metadata = read_header(find_weights(source) or source).get("metadata", {})
    is_any_width = "preparation" in metadata
    return {
        "name": name,
        "expects": card.expects,
        "kind": _kind(card.network, is_any_width),
        "intended_use": card.intended_use,
        "limits": card.limits,
        "trained_on": card.trained_on,
        "scores": card.scores,
        "licence": card.licence,
        "bytes": card.n_bytes,
        "sha256": card.sha256,
    }


def _kind(config: dict[str, Any], is_any_width: bool) -> str:
    if config.get("image_size") is not None:
        return "images"
    return "points" if config.get("n_features") == 2 and not is_any_width else "vectors"
