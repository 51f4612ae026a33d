"""What a server allows: where it listens, who may ask, how much, and how long it may take."""

from dataclasses import dataclass, fields
from ipaddress import ip_address

from abclust.foundations.errors import InvalidInputError

MEGABYTE = 2**20


@dataclass(frozen=True)
class WebConfig:
    """The settings of one server; every limit has an answer of its own when it is exceeded.

    Raises
    ------
    InvalidInputError
        If a limit is not positive, or if the host is not loopback and there is no token.

    Examples
    --------
    >>> WebConfig(host="localhost").is_loopback
    True
    """

    host: str = "127.0.0.1"
    """Loopback, unless there is a token."""
    port: int = 8765
    """0 takes any free port."""
    token: str | None = None
    """What a client must show; needed unless the host is loopback."""
    allowed_hosts: tuple[str, ...] = ()
    """Names of this machine that a browser may have in its address bar, besides its addresses."""
    models: tuple[str, ...] = ()
    """Network files to offer besides the shipped weights, each under its name without the ending."""
    workers: int = 2
    """Processes that compute."""
    job_seconds: float = 120.0
    """Computing time of one job; then its worker is ended and replaced."""
    request_seconds: float = 300.0
    """How long a waiting request is held, queue and computing together."""
    upload_seconds: float = 60.0
    """How long a request may take to arrive."""
    queue_capacity: int = 256
    """Jobs that wait or run at a time."""
    jobs_per_client: int = 32
    """Jobs that one address may have among them; loopback is not counted."""
    request_megabytes: int = 64
    """Size of one request."""
    queue_megabytes: int = 512
    """Size of all uploads in memory that are not clustered yet."""
    unpacked_megabytes: int = 256
    """Size of a .zip or a table once it is unpacked."""
    most_items: int = 2_000
    """Images, or rows of a table."""
    most_columns: int = 4_096
    """Columns of a table."""
    worker_megabytes: int = 4_096
    """Memory that a worker may take beyond what its libraries need; where the system can limit it."""
    answers: int = 256
    """Answers that are kept; the longest unused goes first."""
    answer_megabytes: int = 1_024
    """Size of all answers that are kept."""
    answer_seconds: float = 3_600.0
    """How long an answer is kept after it was last asked for."""
    kernel_items: int = 1_000
    """Up to so many items an answer carries its kernel."""

    def __post_init__(self) -> None:
        texts = {"host", "token", "allowed_hosts", "models", "port"}
        for name in (field.name for field in fields(self) if field.name not in texts):
            if not getattr(self, name) > 0:
                raise InvalidInputError(f"{name} must be positive. Got {getattr(self, name)}.")
        if not 0 <= self.port < 2**16:
            raise InvalidInputError(f"port must be from 0 to 65535. Got {self.port}.")
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token):
            raise InvalidInputError("token must be one or more printable ASCII characters. Got others.")
        if self.token is None and not self.is_loopback:
            raise InvalidInputError(
                f"host must be loopback (127.0.0.1) unless there is a token. Got {self.host!r}. "
                "Everybody who reaches this address could use the server: choose a token and pass it with "
                "--token."
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def request_bytes(self) -> int:
        return self.request_megabytes * MEGABYTE


def is_loopback(host: str) -> bool:
    """Whether a name or an address means this machine alone.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, True, False, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
