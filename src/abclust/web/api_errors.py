"""Every error of the interface: a status, a code for programs, a sentence for people."""

from typing import Any

from abclust.foundations.errors import AbclustError


class ApiError(AbclustError):
    """What a client is told instead of an answer.

    Parameters
    ----------
    status
        Of HTTP.
    code
        One word that does not change, for programs.
    message
        What arrived and what to do, for people.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def __reduce__(self) -> Any:  # it comes back from worker processes
        return type(self), (self.status, self.code, self.message)

    def to_dict(self) -> dict[str, Any]:
        """As it stands in an answer."""
        return error_body(self.code, self.message)


def error_body(code: str, message: str) -> dict[str, Any]:
    """The one form of all errors."""
    return {"error": {"code": code, "message": message}}


def malformed(message: str) -> ApiError:
    """400: the request cannot be read at all."""
    return ApiError(400, "malformed", message)


def unauthorised(message: str) -> ApiError:
    """401: no token, or a wrong one."""
    return ApiError(401, "unauthorised", message)


def not_found(message: str) -> ApiError:
    """404: no such thing, or no longer."""
    return ApiError(404, "not_found", message)


def too_slow_upload(seconds: float) -> ApiError:
    """408: the request did not arrive in time."""
    return ApiError(
        408, "upload_too_slow", f"a request must arrive within {seconds:g} seconds. Send it again, or less."
    )


def too_large(message: str) -> ApiError:
    """413: more than the server takes."""
    return ApiError(413, "too_large", message)


def invalid(message: str) -> ApiError:
    """422: understood, and cannot be done."""
    return ApiError(422, "invalid", message)


def too_many(message: str) -> ApiError:
    """429: this client must wait."""
    return ApiError(429, "too_many", message)


def busy(message: str) -> ApiError:
    """503: nobody is free."""
    return ApiError(503, "busy", message)


def out_of_time(seconds: float) -> ApiError:
    """503: the computation took too long and was ended."""
    return ApiError(
        503,
        "out_of_time",
        f"a computation must end within {seconds:g} seconds. This one did not and was stopped. "
        "Send fewer items, or start the server with a larger --job-seconds.",
    )


def worker_died() -> ApiError:
    """503: the computation took its worker with it."""
    return ApiError(
        503,
        "worker_died",
        "a computation must fit in the memory of its worker. This one ended its worker, which was replaced. "
        "Send fewer or smaller items.",
    )


def internal() -> ApiError:
    """500: ours; what went wrong is in the log and not in the answer."""
    message = "something went wrong in the server, which has noted it. Other requests are not affected."
    return ApiError(500, "internal", message)


def cancelled() -> ApiError:
    """The client took the job back; nobody waits for this error."""
    return ApiError(404, "cancelled", "the job was cancelled.")
