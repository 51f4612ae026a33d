"""POST /api/cluster: files in, an answer out."""

import base64

import numpy as np
import pytest
from PIL import Image
from scipy.cluster.hierarchy import fcluster
from sklearn.datasets import load_digits
from tests.web.small_uploads import MOST_ITEMS, Client, archive, picture, png, points_csv

from abclust import AttentionClustering, cluster_kernel


def test_images_come_back_with_labels_in_their_order(server: Client) -> None:
    files = [(f"{seed}.png", picture(seed)) for seed in (3, 5, 7, 3, 5)]
    done = server.cluster(*files, model="omniglot")
    assert done.status_code == 200, done.text
    answer = done.json()
    assert answer["names"] == ["3.png", "5.png", "7.png", "3.png", "5.png"]
    assert len(answer["labels"]) == answer["n_items"] == 5
    assert answer["n_clusters"] == max(answer["labels"]) + 1
    assert answer["labels"][0] == answer["labels"][3]  # equal images
    assert (answer["model"], answer["kind"]) == ("omniglot", "images")
    pictures = server.get(answer["thumbnails"]).json()
    assert len(pictures) == 5
    assert all(each.startswith("data:image/png;base64,") for each in pictures)


@pytest.mark.parametrize("n_items", [41, 97])
def test_the_answer_is_the_estimators(server: Client, n_items: int) -> None:
    digits = load_digits().images[:n_items].astype(np.uint8) * 15
    files = [(f"{place}.png", png(Image.fromarray(pixels))) for place, pixels in enumerate(digits)]
    answer = server.cluster(*files, model="omniglot").json()

    expected = AttentionClustering("omniglot").fit_predict(digits)
    assert answer["labels"] == expected.tolist()
    plain = cluster_kernel(AttentionClustering("omniglot").fit(digits).kernel_)
    assert answer["labels"] != plain.tolist()  # the network's own method, not that of bare kernels
    corrected = server.post(f"/api/answers/{answer['id']}/constraints", json={})
    assert corrected.status_code == 200, corrected.text
    assert corrected.json()["labels"] == answer["labels"]


def test_the_merge_tree_gives_the_labels_back_when_cut(server: Client) -> None:
    answer = server.cluster(("points.csv", points_csv(13)), model="vectors").json()
    n_items, merges = answer["n_items"], answer["merge_tree"]["merges"]
    groups = {item: [item] for item in range(n_items)}
    for number, (first, second) in enumerate(merges[: n_items - answer["n_clusters"]]):
        groups[n_items + number] = groups.pop(first) + groups.pop(second)
    found = {frozenset(group) for group in groups.values()}
    labels = np.array(answer["labels"])
    assert found == {frozenset(np.flatnonzero(labels == label)) for label in range(answer["n_clusters"])}
    heights = answer["merge_tree"]["heights"]
    rows = np.array([[*pair, height, 0] for pair, height in zip(merges, heights)], dtype=float)
    assert len(set(fcluster(rows, 1, "maxclust"))) == 1  # scipy takes it for a tree
    assert heights == sorted(heights)


def test_a_table_comes_back_with_positions_and_a_kernel(server: Client) -> None:
    done = server.cluster(("points.csv", points_csv(11, labels=True)), label_column="group")
    assert done.status_code == 200, done.text
    answer = done.json()
    assert answer["kind"] == "points"
    assert answer["model"] == "vectors"  # what auto means for a table
    assert answer["true_labels"] == list("abababababa")
    assert np.shape(answer["positions"]) == (11, 2)
    kernel = np.frombuffer(base64.b64decode(answer["kernel"]), np.uint8).reshape(11, 11)
    assert (kernel == kernel.T).all()
    assert sorted(answer["order"]) == list(range(11))
    assert sum(each["probability"] for each in answer["n_clusters_distribution"]) == pytest.approx(1)
    sure = answer["confidence"]
    assert [sure[item] for item in answer["least_certain"]] == sorted(sure)
    assert server.get(f"/api/answers/{answer['id']}").json() == answer


def test_one_bad_file_is_reported_and_the_rest_are_clustered(server: Client) -> None:
    bad = [("bad.png", b"no image"), ("cut.png", picture(1)[:60])]
    done = server.cluster(("a.png", picture(1)), *bad, ("b.png", picture(2)), model="omniglot")
    assert done.status_code == 200, done.text
    answer = done.json()
    assert answer["names"] == ["a.png", "b.png"]
    assert [each["name"] for each in answer["skipped"]] == ["bad.png", "cut.png"]
    assert "no image of a known kind" in answer["skipped"][0]["why"]
    assert "0x" not in answer["skipped"][0]["why"]


