"""What all routes share: the settings, the queue, the answers, and the networks that are offered."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.requests import Request

from abclust.foundations.errors import DataNotFoundError, InvalidInputError
from abclust.web.answer_store import AnswerStore
from abclust.web.api_errors import invalid
from abclust.web.config import MEGABYTE, WebConfig
from abclust.web.job_queue import JobQueue
from abclust.web.tasks import ModelsTask, ReadLimits
from abclust.zoo.catalogue import shipped_names

AUTO = "auto"


@dataclass(eq=False)
class Services:
    """One server's own; nothing is shared between two servers of a process."""

    config: WebConfig
    queue: JobQueue
    answers: AnswerStore
    offered: dict[str, str]
    """Name, and what loads it: a shipped name or a path that the owner of the server gave."""
    models: list[dict[str, Any]] | None = field(default=None)
    """Their descriptions, once they were asked for."""

    @classmethod
    def of(cls, config: WebConfig) -> "Services":
        return cls(config, JobQueue(config), AnswerStore(config), offered_models(config))

    @property
    def limits(self) -> ReadLimits:
        config = self.config
        return ReadLimits(config.most_items, config.most_columns, config.unpacked_megabytes * MEGABYTE)

    def source(self, model: str) -> str:
        """What loads the weights that a client names.

        Raises
        ------
        ApiError
            422 if they are not offered: a client's word is looked up here and never on the disk.
        """
        if model == AUTO:
            return AUTO
        if model not in self.offered:
            raise invalid(f"model must be auto or one of {', '.join(self.offered)}. Got {model[:100]!r}.")
        return self.offered[model]

    def shown_name(self, source: str) -> str:
        """The name under which weights are offered."""
        return next((name for name, known in self.offered.items() if known == source), source)

    async def described_models(self) -> list[dict[str, Any]]:
        """The descriptions of the networks that are offered."""
        if self.models is None:
            task = ModelsTask(tuple(self.offered.items()))
            self.models = await self.queue.wait(self.queue.submit(task, "127.0.0.1"))
        return self.models or []


def offered_models(config: WebConfig) -> dict[str, str]:
    """The shipped weights and the owner's own.

    Raises
    ------
    DataNotFoundError
        If a file is not there.
    InvalidInputError
        If two have one name.
    """
    offered = {name: name for name in shipped_names()}
    for given in config.models:
        path = Path(given).absolute()
        if not path.is_file():
            raise DataNotFoundError(f"a model must be a network file. Got {given!r}.")
        if path.stem in (*offered, AUTO):
            raise InvalidInputError(f"models must have different names. Got {path.stem!r} twice.")
        offered[path.stem] = str(path)
    return offered


def services(request: Request) -> Services:
    """Of the server that was asked."""
    return request.app.state.services
