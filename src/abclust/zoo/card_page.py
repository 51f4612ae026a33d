"""Model cards as Markdown: one card for ``abclust models NAME``, all of them for ``docs/models.md``.

Command
    ``python -m abclust.zoo.card_page docs/models.md`` writes the page anew, after weights were shipped. A
    test fails as long as the page is not what this command would write.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from abclust.foundations.frozen_config import to_dict
from abclust.model.config import ContextKernelConfig
from abclust.storage.atomic_file import write_text
from abclust.zoo.model_card import NOT_STATED, ModelCard, score_words, shipped_cards

_INTRODUCTION = """\
# Shipped weights

<!-- Written by `python -m abclust.zoo.card_page docs/models.md`: change the catalogue, the header or
     src/abclust/zoo/card_texts.py, not this page. -->

Networks that come with the package, checked by their sha256 whenever they are loaded; nothing is downloaded.
`abclust models` lists them, `abclust models NAME` prints one card, `abclust.load("NAME")` loads one. A file
of your own has a card too: `abclust models mine.safetensors`.
"""


def cards_page(cards: Sequence[ModelCard]) -> str:
    """The page of all cards: a table of contents, then one section a card."""
    lines = ["| name | an item is | size |", "|---|---|---:|"]
    lines += [
        f"| [`{card.name}`](#{card.name}) | {card.expects} | {size_words(card.n_bytes)} |" for card in cards
    ]
    sections = [card_markdown(card, level=2) for card in cards]
    return "\n".join([_INTRODUCTION, *lines, "", "\n".join(sections)])


def card_markdown(card: ModelCard, *, level: int = 1) -> str:
    """One card.

    Parameters
    ----------
    card
        From :func:`abclust.zoo.model_card.model_card`.
    level
        Of its heading.
    """
    parts = [
        f"{'#' * level} {card.name}",
        f"An item is: {card.expects}.",
        *_paragraph("Intended use", card.intended_use),
        *_paragraph("Limits", card.limits),
        *_paragraph("Calibrated for", _calibration(card)),
        *_paragraph("Data", _data(card)),
        *_paragraph("Training", _training(card)),
        *_paragraph("Network", _network(card)),
        _scores(card),
        *_paragraph("File", f"{card.n_bytes:,} bytes, licence {card.licence}, sha256 `{card.sha256}`"),
    ]
    return "\n\n".join(parts) + "\n"


def size_words(n_bytes: int) -> str:
    """Bytes as a person reads them.

    Examples
    --------
    >>> size_words(2_332_828), size_words(931)
    ('2.3 MB', '0.9 kB')
    """
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.1f} kB"


def _paragraph(title: str, text: str) -> list[str]:
    return [f"**{title}.** {text.rstrip('.')}."] if text else []


def _calibration(card: ModelCard) -> str:
    if not card.calibrated_for:
        return "nothing: kernels are raw"
    return "; ".join(
        f"{method} at {', '.join(map(str, sizes))} items" for method, sizes in card.calibrated_for.items()
    )


def _data(card: ModelCard) -> str:
    drawn = f" Groups: {', '.join(card.groups)}" if card.groups else ""
    return f"{card.trained_on.rstrip('.')}.{drawn}"


def _training(card: ModelCard) -> str:
    cost = [card.cost] if card.cost else []
    cost += [f"{card.steps:,} steps"] if card.steps is not None else []
    if card.seconds is not None:
        cost.append(f"{max(1, round(card.seconds / 60)):,} minutes on the machine that trained them")
    told = [f"`{card.command}`" if card.command != NOT_STATED else "", ", ".join(cost)]
    told.append(f"seed {card.seed}" if card.seed is not None else "")
    told.append(_commit(card.commit) if card.commit != NOT_STATED else "")
    told.append(f"torch {card.versions['torch']}" if "torch" in card.versions else "")
    return "; ".join(text for text in told if text)


def _commit(commit: str) -> str:
    clean = commit.removesuffix("-dirty")
    return f"commit {clean[:12]}" + (" with changes" if clean != commit else "")


def _network(card: ModelCard) -> str:
    """The configuration where it differs from the defaults, which are the paper's."""
    defaults = to_dict(ContextKernelConfig(n_features=1))
    own = {name: value for name, value in card.network.items() if value is not None}
    odd = [f"{name} {value}" for name, value in own.items() if value != defaults.get(name, value)]
    size = [f"{name} {own[name]}" for name in ("image_size", "n_features") if name in own]
    rest = [text for text in odd if not text.startswith(("image_size ", "n_features "))]
    return ", ".join([*size, *rest]) + "; all else by default"


def _scores(card: ModelCard) -> str:
    if not card.scores:
        return "**Scores.** None stated."
    rows = [f"| {score_words(name)} | {value:.3f} |" for name, value in card.scores.items()]
    table = "\n".join(["| score | mean |", "|---|---:|", *rows])
    return f"**Scores**, of {card.scored_on}:\n\n{table}"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command of this module."""
    parser = argparse.ArgumentParser(
        prog="python -m abclust.zoo.card_page", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("page", type=Path, help="the page to write, docs/models.md")
    write_text(parser.parse_args(arguments).page, cards_page(shipped_cards()))


if __name__ == "__main__":
    main()