def test_an_archive_of_images_is_a_set_and_its_paths_are_only_names(server: Client) -> None:
    members = {"one/a.png": picture(1), "../../b.png": picture(2), "notes.txt": b"hello", ".hidden": b""}
    done = server.cluster(("scans.zip", archive(members)), model="omniglot")
    assert done.status_code == 200, done.text
    assert done.json()["names"] == ["one/a.png", "../../b.png"]
    assert [each["name"] for each in done.json()["skipped"]] == ["notes.txt"]


def test_a_number_of_clusters_that_is_asked_for_is_given(server: Client) -> None:
    assert server.cluster(("p.csv", points_csv(7)), n_clusters="3").json()["n_clusters"] == 3


def test_equal_requests_get_equal_clusters_under_different_ids(server: Client) -> None:
    first, second = (server.cluster(("p.csv", points_csv(9))).json() for _ in range(2))
    assert first.pop("id") != second.pop("id")
    assert first == second


@pytest.mark.parametrize(
    ("files", "fields", "word"),
    [
        ([("a.png", b"nothing")], {}, "at least one image"),
        ([("a.csv", b"x,y\n1,word\n")], {}, "'word' in line 2"),
        ([("a.csv", b"x,y\n1,2\n3\n")], {}, "line 3"),
        ([("a.parquet", b"PAR1")], {}, ".parquet"),
        ([("a.zip", b"PK\x03\x04 nothing")], {}, ".zip"),
        ([("a.csv", points_csv(3)), ("b.png", picture(1))], {}, "alone"),
        ([("a.csv", points_csv(3))], {"model": "../../etc/passwd"}, "model must be"),
        ([("a.csv", points_csv(3))], {"model": "omniglot"}, "'vectors'"),
        ([("a.png", picture(1))], {"model": "circles"}, "for images"),
        ([("a.csv", points_csv(3))], {"n_clusters": "0"}, "n_clusters"),
        ([("a.csv", points_csv(3))], {"n_clusters": "9"}, "n_clusters"),
        ([("a.csv", points_csv(3))], {"n_clusters": "two"}, "n_clusters"),
        ([("a.csv", points_csv(3))], {"label_column": "colour"}, "label_column"),
    ],
)
def test_what_cannot_be_clustered_is_422_and_says_why(
    server: Client, files: list[tuple[str, bytes]], fields: dict[str, str], word: str
) -> None:
    done = server.cluster(*files, **fields)
    assert done.status_code == 422, done.text
    assert done.json()["error"]["code"] == "invalid"
    assert word in done.json()["error"]["message"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("large.png", bytes(2**20)),
        ("long.csv", points_csv(MOST_ITEMS + 1)),
        ("wide.csv", (",".join(["1"] * 5_000) + "\n").encode() * 2),
        ("bomb.zip", archive({"a.png": bytes(3 * 2**20)})),
        ("many.zip", archive({f"{number}.png": b"" for number in range(MOST_ITEMS + 1)})),
    ],
)
def test_what_is_too_much_is_413_and_says_the_limit(server: Client, name: str, content: bytes) -> None:
    done = server.cluster((name, content))
    assert done.status_code == 413, done.text
    assert done.json()["error"]["code"] == "too_large"
    assert "at most" in done.json()["error"]["message"]


def test_too_many_files_are_413(server: Client) -> None:
    done = server.cluster(*[(f"{number}.png", b"") for number in range(MOST_ITEMS + 1)])
    assert done.status_code == 413, done.text


def test_a_body_many_times_too_large_still_gets_its_answer(server: Client) -> None:
    done = server.cluster(("huge.png", bytes(20 * 2**20)))
    assert done.status_code == 413
    assert "1,048,576 bytes" in done.json()["error"]["message"]


@pytest.mark.parametrize(
    "options",
    [
        {"data": b"x", "headers": {"Content-Type": "text/plain"}},
        {"data": b"x", "headers": {"Content-Type": "multipart/form-data"}},
        {"data": b"x", "headers": {"Content-Type": "multipart/form-data; boundary=b"}},
        {"json": {"files": []}},
    ],
)
def test_what_is_no_form_is_400(server: Client, options: dict[str, object]) -> None:
    done = server.post("/api/cluster", **options)
    assert done.status_code == 400, done.text
    assert done.json()["error"]["code"] == "malformed"


def test_a_form_without_files_is_422(server: Client) -> None:
    assert server.post("/api/cluster", files={"model": (None, "circles")}).status_code == 422
