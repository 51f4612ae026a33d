"""Files in, clusters out: dropped, chosen, examples; and what happens when it does not work."""

import io
import re
import zipfile

import pytest
from tests.web.browser.page_reading import digit_files, drop, grouping, shown_grouping

playwright = pytest.importorskip("playwright.sync_api", reason="needs: pip install playwright")
expect = playwright.expect


def answer_on(page, server):
    """The answer that the address of the page names."""
    expect(page.locator(".answer")).to_be_visible()
    return server.get(f"/api/answers/{page.url.rpartition('/')[2]}").json()


def test_dropped_images_become_cards_of_their_clusters(visit, server):
    page = visit()
    drop(page, digit_files(23))
    answer = answer_on(page, server)
    assert answer["names"] == [name for name, _ in digit_files(23)]
    expect(page.locator(".overview h2")).to_have_text(f"23 images in {answer['n_clusters']} clusters")
    assert shown_grouping(page) == grouping(answer["labels"])
    sources = page.locator(".cluster .item img").evaluate_all("(all) => all.map((each) => each.src)")
    assert len(set(sources)) > 20
    assert all(source.startswith("data:image/png") for source in sources)


def test_an_answer_is_still_there_after_a_reload(visit, answer_of):
    page = visit(f"#files/{answer_of('digits')['id']}")
    expect(page.locator(".item")).to_have_count(41)
    page.reload()
    expect(page.locator(".item")).to_have_count(41)
    page.get_by_role("link", name="New files").click()
    expect(page.locator("#drop")).to_be_visible()
    expect(page.locator(".answer")).to_have_count(0)


def test_a_folder_is_chosen_with_everything_below_it(visit, server, tmp_path):
    folder = tmp_path / "letters"
    (folder / "deep" / "deeper").mkdir(parents=True)
    for number, (name, content) in enumerate(digit_files(7)):
        (folder / ["", "deep", "deep/deeper"][number % 3] / name).write_bytes(content)
    (folder / "notes.txt").write_text("no picture")
    (folder / ".hidden.png").write_bytes(b"")
    page = visit()
    page.set_input_files("#choose-folder", folder)
    answer = answer_on(page, server)
    assert answer["n_items"] == 7
    assert answer["skipped"] == []


def test_a_dropped_folder_is_opened_all_the_way_down(visit):
    page = visit()
    names = page.evaluate("""async () => {
      const { droppedFiles } = await import("/static/scripts/files/dropped_files.js");
      const file = (name) => ({ isFile: true, name, file: (resolve) => resolve(new File([], name)) });
      const folder = (name, ...parts) => ({
        isFile: false, name,
        // A reader gives its entries in portions, here one by one, and at last none.
        createReader: () => {
          const left = [...parts];
          return { readEntries: (resolve) => resolve(left.splice(0, 1)) };
        },
      });
      const entries = [folder("a", file("1.png"), folder("b", file("2.png"), file("3.png"))), file("4.png")];
      const items = entries.map((entry) => ({ kind: "file", webkitGetAsEntry: () => entry }));
      return (await droppedFiles({ items, files: [] })).map((each) => each.name);
    }""")
    assert sorted(names) == ["4.png", "a/1.png", "a/b/2.png", "a/b/3.png"]


def test_a_zip_of_images_is_opened(visit, server):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in digit_files(11):
            archive.writestr(f"inside/{name}", content)
    page = visit()
    page.set_input_files(
        "#choose-files", {"name": "some.zip", "mimeType": "application/zip", "buffer": buffer.getvalue()}
    )
    assert answer_on(page, server)["n_items"] == 11
    expect(page.locator(".item")).to_have_count(11)


def test_a_table_becomes_points_of_a_plane_with_the_options_that_were_set(visit, server):
    rows = [f"{x}.{number},{x}.5{number},{'ab'[x]}" for x in (0, 1) for number in range(13)]
    page = visit()
    page.locator(".options summary").click()
    page.get_by_label("Number of clusters").fill("3")
    page.get_by_label("Column of true labels").fill("group")
    drop(page, [("table.csv", "\n".join(["x,y,group", *rows]).encode())])
    answer = answer_on(page, server)
    assert answer["n_clusters"] == 3
    expect(page.locator(".overview h2")).to_have_text("26 points in 3 clusters")
    expect(page.locator("canvas.plane")).to_be_visible()
    expect(page.locator(".tiles")).to_contain_text("Agreement")


def test_an_example_is_one_click_and_the_weights_are_offered(visit, server):
    page = visit()
    offered = page.locator("#model option")
    expect(offered.filter(has_text="omniglot (images)")).to_have_count(1)
    page.get_by_role("button", name="Points on circles").click()
    answer = answer_on(page, server)
    expect(page.locator(".overview h2")).to_have_text(
        f"{answer['n_items']} points in {answer['n_clusters']} clusters"
    )
    expect(page.locator(".overview .brief")).to_contain_text("circles")


def test_a_broken_file_is_named_and_the_rest_go_on(visit, server):
    page = visit()
    drop(page, [*digit_files(5), ("broken.png", b"this is no picture")])
    assert answer_on(page, server)["n_items"] == 5
    page.get_by_text("1 file left out").click()
    expect(page.locator(".skipped li")).to_contain_text("broken.png: ")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([("notes.txt", b"words")], "Drop images .* Got notes.txt"),
        ([("a.csv", b"x\n1"), ("b.csv", b"x\n1")], "One table at a time.* Got a.csv, b.csv"),
        ([("a.csv", b"x\n1"), ("b.png", b"")], "Either pictures or one table"),
        ([("broken.png", b"this is no picture")], "image"),
    ],
)
def test_what_cannot_be_clustered_is_refused_with_a_sentence(visit, files, sentence):
    visit.expects_refusals = True
    page = visit()
    drop(page, files)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(re.compile(sentence))
    expect(page.locator("#drop")).to_be_visible()
    alert.get_by_role("button", name="Close").click()
    expect(alert).to_be_hidden()


def test_an_answer_that_is_gone_leads_back_to_the_start(visit):
    visit.expects_refusals = True
    page = visit("#files/gone")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("#drop")).to_be_visible()


def test_waiting_work_says_where_it_stands_and_can_be_cancelled(visit, server):
    page = visit()
    # There is one worker only, and a busy machine may take long to send the files.
    before_us = [server.post("/api/jobs/examples/digits").json()["job"] for _ in range(40)]
    drop(page, digit_files(5))
    panel = page.locator("#files-progress")
    expect(panel).to_contain_text(re.compile(r"Waiting for a free worker, \d+ before this one"))
    assert server.get("/health").json()["queue"]["waiting"] >= 1
    panel.get_by_role("button", name="Cancel").click()
    expect(page.locator("#drop")).to_be_visible()
    expect(page.locator("#status")).to_have_text("Cancelled.")
    for job in before_us:
        server.delete(f"/api/jobs/{job}")
    assert page.locator(".answer").count() == 0
