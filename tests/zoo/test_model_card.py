"""Model cards: read from the catalogue and the header, never typed twice, and the page of them is true."""

import hashlib
from pathlib import Path

import pytest

from abclust.foundations.errors import DataNotFoundError, FileFormatError
from abclust.model import ContextKernelConfig, ContextKernelNetwork
from abclust.storage.tensor_file import read_header
from abclust.zoo.card_page import card_markdown, cards_page, main
from abclust.zoo.catalogue import catalogue, shipped_names
from abclust.zoo.model_card import model_card, score_words, shipped_cards

PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def test_the_page_of_cards_is_what_its_command_would_write(tmp_path: Path) -> None:
    main([str(tmp_path / "models.md")])
    written = (tmp_path / "models.md").read_text(encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == written, "run: python -m abclust.zoo.card_page docs/models.md"


@pytest.mark.parametrize("name", shipped_names())
def test_every_shipped_card_is_whole(name: str) -> None:
    card, entry = model_card(name), catalogue()[name]
    header = read_header(entry.path)
    assert card.sha256 == entry.sha256 == hashlib.sha256(entry.path.read_bytes()).hexdigest()
    assert card.n_bytes == entry.path.stat().st_size < 10_000_000
    assert (card.expects, card.trained_on, card.command) == (entry.expects, entry.trained_on, entry.command)
    assert card.scores == header["metadata"]["scores"]
    assert card.groups == header["metadata"]["groups"]
    assert card.intended_use, "write its texts in card_texts.py"
    assert card.limits
    assert card.scores
    text = card_markdown(card)
    for told in (card.intended_use, card.limits, card.command, entry.licence, entry.sha256, card.commit[:12]):
        assert told.rstrip(".") in text


def test_a_network_file_of_ones_own_has_a_card(tmp_path: Path) -> None:
    metadata = {
        "n_sets": 1_009,
        "scores": {"nmi_k_unknown": 0.5},
        "scored_on": "held-out sets",
        "groups": ["north", "south"],
        "calibration": {"log-odds": [{"n_items": 19.7, "temperature": 1.0, "shift": 0.0}]},
    }
    network = ContextKernelNetwork(ContextKernelConfig(n_features=7, width=6, heads=2), metadata)
    network.save(tmp_path / "mine.safetensors")
    card = model_card(tmp_path / "mine.safetensors")
    assert card.expects == "vectors of 7 numbers"
    assert card.calibrated_for == {"log-odds": [20]}
    text = card_markdown(card)
    assert "1,009 sets" in text
    assert "Groups: north, south." in text
    assert "| NMI, k unknown | 0.500 |" in text
    assert "held-out sets" in text
    assert "log-odds at 20 items" in text
    assert "width 6, heads 2" in text.replace("heads 2, width 6", "width 6, heads 2")


def test_a_bare_network_says_what_it_does_not_say(tmp_path: Path) -> None:
    network = ContextKernelNetwork(ContextKernelConfig(image_size=16, encoder="fast-cnn", width=6, heads=2))
    network.save(tmp_path / "bare.safetensors")
    text = card_markdown(model_card(tmp_path / "bare.safetensors"))
    assert "images of 16 x 16" in text
    assert "None stated" in text
    assert "kernels are raw" in text


def test_what_is_no_network_has_no_card(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match="circles"):
        model_card("squares")
    (tmp_path / "notes.safetensors").write_text("nothing")
    with pytest.raises(FileFormatError):
        model_card(tmp_path / "notes.safetensors")


def test_the_page_names_every_card_once_and_links_to_it() -> None:
    page = cards_page(shipped_cards())
    for name in shipped_names():
        assert page.count(f"\n## {name}\n") == 1
        assert f"(#{name})" in page


def test_scores_are_worded() -> None:
    assert score_words("seen_nmi_k_known") == "NMI, k known, on groups seen in training"
    assert score_words("ari_20") == "ARI, sets of 20"
