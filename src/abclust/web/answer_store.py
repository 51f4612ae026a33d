"""Answers: kept in memory for a while, each under a name that cannot be guessed."""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from abclust.web.api_errors import not_found
from abclust.web.config import MEGABYTE, WebConfig
from abclust.web.tasks import FoundClusters


@dataclass(frozen=True, eq=False)
class Answer:
    """A clustered set under its id."""

    id: str
    found: FoundClusters
    last_used: float


class AnswerStore:
    """Answers by id; the longest unused go first when there are too many, and all go in time.

    Parameters
    ----------
    config
        How many, how large, how long.
    clock
        Seconds that never go back.
    """

    def __init__(self, config: WebConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._config, self._clock = config, clock
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._n_bytes = 0
        self._lock = threading.Lock()

    def add(self, found: FoundClusters) -> Answer:
        """Keep an answer under a new id."""
        answer = Answer(secrets.token_urlsafe(24), found, self._clock())
        with self._lock:
            self._put(answer)
            self._forget()
        return answer

    def get(self, answer_id: str) -> Answer:
        """An answer by its id.

        Raises
        ------
        ApiError
            404 if there is none, or no longer.
        """
        with self._lock:
            self._forget()
            answer = self._answers.get(answer_id)
            if answer is None:
                raise not_found("the answer must be one that is still kept. There is none, or it was let go.")
            answer = replace(answer, last_used=self._clock())
            self._put(answer)
            return answer

    def change(self, answer_id: str, found: FoundClusters) -> Answer:
        """Put a corrected set in the place of an answer; the id stays.

        Raises
        ------
        ApiError
            404 if the answer was let go meanwhile.
        """
        self.get(answer_id)
        answer = Answer(answer_id, found, self._clock())
        with self._lock:
            self._put(answer)
        return answer

    def __len__(self) -> int:
        return len(self._answers)

    @property
    def n_bytes(self) -> int:
        """How large all answers are."""
        return self._n_bytes

    def _put(self, answer: Answer) -> None:
        old = self._answers.pop(answer.id, None)
        self._n_bytes += answer.found.n_bytes - (old.found.n_bytes if old else 0)
        self._answers[answer.id] = answer

    def _forget(self) -> None:
        too_old = self._clock() - self._config.answer_seconds
        while self._answers:
            first = next(iter(self._answers.values()))
            is_too_much = len(self._answers) > self._config.answers or (
                self._n_bytes > self._config.answer_megabytes * MEGABYTE and len(self._answers) > 1
            )
            if not is_too_much and first.last_used >= too_old:
                return
            del self._answers[first.id]
            self._n_bytes -= first.found.n_bytes
