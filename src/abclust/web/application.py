"""The application: routes behind a gate, with one form for every error."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from abclust.version import __version__
from abclust.web import answer_routes, job_routes, page_routes
from abclust.web.api_errors import ApiError, error_body
from abclust.web.body_limit import BodyLimit
from abclust.web.config import WebConfig
from abclust.web.guard import Guard
from abclust.web.services import Services, offered_models

_CODES = {404: "not_found", 405: "wrong_method", 408: "upload_too_slow", 413: "too_large"}


def build_application(config: WebConfig | None = None) -> FastAPI:
    """The application of a server with these settings; its workers start when it does.

    Raises
    ------
    InvalidInputError
        If a network that shall be offered is not there.

    Examples
    --------
    >>> application = build_application(WebConfig())
    >>> "/api/cluster" in application.openapi()["paths"]
    True
    """
    config = config or WebConfig()
    offered_models(config)  # a wrong one is told now, not when the server starts
    application = FastAPI(
        title="abclust",
        version=__version__,
        summary="Attention-Based Clustering: drop pictures or a table in, see the clusters.",
        docs_url=None,  # its page would load from elsewhere
        redoc_url=None,
        lifespan=_lifespan,
    )
    application.state.config = config
    application.include_router(page_routes.router)
    application.include_router(job_routes.router)
    application.include_router(answer_routes.router)
    application.add_middleware(BodyLimit, config=config)
    application.add_middleware(Guard, config=config)  # added last, asked first
    application.add_exception_handler(ApiError, _told)
    application.add_exception_handler(RequestValidationError, _wrong_fields)
    application.add_exception_handler(HTTPException, _wrong_address)
    return application


@asynccontextmanager
async def _lifespan(application: FastAPI) -> AsyncGenerator[None, None]:
    own = Services.of(application.state.config)
    application.state.services = own
    own.queue.start()
    try:
        yield
    finally:
        await own.queue.close()


async def _told(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ApiError)
    headers = {"Retry-After": "5"} if error.status in (429, 503) else None
    return JSONResponse(error.to_dict(), error.status, headers)


async def _wrong_fields(request: Request, error: Exception) -> JSONResponse:
    """The first thing that is wrong, in a sentence."""
    assert isinstance(error, RequestValidationError)
    first: dict[str, Any] = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or "the request"
    is_unreadable = first["type"] == "json_invalid"
    status, code = (400, "malformed") if is_unreadable else (422, "invalid")
    return JSONResponse(error_body(code, f"{place} is wrong: {first['msg']}."[:500]), status)


async def _wrong_address(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "malformed")
    message = f"{str(error.detail).rstrip('.')}."
    return JSONResponse(error_body(code, message), error.status_code, error.headers)
