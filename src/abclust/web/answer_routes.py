"""Answers: to look at, to correct, to take away."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from abclust.web import api_schema
from abclust.web.answer_body import answer_body
from abclust.web.api_schema import errors
from abclust.web.downloads import at_cut, clusters_zip, labels_csv
from abclust.web.job_queue import client_address
from abclust.web.services import Services, services
from abclust.web.tasks import ConstraintTask, FoundPartition, ReportTask

router = APIRouter(prefix="/api/answers/{answer_id}")
Own = Annotated[Services, Depends(services)]
Cut = Annotated[int | None, Query(ge=1, description="Another level of the merge tree.")]
Described = dict[int | str, dict[str, Any]]


def _file(media_type: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    return {"content": {media_type: {"schema": schema}}, "description": "The file."}


@router.get(
    "",
    summary="An answer",
    response_model=None,
    responses={200: {"model": api_schema.AnswerBody}, **errors(404, 422)},
)
async def get_answer(answer_id: str, own: Own) -> JSONResponse:
    """All that is known about a clustered set."""
    return JSONResponse(answer_body(own.answers.get(answer_id), own.config.kernel_items))


@router.get("/thumbnails", summary="Its pictures", response_model=list[str], responses=errors(404, 422))
async def get_thumbnails(answer_id: str, own: Own) -> Any:
    """A data URL for each image; none for vectors."""
    return JSONResponse(list(own.answers.get(answer_id).found.thumbnails or ()))


@router.post(
    "/constraints",
    summary="Correct it",
    response_model=None,
    responses={200: {"model": api_schema.AnswerBody}, **errors(404, 422, 500, 503)},
)
async def constrain(
    answer_id: str, constraints: api_schema.Constraints, request: Request, own: Own
) -> JSONResponse:
    """Partition the set again under the given pairs, and only these: a shorter list is an undo."""
    found = own.answers.get(answer_id).found
    must = tuple((first, second) for first, second in constraints.must_link)
    cannot = tuple((first, second) for first, second in constraints.cannot_link)

    def keep(partition: FoundPartition) -> dict[str, Any]:
        corrected = found.corrected(partition, must, cannot)
        return answer_body(own.answers.change(answer_id, corrected), 0, with_kernel=False)

    task = ConstraintTask(found.kernel, found.method, found.n_clusters, must, cannot, found.one_cluster_odds)
    job = own.queue.submit(task, client_address(request), keep)
    return JSONResponse(await own.queue.wait(job))


@router.get(
    "/labels.csv",
    summary="Labels as CSV",
    response_model=None,
    responses={200: _file("text/csv"), **errors(404, 422)},
)
async def get_labels(answer_id: str, own: Own, n_clusters: Cut = None) -> Response:
    """The columns item, cluster and confidence."""
    found = await asyncio.to_thread(at_cut, own.answers.get(answer_id).found, n_clusters)
    return Response(labels_csv(found), media_type="text/csv", headers=_attached("labels.csv"))


@router.get(
    "/report.html",
    summary="The report",
    response_model=None,
    responses={200: _file("text/html"), **errors(404, 422, 500, 503)},
)
async def get_report(answer_id: str, request: Request, own: Own, n_clusters: Cut = None) -> Response:
    """One self-contained HTML file."""
    found = await asyncio.to_thread(at_cut, own.answers.get(answer_id).found, n_clusters)
    job = own.queue.submit(ReportTask(found), client_address(request))
    page = await own.queue.wait(job)
    return Response(page, media_type="text/html", headers=_attached("report.html"))


@router.get(
    "/clusters.zip",
    summary="Images sorted into folders",
    response_model=None,
    responses={200: _file("application/zip"), **errors(404, 422)},
)
async def get_images(answer_id: str, own: Own, n_clusters: Cut = None) -> StreamingResponse:
    """A folder for each cluster; for images only."""
    found = await asyncio.to_thread(at_cut, own.answers.get(answer_id).found, n_clusters)
    return StreamingResponse(
        clusters_zip(found), media_type="application/zip", headers=_attached("clusters.zip")
    )


def _attached(name: str) -> dict[str, str]:
    """To be saved, not opened inside the origin of the page."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}
