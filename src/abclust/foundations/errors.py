"""The errors of abclust.

Every message reads: *name* must be *rule*. Got *value*. *Hint.* What a user can mend is an
:class:`InvalidInputError`, which is also a ``ValueError``; the web front door answers it with 4xx.
"""


class AbclustError(Exception):
    """Anything that abclust raises on purpose."""


class InvalidInputError(AbclustError, ValueError):
    """Data, an option or a combination of options that the caller can mend."""


class FileFormatError(InvalidInputError):
    """A file that is truncated, foreign, newer than this version or otherwise not what its name says."""


class DataNotFoundError(InvalidInputError, FileNotFoundError):
    """Data that was looked for in the stated places and is in none of them."""


class MissingExtraError(AbclustError, ImportError):
    """An optional package that this feature needs and that is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed. "
            f"Install it with: pip install 'abclust[{extra}]'"
        )
        self.package = package
        self.extra = extra


class TrainingError(AbclustError, RuntimeError):
    """A training run that cannot go on; the message names the last good checkpoint."""
