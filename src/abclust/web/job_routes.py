"""Clustering: wait for the answer, or start a job and follow its events."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, StreamingResponse

from abclust.web import api_schema
from abclust.web.answer_body import answer_body
from abclust.web.api_errors import invalid
from abclust.web.api_schema import UPLOAD_BODY, errors
from abclust.web.disconnection import until_disconnected
from abclust.web.events import job_events
from abclust.web.job import Job
from abclust.web.job_queue import client_address
from abclust.web.services import Services, services
from abclust.web.tasks import Circle, CircleTask, ClusterTask, ExampleTask, FoundClusters, Task
from abclust.web.upload_form import read_form

router = APIRouter(prefix="/api")
Own = Annotated[Services, Depends(services)]
UPLOAD_ERRORS = errors(408, 413, 422, 500, 503)


@router.post(
    "/cluster",
    summary="Cluster files and wait for the answer",
    response_model=None,
    responses={200: {"model": api_schema.AnswerBody}, **UPLOAD_ERRORS},
    openapi_extra=UPLOAD_BODY,
)
async def cluster(request: Request, own: Own) -> JSONResponse:
    """Labels, their number, confidence, merge tree and kernel of one set: images or one table."""
    job = await _uploaded(request, own, is_kept=False)
    async with until_disconnected(request, job, own.queue):
        answer_id = await own.queue.wait(job)
    return JSONResponse(answer_body(own.answers.get(answer_id), own.config.kernel_items))


@router.post(
    "/jobs",
    summary="Start to cluster files",
    status_code=202,
    response_model=None,
    responses={202: {"model": api_schema.StartedJob}, **UPLOAD_ERRORS},
    openapi_extra=UPLOAD_BODY,
)
async def start_job(request: Request, own: Own) -> JSONResponse:
    """The same form; the answer comes through the events of the job."""
    return _started(await _uploaded(request, own, is_kept=True))


@router.post(
    "/jobs/examples/{name}",
    summary="Start to cluster an example",
    status_code=202,
    response_model=None,
    responses={202: {"model": api_schema.StartedJob}, **errors(404, 422, 503)},
)
async def start_example(
    name: Literal["circles", "digits"],
    request: Request,
    own: Own,
    seed: Annotated[int, Query(ge=0, lt=2**31)] = 0,
) -> JSONResponse:
    """Handwritten digits, or points on circles; their true labels come with the answer."""
    return _started(_submitted(ExampleTask(name, seed), request, own, is_kept=True))


@router.get(
    "/jobs/{job_id}/events",
    summary="Follow a job",
    response_model=None,
    responses={
        200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "The events."},
        **errors(404, 422),
    },
)
async def follow_job(job_id: str, own: Own) -> StreamingResponse:
    """Server-sent events: queued, progress, and at the end done (with the answer's id) or failed."""
    return StreamingResponse(job_events(own.queue.find(job_id)), media_type="text/event-stream")


@router.delete(
    "/jobs/{job_id}",
    summary="Cancel a job",
    response_model=api_schema.CancelledJob,
    responses=errors(404, 422),
)
async def cancel_job(job_id: str, own: Own) -> dict[str, Any]:
    """Take a job back; `cancelled` is false if it had ended already."""
    job = own.queue.find(job_id)
    had_ended = job.outcome.done()
    own.queue.cancel(job)
    return {"job": job.id, "cancelled": not had_ended}


@router.post(
    "/circles",
    summary="Cluster points on circles by three systems",
    response_model=api_schema.CircleAnswer,
    responses=errors(422, 500, 503),
)
async def cluster_circles(body: api_schema.CircleRequest, request: Request, own: Own) -> Any:
    """The playground: the network with context, the pairwise network, and spectral clustering (told k)."""
    n_points = sum(circle.points for circle in body.circles)
    if n_points > api_schema.MOST_CIRCLE_POINTS:
        raise invalid(f"circles must have at most {api_schema.MOST_CIRCLE_POINTS} points. Got {n_points}.")
    circles = tuple(Circle(one.x, one.y, one.radius, one.points) for one in body.circles)
    job = own.queue.submit(CircleTask(circles, body.noise, body.seed), client_address(request))
    async with until_disconnected(request, job, own.queue):
        return await own.queue.wait(job)


async def _uploaded(request: Request, own: Services, *, is_kept: bool) -> Job:
    form = await read_form(request, own.queue, own.config)
    try:
        source = own.source(form.model)
        task = ClusterTask(form.files, source, form.n_clusters, form.label_column, own.limits)
        return _submitted(task, request, own, n_bytes=form.n_bytes, is_kept=is_kept)
    except BaseException:
        own.queue.let_go(form.n_bytes)
        raise


def _submitted(task: Task, request: Request, own: Services, *, is_kept: bool, n_bytes: int = 0) -> Job:
    def keep(found: FoundClusters) -> str:
        return own.answers.add(found.named(own.shown_name(found.model))).id

    return own.queue.submit(task, client_address(request), keep, n_bytes=n_bytes, is_kept=is_kept)


def _started(job: Job) -> JSONResponse:
    return JSONResponse({"job": job.id, "events": f"/api/jobs/{job.id}/events"}, status_code=202)
