"""The forms of requests and answers: what the OpenAPI description says and bodies are checked against."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_CIRCLES = 8
MOST_CIRCLE_POINTS = 400
MOST_CONSTRAINTS = 10_000

Pair = Annotated[list[Annotated[int, Field(ge=0, strict=True)]], Field(min_length=2, max_length=2)]
Kind = Literal["images", "vectors", "points"]


class ErrorDetail(BaseModel):
    """A code for programs, a sentence for people."""

    code: str
    message: str


class Error(BaseModel):
    """Every error has this form."""

    error: ErrorDetail


class QueueNumbers(BaseModel):
    """How full the queue is."""

    waiting: int
    running: int
    capacity: int


class Health(BaseModel):
    """Whether the server is there."""

    status: Literal["ok"]
    version: str
    queue: QueueNumbers


class Model(BaseModel):
    """Weights that can be chosen."""

    name: str
    expects: str
    kind: Kind
    intended_use: str
    limits: str
    trained_on: str
    scores: dict[str, float]
    licence: str
    bytes: int
    sha256: str


class Models(BaseModel):
    """All weights that can be chosen."""

    models: list[Model]


class StartedJob(BaseModel):
    """A job and where its events are."""

    job: str
    events: str


class CancelledJob(BaseModel):
    """A job that was taken back."""

    job: str
    cancelled: bool


class Share(BaseModel):
    """How probable a number of clusters is."""

    n_clusters: int
    probability: float


class MergeTree(BaseModel):
    """All resolutions: item i is node i, merge m makes node n + m; k clusters are the first n - k merges."""

    merges: list[Annotated[list[int], Field(min_length=2, max_length=2)]]
    heights: list[float]


class Skipped(BaseModel):
    """What could not be read."""

    name: str
    why: str


class Constraints(BaseModel):
    """Pairs of items that belong together, and pairs that do not; always the whole list."""

    model_config = ConfigDict(extra="forbid")

    must_link: Annotated[list[Pair], Field(max_length=MOST_CONSTRAINTS)] = []
    cannot_link: Annotated[list[Pair], Field(max_length=MOST_CONSTRAINTS)] = []


class AnswerBody(BaseModel):
    """A clustered set."""

    id: str
    model: str
    kind: Kind
    n_items: int
    names: list[str]
    labels: list[int]
    n_clusters: int
    confidence: Annotated[list[float], Field(description="Of each item, 0 to 1.")]
    n_clusters_distribution: list[Share]
    merge_tree: MergeTree
    order: Annotated[list[int], Field(description="Items by cluster, large ones first.")]
    least_certain: list[int]
    constraints: Constraints
    skipped: list[Skipped]
    kernel: Annotated[
        str, Field(default="", description="Base64 of n x n bytes, row by row; 255 is certainly together.")
    ]
    kernel_omitted: bool = False
    positions: Annotated[
        list[list[float]], Field(default=[], description="Of vectors and points, in the plane.")
    ]
    thumbnails: Annotated[str, Field(default="", description="Where the pictures of images are.")]
    true_labels: list[str] = []


class Circle(BaseModel):
    """A circle of the playground and how many points lie on it."""

    model_config = ConfigDict(extra="forbid")

    x: Annotated[float, Field(ge=-10, le=10)]
    y: Annotated[float, Field(ge=-10, le=10)]
    radius: Annotated[float, Field(gt=0, le=10)]
    points: Annotated[int, Field(ge=1, le=MOST_CIRCLE_POINTS, strict=True)]


class CircleRequest(BaseModel):
    """Circles whose points are to be clustered; at most 400 points in all."""

    model_config = ConfigDict(extra="forbid")

    circles: Annotated[list[Circle], Field(min_length=1, max_length=MOST_CIRCLES)]
    noise: Annotated[float, Field(ge=0, le=1)] = 0.0
    seed: Annotated[int, Field(ge=0, lt=2**31, strict=True)] = 0


class CircleSystem(BaseModel):
    """What one system made of the points."""

    name: str
    labels: list[int]
    n_clusters: int
    ari: float


class CircleAnswer(BaseModel):
    """Points, the circles they lie on, and what three systems made of them."""

    points: list[Annotated[list[float], Field(min_length=2, max_length=2)]]
    truth: list[int]
    systems: list[CircleSystem]


UPLOAD_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "files": {
                            "type": "array",
                            "minItems": 1,
                            "items": {"type": "string", "format": "binary"},
                            "description": "Images, .zip files of images, or one .csv or .parquet table.",
                        },
                        "model": {
                            "type": "string",
                            "default": "auto",
                            "description": "A name of /api/models.",
                        },
                        "n_clusters": {"type": "integer", "minimum": 1, "description": "Found if not given."},
                        "label_column": {
                            "type": "string",
                            "description": "Column of a table with known clusters: only scored against.",
                        },
                    },
                }
            }
        },
    }
}
"""The form of an upload, which is read by hand: in memory, byte by byte."""


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors of a route, for its description."""
    meanings = {
        400: "The request cannot be read, or does not come from the page of this server.",
        401: "No token, or a wrong one.",
        404: "No such thing, or no longer.",
        405: "No such method here.",
        408: "The request took too long to arrive.",
        413: "More than the server takes.",
        422: "Understood, and cannot be done.",
        429: "This client must wait.",
        500: "Something went wrong in the server.",
        503: "Nobody is free, or the computation took too long.",
    }
    always = (400, 401, 405, 429)
    return {
        status: {"model": Error, "description": meanings[status]} for status in sorted({*always, *statuses})
    }
