"""Which task is done by what; imported once, before worker processes start."""

from collections.abc import Callable
from typing import Any

from abclust.web.circle_tasks import cluster_circles
from abclust.web.clustering_tasks import cluster_example, cluster_upload, partition_again
from abclust.web.description_tasks import describe_models, write_report_page
from abclust.web.tasks import (
    CircleTask,
    ClusterTask,
    ConstraintTask,
    ExampleTask,
    ModelsTask,
    Progress,
    ReportTask,
    Task,
)


def do_task(task: Task, tell: Callable[[Progress], Any]) -> Any:
    """Do a task and give its value; `tell` is called as it goes on."""
    match task:
        case ClusterTask():
            return cluster_upload(task, tell)
        case ExampleTask():
            return cluster_example(task, tell)
        case ConstraintTask():
            return partition_again(task, tell)
        case CircleTask():
            return cluster_circles(task, tell)
        case ReportTask():
            return write_report_page(task)
        case ModelsTask():
            return describe_models(task)
