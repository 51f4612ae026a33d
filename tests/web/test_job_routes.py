"""Jobs: started, followed, cancelled; a worker that is ended comes back."""

from collections.abc import Iterator

import pytest
from tests.web.small_uploads import Client, picture, points_csv

from abclust.web.config import WebConfig
from abclust.web.server import running_server


def test_a_job_tells_its_stages_and_then_its_answer(server: Client) -> None:
    job = server.start(*[(f"{seed}.png", picture(seed)) for seed in range(3)], model="omniglot")
    events = server.events(job["events"])
    names = [name for name, _ in events]
    assert names[-1] == "done"
    assert set(names[:-1]) <= {"queued", "progress"}
    stages = [data["stage"] for name, data in events if name == "progress"]
    order = ["reading", "encoding", "kernel", "clustering"]
    assert [order.index(stage) for stage in stages] == sorted(order.index(stage) for stage in stages)
    assert server.get(f"/api/answers/{events[-1][1]['answer']}").json()["n_items"] == 3
    assert server.events(job["events"]) == events[-1:]  # who comes late gets the end at once


def test_a_job_that_fails_says_why(server: Client) -> None:
    job = server.start(("a.png", b"no image"))
    name, data = server.events(job["events"])[-1]
    assert name == "failed"
    assert data["error"]["code"] == "invalid"


@pytest.mark.parametrize(("example", "kind"), [("circles", "points"), ("digits", "images")])
def test_the_examples_come_with_their_truth(server: Client, example: str, kind: str) -> None:
    done = server.post(f"/api/jobs/examples/{example}")
    assert done.status_code == 202
    answer_id = server.events(done.json()["events"])[-1][1]["answer"]
    answer = server.get(f"/api/answers/{answer_id}").json()
    assert answer["kind"] == kind
    assert len(answer["true_labels"]) == answer["n_items"] == 100


def test_there_are_no_other_examples(server: Client) -> None:
    assert server.post("/api/jobs/examples/faces").status_code == 422


@pytest.fixture(scope="module")
def narrow() -> Iterator[Client]:
    """A server whose one worker and one place to wait are easily filled."""
    with running_server(WebConfig(port=0, workers=1, queue_capacity=2)) as address:
        yield Client(address)


@pytest.fixture
def at_work(narrow: Client) -> Iterator[dict[str, str]]:
    """A job that is in the middle of seconds of work; it is cancelled in the end."""
    job = narrow.start(("long.csv", points_csv(1_999)))
    for _, data in narrow.following(job["events"]):
        if data.get("stage") == "kernel":
            break
    yield job
    narrow.delete(f"/api/jobs/{job['job']}")


def test_a_full_queue_is_503_and_free_again_when_a_job_is_cancelled(
    narrow: Client, at_work: dict[str, str]
) -> None:
    waiting = narrow.start(("b.csv", points_csv(5)))
    assert narrow.get("/health").json()["queue"] == {"waiting": 1, "running": 1, "capacity": 2}
    refused = narrow.cluster(("c.csv", points_csv(5)))
    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "busy"
    assert refused.headers["retry-after"]
    cancelled = narrow.delete(f"/api/jobs/{waiting['job']}").json()
    assert cancelled == {"job": waiting["job"], "cancelled": True}
    assert narrow.events(waiting["events"])[-1][1]["error"]["code"] == "cancelled"
    waiting = narrow.start(("c.csv", points_csv(5)))
    assert narrow.delete(f"/api/jobs/{at_work['job']}").status_code == 200
    assert narrow.events(waiting["events"])[-1][0] == "done"


def test_a_job_that_runs_can_be_cancelled_and_its_worker_comes_back(
    narrow: Client, at_work: dict[str, str]
) -> None:
    assert narrow.delete(f"/api/jobs/{at_work['job']}").json()["cancelled"] is True
    assert [name for name, _ in narrow.events(at_work["events"])] == ["failed"]
    assert narrow.cluster(("b.csv", points_csv(5))).status_code == 200
    assert narrow.get("/health").json()["queue"]["running"] == 0
    assert narrow.delete(f"/api/jobs/{at_work['job']}").json()["cancelled"] is False


def test_a_job_that_nobody_started_is_404(server: Client) -> None:
    for done in (server.get("/api/jobs/no-such/events"), server.delete("/api/jobs/no-such")):
        assert done.status_code == 404
        assert done.json()["error"]["code"] == "not_found"


def test_a_computation_that_takes_too_long_is_503() -> None:
    with running_server(WebConfig(port=0, workers=1, job_seconds=0.001)) as address:
        client = Client(address)
        for _ in range(2):  # the second finds a new worker
            done = client.cluster(("b.csv", points_csv(5)))
            assert done.status_code == 503
            assert done.json()["error"]["code"] == "out_of_time"
        assert client.get("/health").json()["queue"]["running"] == 0
