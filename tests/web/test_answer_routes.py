"""Answers: corrected and taken away."""

import csv
import io
import zipfile
from typing import Any

import pytest
from tests.web.small_uploads import Client, picture, points_csv


@pytest.fixture(scope="module")
def images(server: Client) -> dict[str, Any]:
    names = ["../a.png", "A.png", "=cmd().png", "b/a.png", "c.png"]
    files = [(name, picture(seed)) for seed, name in enumerate(names)]
    done = server.cluster(*files, model="omniglot")
    assert done.status_code == 200, done.text
    return done.json()


@pytest.fixture(scope="module")
def table(server: Client) -> dict[str, Any]:
    return server.cluster(("p.csv", points_csv(11, labels=True)), label_column="group").json()


def test_constraints_are_honoured_and_a_shorter_list_is_an_undo(
    server: Client, table: dict[str, Any]
) -> None:
    place = f"/api/answers/{table['id']}"
    body = {"must_link": [[0, 1]], "cannot_link": [[2, 4]]}
    corrected = server.post(f"{place}/constraints", json=body)
    assert corrected.status_code == 200, corrected.text
    answer = corrected.json()
    assert answer["labels"][0] == answer["labels"][1]
    assert answer["labels"][2] != answer["labels"][4]
    assert answer["constraints"] == body
    assert answer["id"] == table["id"]
    assert answer["kernel_omitted"] is True
    assert server.get(place).json()["labels"] == answer["labels"]
    server.post(f"{place}/constraints", json={})
    assert server.get(place).json() == table


@pytest.mark.parametrize(
    "body",
    [
        {"must_link": [[0, 1]], "cannot_link": [[1, 0]]},
        {"must_link": [[0, 11]]},
        {"must_link": [[0, -1]]},
        {"must_link": [[0, 1, 2]]},
        {"must_link": [["0", 1]]},
        {"must": [[0, 1]]},
        [],
    ],
)
def test_constraints_that_cannot_be_are_422_and_change_nothing(
    server: Client, table: dict[str, Any], body: Any
) -> None:
    done = server.post(f"/api/answers/{table['id']}/constraints", json=body)
    assert done.status_code == 422
    assert done.json()["error"]["message"]
    assert server.get(f"/api/answers/{table['id']}").json() == table


def test_labels_are_a_table_at_any_cut(server: Client, table: dict[str, Any]) -> None:
    done = server.get(f"/api/answers/{table['id']}/labels.csv")
    assert done.headers["content-type"].startswith("text/csv")
    assert "attachment" in done.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(done.text)))
    assert [int(row["cluster"]) for row in rows] == table["labels"]
    assert [float(row["confidence"]) for row in rows] == table["confidence"]
    for n_clusters in (1, 3, 11):
        text = server.get(f"/api/answers/{table['id']}/labels.csv?n_clusters={n_clusters}").text
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len({row["cluster"] for row in rows}) == n_clusters


@pytest.mark.parametrize("file", ["labels.csv", "report.html", "clusters.zip"])
@pytest.mark.parametrize("n_clusters", ["0", "12", "many", "-1"])
def test_a_cut_that_cannot_be_is_422(
    server: Client, table: dict[str, Any], file: str, n_clusters: str
) -> None:
    assert server.get(f"/api/answers/{table['id']}/{file}?n_clusters={n_clusters}").status_code == 422


def test_images_are_sorted_into_folders_under_harmless_names(server: Client, images: dict[str, Any]) -> None:
    done = server.get(f"/api/answers/{images['id']}/clusters.zip?n_clusters=1")
    with zipfile.ZipFile(io.BytesIO(done.content)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names == [
            "cluster-0/a.png",
            "cluster-0/A (2).png",
            "cluster-0/_cmd().png",
            "cluster-0/a (3).png",
            "cluster-0/c.png",
            "labels.csv",
        ]
        assert archive.read("cluster-0/c.png") == picture(4)
        assert "\n'=cmd().png,0," in archive.read("labels.csv").decode()  # no spreadsheet computes it
    whole = server.get(f"/api/answers/{images['id']}/clusters.zip").content
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        folders = [name.split("/")[0] for name in archive.namelist()[:-1]]
    assert folders == [f"cluster-{label}" for label in images["labels"]]


def test_a_table_has_no_images_to_sort(server: Client, table: dict[str, Any]) -> None:
    done = server.get(f"/api/answers/{table['id']}/clusters.zip")
    assert done.status_code == 422
    assert "labels.csv" in done.json()["error"]["message"]
    assert server.get(f"/api/answers/{table['id']}/thumbnails").json() == []


@pytest.mark.parametrize("kind", ["images", "table"])
def test_the_report_is_one_page(server: Client, kind: str, request: pytest.FixtureRequest) -> None:
    answer = request.getfixturevalue(kind)
    done = server.get(f"/api/answers/{answer['id']}/report.html?n_clusters=2")
    assert done.status_code == 200, done.text
    assert done.text.startswith("<!doctype html>")
    assert "in 2 clusters" in done.text
    assert "attachment" in done.headers["content-disposition"]


@pytest.mark.parametrize("rest", ["", "/thumbnails", "/labels.csv", "/report.html", "/clusters.zip"])
def test_an_answer_that_nobody_got_is_404(server: Client, rest: str) -> None:
    done = server.get(f"/api/answers/no-such-answer{rest}")
    assert done.status_code == 404
    assert done.json()["error"]["code"] == "not_found"
