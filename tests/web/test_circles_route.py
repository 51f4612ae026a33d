"""The circles playground."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.small_uploads import Client

from abclust.web.circle_tasks import points_on_circles
from abclust.web.tasks import Circle, CircleTask


def test_three_systems_cluster_the_points_of_given_circles(server: Client) -> None:
    circles = [
        {"x": 0.0, "y": 0.0, "radius": 0.3, "points": 37},
        {"x": 0.3, "y": 0.1, "radius": 0.2, "points": 23},
    ]
    done = server.post("/api/circles", json={"circles": circles, "noise": 0.0, "seed": 5})
    assert done.status_code == 200, done.text
    answer = done.json()
    assert np.shape(answer["points"]) == (60, 2)
    assert answer["truth"] == [0] * 37 + [1] * 23
    assert [system["name"] for system in answer["systems"]] == ["ABC", "pairwise", "spectral"]
    for system in answer["systems"]:
        assert len(system["labels"]) == 60
        assert system["n_clusters"] == len(set(system["labels"]))
        assert -1 <= system["ari"] <= 1
    assert answer["systems"][2]["n_clusters"] == 2  # it is told
    assert answer["systems"][0]["ari"] > answer["systems"][2]["ari"]
    assert server.post("/api/circles", json={"circles": circles, "seed": 5}).json() == answer


@pytest.mark.parametrize("points", [1, 2])
def test_a_circle_of_hardly_a_point_is_clustered_too(server: Client, points: int) -> None:
    circles = [{"x": 0.0, "y": 0.0, "radius": 0.3, "points": points}]
    done = server.post("/api/circles", json={"circles": circles})
    assert done.status_code == 200, done.text
    assert len(done.json()["points"]) == points


@pytest.mark.parametrize(
    "body",
    [
        {"circles": []},
        {"circles": [{"x": 0, "y": 0, "radius": 0.3, "points": 5}] * 9},
        {"circles": [{"x": 0, "y": 0, "radius": 0.3, "points": 201}] * 2},
        {"circles": [{"x": 0, "y": 0, "radius": 0, "points": 5}]},
        {"circles": [{"x": 0, "y": 0, "radius": 1, "points": 0}]},
        {"circles": [{"x": 0, "y": 0, "radius": 1, "points": 5}], "noise": -1},
        {"circles": [{"x": 0, "y": 0, "radius": 1, "points": 5}], "seed": -1},
        {},
    ],
)
def test_circles_that_cannot_be_are_422(server: Client, body: dict[str, object]) -> None:
    done = server.post("/api/circles", json=body)
    assert done.status_code == 422
    assert done.json()["error"]["message"]


@pytest.mark.parametrize("content", [b"{", b'{"circles": [{"x": NaN}]}', b"\xff"])
def test_what_is_no_json_is_a_clear_error(server: Client, content: bytes) -> None:
    done = server.post("/api/circles", data=content, headers={"Content-Type": "application/json"})
    assert done.status_code in (400, 422)
    assert done.json()["error"]["code"] in ("malformed", "invalid")


def test_a_body_of_json_has_a_limit_too(server: Client) -> None:
    content = b'{"circles": [' + b" " * 2**20 + b"]}"
    done = server.post("/api/circles", data=content, headers={"Content-Type": "application/json"})
    assert done.status_code == 413
    assert done.json()["error"]["code"] == "too_large"


@given(
    st.lists(
        st.builds(Circle, st.floats(-1, 1), st.floats(-1, 1), st.floats(0.1, 1), st.integers(1, 29)),
        min_size=1,
    ),
    st.integers(0, 2**31 - 1),
)
def test_without_noise_every_point_lies_on_its_circle(circles: list[Circle], seed: int) -> None:
    points, truth = points_on_circles(CircleTask(tuple(circles), 0.0, seed))
    assert np.bincount(truth).tolist() == [circle.points for circle in circles]
    for point, number in zip(points, truth):
        circle = circles[number]
        assert np.hypot(point[0] - circle.x, point[1] - circle.y) == pytest.approx(circle.radius)
