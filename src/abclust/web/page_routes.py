"""The page and what tells of the server itself."""

import mimetypes
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.responses import Response

from abclust.version import __version__
from abclust.web import api_schema
from abclust.web.api_errors import not_found
from abclust.web.api_schema import errors
from abclust.web.services import Services, services

STATIC = Path(__file__).parent / "static"
router = APIRouter()
Own = Annotated[Services, Depends(services)]


@router.get(
    "/health", summary="Whether the server is there", response_model=api_schema.Health, responses=errors()
)
async def health(own: Own) -> dict[str, Any]:
    """The version, and how full the queue is."""
    return {"status": "ok", "version": __version__, "queue": own.queue.numbers}


@router.get(
    "/api/models",
    summary="Weights that can be chosen",
    response_model=api_schema.Models,
    responses=errors(500, 503),
)
async def models(own: Own) -> dict[str, Any]:
    """What each expects, its scores, size, licence and sha256."""
    return {"models": await own.described_models()}


@router.get("/", include_in_schema=False)
async def page() -> Response:
    """The page."""
    return _asset("index.html")


@router.get("/static/{name:path}", include_in_schema=False)
async def asset(name: str) -> Response:
    """A file of the page."""
    return _asset(name)


def _asset(name: str) -> Response:
    path = assets().get(name)
    if path is None:
        raise not_found("a file of the page must exist. There is no such file.")
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Response(path.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})


@cache
def assets() -> dict[str, Path]:
    """The files of the page by their names, listed once: what a client asks for is looked up here, and is
    never made into a path."""
    files = (path for path in sorted(STATIC.rglob("*")) if path.is_file())
    return {path.relative_to(STATIC).as_posix(): path for path in files}
